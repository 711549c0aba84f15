import { defined } from "../../provider/core/values/defined";
import type { Finding } from "./document";
import type { RecordedObject } from "./recorded-object";
import type { Judgement } from "./verdict";

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
  return defined({ after: text(after), before: text(before) });
}

const instantOf = (time: unknown): number | undefined => {
  const instant = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
};

const text = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();
