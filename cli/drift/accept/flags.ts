import { Option } from "commander";
import { rules } from "../../../drift/accept/wishes";
import type { CliContext } from "../../command/context";
import { usageError } from "../../command/failure";
import { jsonFlag, type ProgramFolders, programFlag } from "../../command/flags";
import { repeatableOption } from "../../command/recorded-stacks";
import { driftFlags, type ScanFlags } from "../flags";

export interface AcceptFlags extends ScanFlags {
  report?: string;
  json?: true;
  program?: ProgramFolders;
  only?: string[];
  allow?: string[];
  write?: true;
  patch?: string;
  body?: string;
  interactive?: true;
  force?: true;
}

/** What a scan needs to know; what it tells, and when it ends, is not asked here. */
const scanning = new Set([
  ...["stackFile", "backend", "project", "stackName", "stack", "account", "allAccounts", "concurrency", "timeout"],
  ...["unmanaged", "ignore", "baseline", "allowError"],
]);

export const acceptFlags = (): Option[] => [
  ...driftFlags().filter((option) => scanning.has(option.attributeName())),
  ...[
    new Option("--report <drift.json>", "accept what this report of `drift --format json` found, instead of scanning"),
    programFlag("the program to edit (default: the one in this folder)"),
    repeatableOption("--only <urn|name|field>", "only this resource or field, such as maxReplicaCount"),
    repeatableOption("--allow <rule>", `accept what opens something up: ${rules.join(", ")}`).argParser(ruleIn),
  ].map((option) => option.helpGroup("What to accept:")),
  ...[
    new Option("--write", "edit the program, and prove it with a preview"),
    new Option("--patch <file>", "write the edits as a patch, for `git apply` at the root of the repository"),
    new Option("--body <file>", "write what is accepted and what is left as Markdown, for the text of a pull request"),
    new Option("--interactive", "ask for each change: accept, revert, or ignore for a time"),
    new Option("--force", "edit a worktree that has changes of its own"),
    new Option(...jsonFlag),
  ].map((option) => option.helpGroup("What happens to it:")),
];

function ruleIn(text: string, before: string[] = []): string[] {
  if (!(rules as readonly string[]).includes(text))
    throw usageError(`--allow does not know ${JSON.stringify(text)}; there are ${rules.join(", ")}.`);
  return [...before, text];
}

/** Checked before anything is read: combinations that make no sense. */
export function checkFlags(flags: AcceptFlags, context: CliContext): void {
  const { write, patch, interactive, json } = flags;
  const ways = [write && "--write", patch !== undefined && "--patch", interactive && "--interactive"].filter(Boolean);
  if (ways.length > 1) throw usageError(`${ways.join(" and ")} do not go together.`);
  if (new Set(flags.program?.map(({ folder }) => folder)).size > 1)
    throw usageError("accept edits one program at a time: name one folder with --program.");
  if (interactive && json) throw usageError("--interactive asks, and --json cannot.");
  if (interactive && !context.isTTY) throw usageError("--interactive needs a terminal to ask at.");
}
