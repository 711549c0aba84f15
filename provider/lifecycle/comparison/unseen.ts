import type { FieldChange } from "../../core/comparison/diff";
import { optionsIn } from "../../core/declaration/options";
import type { ResourceSpec } from "../../core/declaration/resource";
import type { Call, Values } from "../types";

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
