import { createHash } from "node:crypto";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { omitUndefined } from "../../provider/core/values/values";
import { canonicalBaseUrl } from "../../provider/lifecycle/identity";
import type { Finding } from "./finding-schema";
import type { RecordedObject } from "./recorded-object";
import type { Judgement } from "./verdict";

/** The location of an object. */
export interface ObjectLocation {
  account: string;
  /** Scheme, host and port. */
  origin: string;
}

/** The object that a judgement is about. */
interface JudgedObject extends ObjectLocation {
  spec: ResourceSpec;
  /** Resource name. */
  name: string;
}

/** The same in every scan: origins of this machine count as one, because an emulator gets another port each time. */
export const fingerprintOf = (origin: string, name: string, path = ""): string =>
  shortHash(JSON.stringify([originKey(origin), name, path]));

/** A short name for a text, the same in every scan. */
export const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A scheme, host and port; or text that is none, of an account whose address is not known. */
export const originKey = (origin: string): string => (URL.canParse(origin) ? canonicalBaseUrl(origin) : origin);

/** What a scan says about the object `name`, recorded by `objects` or by none. */
export function findingOf(
  { account, origin, spec, name }: JudgedObject,
  objects: readonly RecordedObject[],
  judged: Judgement,
): Finding {
  const stacks = [...new Set(objects.map(({ stack }) => stack))];
  const [first] = objects;
  const isRecordedTwice = objects.length > 1;
  // An object that is recorded twice is a finding even where its verdict alone is none.
  const isOnlyRecordedTwice = isRecordedTwice && ["in-sync", "unverifiable", "in-flight"].includes(judged.verdict);
  return omitUndefined<Finding>({
    fingerprint: fingerprintOf(origin, name),
    ruleId: isOnlyRecordedTwice ? "drift/recorded-twice" : `drift/${judged.rule ?? judged.verdict}`,
    verdict: judged.verdict,
    severity: isOnlyRecordedTwice ? "warning" : judged.severity,
    account,
    origin,
    type: spec.kind,
    name,
    urn: first?.urn ?? null,
    stacks,
    reason: isRecordedTwice
      ? `${judged.reason}; is recorded ${recordersText(objects, stacks)}: leave it to one`
      : judged.reason,
    updateTime: judged.updateTime,
    unverified: judged.unverified,
    acceptDrift: judged.acceptDrift,
    owner: judged.owner,
    hourlyCostChange: judged.hourlyCostChange,
    changedBetween: changedBetween(judged, first),
    suppressed: judged.suppressed,
    source: first?.source,
    trace: first?.trace && [...first.trace],
    changes: judged.changes,
  });
}

const recordersText = (objects: readonly RecordedObject[], stacks: readonly string[]): string =>
  stacks.length > 1
    ? `in ${stacks.length} stacks (${stacks.join(", ")})`
    : `by ${objects.length} resources of one stack`;

/**
 * When a live object became different from what is recorded: after an operation last recorded it, and at its
 * `updateTime` at the latest. The service's clock and the state's may disagree: a time of recording that is not before
 * `updateTime` says nothing, but the recorded `updateTime` still may.
 */
export function changedBetween(
  { verdict, updateTime }: Pick<Judgement, "verdict" | "updateTime">,
  recorded: Pick<RecordedObject, "recordedAt" | "outputs"> | undefined,
): Finding["changedBetween"] {
  if (!recorded || (verdict !== "changed" && verdict !== "missing")) return undefined;
  const before = instantOf(updateTime);
  const known = [recorded.recordedAt, recorded.outputs["updateTime"]]
    .map(instantOf)
    .filter((instant) => instant !== undefined && (before === undefined || instant < before));
  const after = known.length === 0 ? undefined : Math.max(...(known as number[]));
  if (before === undefined && after === undefined) return undefined;
  return omitUndefined({ after: text(after), before: text(before) });
}

const instantOf = (time: unknown): number | undefined => {
  const instant = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
};

const text = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();
