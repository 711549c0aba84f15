import { basename, resolve } from "node:path";
import { rules } from "../../../drift/accept/wishes";
import { projectIn } from "../../../drift/report/context";
import type { DriftReport } from "../../../drift/scan/document";
import type { Finding } from "../../../drift/scan/finding-document";
import type { RecordedStack } from "../../../drift/scan/recorded-object";
import { type StackSources, stacksIn } from "../../../drift/scan/stacks";
import { configuredStacks, type Project } from "../../../engine/state/project";
import { openClient } from "../../command/client";
import type { CliContext } from "../../command/context";
import { CommandError, usageError } from "../../command/failure";
import {
  type FlagsOf,
  flag,
  formatFlag,
  jsonFlag,
  programFlag,
  repeatable,
  withHelpGroup,
  without,
} from "../../command/flags";
import { namedStacks, readRecorded, recordedFor } from "../../command/recorded-stacks";
import { ownBackend } from "../../command/stack-choice";
import { requireSources, stackSources } from "../../command/stack-flags";
import { driftFlags, type ScanFlags } from "../flags";
import { scanStacks } from "../scan";
import { earlierReport } from "../scan-files";

interface ProjectStacks {
  /** Full names of those that were not looked at. An edit of the program is one for them, too. */
  siblings: readonly string[];
  /** The states at hand. */
  recorded: readonly RecordedStack[];
}

/** What there is to accept, and what is known of the stacks. */
export interface AcceptInput extends ProjectStacks {
  findings: readonly Finding[];
  report: DriftReport;
  /** Full names of the stacks of this program that were looked at. */
  stacks: readonly string[];
  sources: StackSources;
}

/** Scans, or reads the report of a scan. Stacks of other programs are not this one's to accept. */
export async function findingsFor(flags: AcceptFlags, project: Project, context: CliContext): Promise<AcceptInput> {
  const { report: reportFile } = flags;
  const sources =
    reportFile === undefined
      ? await requireSources("accept", flags, context, ["--report"])
      : await stackSources(flags, context);
  const { report, recorded } =
    reportFile === undefined
      ? await scanProgram(sources, flags, context)
      : {
          report: await earlierReport(reportFile, context),
          recorded: await namedStacks(flags, context),
        };
  const stacks = report.scope.stacks.filter((stack) => projectIn(stack) === project.name);
  if (stacks.length === 0)
    throw new CommandError(
      `The program in ${resolve(project.folder)} is of project ${project.name}, and ${reportFile === undefined ? "the stacks are" : `${basename(reportFile)} is`} of ${report.scope.stacks.join(", ") || "none"}. Name the program's folder with --program.`,
    );
  const findings = report.findings.filter(
    ({ stacks: of }) => of.length === 0 || of.some((stack) => stacks.includes(stack)),
  );
  return { findings, report, stacks, sources, ...(await stacksOfProject(stacks, recorded, project, context)) };
}

async function scanProgram(
  sources: StackSources,
  flags: ScanFlags,
  context: CliContext,
): Promise<{ report: DriftReport; recorded: RecordedStack[] }> {
  const recorded = await readRecorded(sources, context);
  const client = openClient(context, { effects: ["read"] }, recordedFor(recorded, context));
  try {
    return { report: await scanStacks(client, recorded, flags, context), recorded };
  } finally {
    await client.close();
  }
}

/** Finds the stacks by the states at hand, those of the project's own backend, and the config files. */
export async function stacksOfProject(
  scanned: readonly string[],
  knownStacks: readonly RecordedStack[],
  project: Project,
  context: CliContext,
): Promise<ProjectStacks> {
  const isKnownStack = ({ stack }: RecordedStack): boolean =>
    knownStacks.some((each) => isSameStack(each.stack, stack));
  const backend = ownBackend(project, context);
  const own = backend ? await stacksIn(backend, project.name) : [];
  const recorded = [...knownStacks, ...own.filter((each) => !isKnownStack(each))].filter(
    ({ stack }) => projectIn(stack) === project.name,
  );
  const configured = (await configuredStacks(project)).map((name) => `organization/${project.name}/${name}`);
  const names = [...recorded.map(({ stack }) => stack), ...configured];
  const siblings = names.filter(
    (name, index) =>
      !scanned.some((each) => isSameStack(each, name)) && names.findIndex((each) => isSameStack(each, name)) === index,
  );
  return { siblings, recorded };
}

/** Whether two such names are of one stack. */
export const isSameStack = (one: string, other: string): boolean => tail(one) === tail(other);

const tail = (stack: string): string => stack.split("/").slice(-2).join("/");

/** How the outcome is written; Markdown is for the text of a pull request. */
const acceptFormats = { text: true, json: true, markdown: true } as const;

export const acceptFlags = () => [
  ...without(
    driftFlags(),
    ...(["filter", "kind", "all", "failOn", "exitZero", "since", "shard", "history", "historyDays", "owners"] as const),
    ...(["writeBaseline", "cause", "owner", "reason", "expires"] as const),
  ),
  ...withHelpGroup("What to accept:", [
    flag("--report <drift.json>", "accept what this report of `drift --format json` found, instead of scanning"),
    programFlag("the program to edit (default: the one in this folder)"),
    repeatable("--only <urn|name|field>", "only this resource or field, such as maxReplicaCount"),
    flag("--allow <rule:part>", "accept what opens something up, as it was left before; may be repeated", allowanceIn),
  ]),
  ...withHelpGroup("What happens to it:", [
    flag("--write", "edit the program, and prove it with a preview"),
    flag("--patch <file>", "write the edits as a patch, for `git apply` at the root of the repository"),
    formatFlag(acceptFormats),
    flag("--output <file>", "write what is accepted and what is left to a file, in that format"),
    flag("--interactive", "ask for each change: accept, revert, or ignore for a time"),
    flag("--force", "edit a worktree that has changes of its own"),
    jsonFlag,
  ]),
];

export type AcceptFlags = FlagsOf<typeof acceptFlags>;

/** A rule alone would let everything pass that another run, or another value, has of it. */
function allowanceIn(text: string, before: string[] = []): string[] {
  const [rule = "", part = ""] = text.split(":", 2);
  if (!(rules as readonly string[]).includes(rule))
    throw usageError(`--allow does not know ${JSON.stringify(text)}; there are ${rules.join(", ")}.`);
  if (!/^[0-9a-f]{16}$/.test(part))
    throw usageError(
      `--allow ${rule} takes one part of a finding, such as ${rule}:0123456789abcdef. Without it, accept writes that of each part it leaves.`,
    );
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
