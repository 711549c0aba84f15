import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { AcceptStep } from "./change";
import { configValue, withConfigValue } from "./config-text";
import type { Obstacle } from "./declarations";
import type { ProgramSurroundings } from "./outcome";
import type { FileChange } from "./patch";
import type { RewriteOptions, SourceLocation } from "./program";
import type { Wish } from "./wishes";

/** The config files of the project's stacks. */
interface ConfigFiles {
  project: RewriteOptions["project"];
  config: ProgramSurroundings["config"];
  /** The changes made to files so far. */
  known: ReadonlyMap<string, FileChange>;
}

/** The configs of the stacks of a finding with another value. */
export function configChanges(
  { project, config: fileOf, known }: ConfigFiles,
  { config, value }: Extract<AcceptStep, { value: unknown }>,
  { finding, change }: Wish & { act: "say" },
  place: SourceLocation,
): FileChange[] | Obstacle {
  const key = config.path.length > 0 ? `${config.key}.${config.path.join(".")}` : config.key;
  if (config.mustBeTruthy && !value)
    return { reason: `comes from the config \`${key}\`, where ${String(value)} counts as none`, place };
  const changes: FileChange[] = [];
  for (const stack of finding.stacks) {
    const { file, text } = fileOf(stack);
    const before = known.get(file) ?? { file, before: text, after: text ?? "" };
    const said = configValue(before.after, project, config);
    if (said === "secret") return { reason: `is a secret in the config \`${key}\``, place };
    if (said === "shared")
      return { reason: `has an anchor or is an alias in the config \`${key}\` of ${basename(file)}`, place };
    if (said && "problem" in said)
      return {
        reason: `comes from the config \`${key}\`, and ${basename(file)} cannot be read: ${said.problem}`,
        place,
      };
    const isAged =
      said !== undefined && ![change.recorded, change.live, change.spelled].some((each) => says(said.value, each));
    if (isAged)
      return {
        reason: `is ${JSON.stringify(said.value)} in the config \`${key}\`, and was ${JSON.stringify(change.recorded)} when it was scanned; run \`up\` or scan again`,
        place,
      };
    if (said !== undefined && says(said.value, value)) continue;
    changes.push({ ...before, after: withConfigValue(before.after, project, config, value) });
  }
  return changes;
}

/** A config may hold numbers and flags as text. */
const says = (said: unknown, value: unknown): boolean =>
  isDeepStrictEqual(said, value) ||
  (value !== undefined && typeof value !== "object" && String(said) === String(value));
