import type { DiffAnswer, FieldChange } from "../../core/comparison/diff";
import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import { phaseOf } from "../../core/declaration/states";
import { derivedNames } from "../../core/recording/recorded";
import { moneyText } from "../../core/rules/cost-limit";
import { accountOf } from "../../core/values/names";
import type { ComparedResource } from "../operation/operation";
import type { Call, Values } from "../types";

/**
 * Tells that replacing a job starts another run, what the last one was estimated to cost, and that the new one makes
 * the last one's model again where it would (A070).
 */
export function announceRun(
  { spec, call: { reporter }, id, outputs, inputs }: ComparedResource,
  { replaces }: DiffAnswer,
): void {
  if (!spec.identity.neverReused || replaces.length === 0) return;
  const cost = spec.costLimit && outputs[spec.costLimit.output];
  const because = replaces.map((name) => `\`${name}\``).join(", ");
  reporter.info(`${because} starts a new run${cost ? `; the last one was estimated to cost ${moneyText(cost)}` : ""}.`);
  if (phaseOf(spec.lifecycle, outputs) !== "ready") return;
  const chosen = derivedNames(spec, String(optionsIn(inputs).accountId ?? accountOf(id)), "", inputs);
  for (const [output, name] of Object.entries(chosen)) {
    if (outputs[output] !== name) continue;
    reporter.warn(
      `the new run creates ${name} again, which the last one created: \`${spec.derived[output]!.from[0]!}\` is unchanged. Change it, or drop it for a name of its own`,
    );
  }
}

/** Explains an update whose inputs are unchanged: an engine's preview shows it without any difference. */
export function announceUnseen(
  { uploads }: ResourceSpec,
  { reporter }: Call,
  changes: readonly FieldChange[],
  inputs: Values,
): void {
  const unseen = new Set(
    changes.filter(({ beneathInputs, effect }) => beneathInputs && effect === "update").map(({ property }) => property),
  );
  const { env, file } = (optionsIn(inputs).valueFrom ?? {}) as { env?: string; file?: string };
  if (unseen.has("value") && optionsIn(inputs).valueFrom)
    reporter.info(
      `${env === undefined ? `the file \`${file}\`` : `\`${env}\``} has a different value from the one that was written: it will be written again`,
    );
  if (uploads && unseen.has(uploads.from))
    reporter.info(`files of \`${uploads.from}\` have changed or are not uploaded yet: they will be sent`);
}
