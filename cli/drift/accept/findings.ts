import { basename, resolve } from "node:path";
import type { DriftReport } from "../../../drift/scan/document";
import type { Finding } from "../../../drift/scan/finding-schema";
import type { RecordedStack } from "../../../drift/scan/recorded-object";
import { readStacks, type StackSources, stacksIn } from "../../../drift/scan/stacks";
import { configuredStacks, type Project } from "../../../engine/state/project";
import type { CliContext } from "../../command/context";
import { CommandError } from "../../command/failure";
import { ownBackend } from "../../command/own-backend";
import {
  namedStacks,
  recordedFor,
  requireSources,
  sourceEnvironment,
  stackSources,
} from "../../command/recorded-stacks";
import { openClient } from "../../platform/platform";
import type { ScanFlags } from "../flags";
import { earlierReport } from "../input";
import { scanStacks } from "../scan";
import type { AcceptFlags } from "./flags";

/** What is known of the stacks of a project. */
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
  const recorded = await readStacks(sources, sourceEnvironment(context));
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

/** `organization/project/stack`, or the end of that. */
export const projectIn = (stack: string): string | undefined => stack.split("/").at(-2);

/** Whether two such names are of one stack. */
export const isSameStack = (one: string, other: string): boolean => tail(one) === tail(other);

const tail = (stack: string): string => stack.split("/").slice(-2).join("/");
