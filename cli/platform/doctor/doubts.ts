import { existsSync } from "node:fs";
import { isHeld, type RecordedStack } from "../../../drift/scan/recorded-object";
import { printable } from "../../../io/text/printable";
import { projectOf, stackNameOf } from "../../../provider/lifecycle/memory/identity";
import type { CliContext } from "../../command/context";
import { describe, doubtsOf, journalFolderIn } from "./orphans";
import { settingsFindings } from "./settings";

/**
 * Reports on standard error what a command that reads states alone does not see of these stacks: creates with an
 * unknown outcome. Without the journal of the machines that ran them there may be others, which it reports if
 * `isSpoken`.
 */
export function reportDoubts(
  stacks: readonly RecordedStack[],
  { cwd, env, stderr }: CliContext,
  { isSpoken = true }: { isSpoken?: boolean } = {},
): void {
  if (stacks.length === 0) return;
  const { settings } = settingsFindings({ env, config: undefined });
  const folder = journalFolderIn(settings?.intents, cwd, env);
  if (!existsSync(folder)) {
    if (isSpoken) stderr.write("note: what interrupted runs may have left is not known here: there is no journal.\n");
    return;
  }
  const held = stacks.flatMap(({ objects }) => objects.filter(isHeld));
  const own = new Set(stacks.map(({ stack }) => stack.split("/").slice(-2).join("/")));
  const doubts = doubtsOf(folder, settings, { urns: held.map(({ urn }) => urn), names: held.map(({ name }) => name) });
  for (const attempt of doubts) {
    if (!own.has(`${projectOf(attempt.urn)}/${stackNameOf(attempt.urn)}`)) continue;
    for (const text of describe(attempt, undefined)) stderr.write(`warning: ${printable(text)}\n`);
  }
}
