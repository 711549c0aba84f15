import { createHash } from "node:crypto";
import type { ResourceSpec } from "../core/declaration/resource";
import { canonical } from "../lifecycle/identity/endpoint";
import { changedBetween } from "./change-window";
import type { Finding } from "./document";
import type { RecordedObject } from "./recorded-object";
import type { Judgement } from "./verdict";

/** The location of an object. */
export interface ObjectLocation {
  account: string;
  /** Scheme, host and port. */
  origin: string;
}

/** The same in every scan: origins of this machine count as one, because an emulator gets another port each time. */
export const fingerprintOf = (origin: string, name: string, path = ""): string =>
  createHash("sha256")
    .update(JSON.stringify([originKey(origin), name, path]))
    .digest("hex")
    .slice(0, 16);

/** A scheme, host and port; or text that is none, of an account whose address is not known. */
export const originKey = (origin: string): string => (URL.canParse(origin) ? canonical(origin) : origin);

/** What a scan says about the object `name`, recorded by `objects` or by none. */
export function findingOf(
  { account, origin }: ObjectLocation,
  spec: ResourceSpec,
  name: string,
  objects: readonly RecordedObject[],
  said: Judgement,
): Finding {
  const stacks = [...new Set(objects.map(({ stack }) => stack))];
  const twice = objects.length > 1;
  const [first] = objects;
  const where =
    stacks.length > 1
      ? `in ${stacks.length} stacks (${stacks.join(", ")})`
      : `by ${objects.length} resources of one stack`;
  const window = changedBetween(said, first);
  const plain = !twice || !["in-sync", "unverifiable", "in-flight"].includes(said.verdict);
  return {
    fingerprint: fingerprintOf(origin, name),
    ruleId: plain ? `drift/${said.rule ?? said.verdict}` : "drift/recorded-twice",
    verdict: said.verdict,
    severity: plain ? said.severity : "warning",
    account,
    origin,
    type: spec.kind,
    name,
    urn: first?.urn ?? null,
    stacks,
    reason: twice ? `${said.reason}; is recorded ${where}: leave it to one` : said.reason,
    updateTime: said.updateTime,
    unverified: said.unverified,
    ...(said.acceptDrift !== undefined && { acceptDrift: said.acceptDrift }),
    ...(said.owner && { owner: said.owner }),
    ...(said.hourlyCostChange !== undefined && { hourlyCostChange: said.hourlyCostChange }),
    ...(window && { changedBetween: window }),
    ...(said.suppressed && { suppressed: said.suppressed }),
    ...(first?.source && { source: first.source }),
    ...(first?.trace && { trace: [...first.trace] }),
    changes: said.changes,
  };
}
