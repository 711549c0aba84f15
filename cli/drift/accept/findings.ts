import { basename, resolve } from "node:path";
import type { DriftReport } from "../../../drift/scan/document";
import type { RecordedStack } from "../../../drift/scan/recorded-object";
import { readStacks, type StackSources } from "../../../drift/scan/stacks";
import type { Project } from "../../../engine/state/project";
import type { CliContext } from "../../command/context";
import { CommandFailure } from "../../command/failure";
import { namedStacks, recordedFor, requireSources, stackSources, surroundingsOf } from "../../command/recorded-stacks";
import { openClient } from "../../platform/platform";
import type { ScanFlags } from "../flags";
import { earlierReport } from "../input";
import { scanStacks } from "../scan";
import type { AcceptFlags } from "./flags";
import type { AcceptInput } from "./found";
import { stacksOfProject } from "./siblings";
import { projectIn } from "./stack-names";

/** Scans, or reads the report of a scan. Stacks of other programs are not this one's to accept. */
export async function findingsFor(flags: AcceptFlags, project: Project, context: CliContext): Promise<AcceptInput> {
  const { report: given } = flags;
  const sources =
    given === undefined
      ? await requireSources("accept", flags, context, ["--report"])
      : await stackSources(flags, context);
  const { report, recorded } =
    given === undefined
      ? await scanProgram(sources, flags, context)
      : {
          report: await earlierReport(given, context),
          recorded: await namedStacks(flags, context),
        };
  const stacks = report.scope.stacks.filter((stack) => projectIn(stack) === project.name);
  if (stacks.length === 0)
    throw new CommandFailure(
      `The program in ${resolve(project.folder)} is of project ${project.name}, and ${given === undefined ? "the stacks are" : `${basename(given)} is`} of ${report.scope.stacks.join(", ") || "none"}. Name the program's folder with --program.`,
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
  const recorded = await readStacks(sources, surroundingsOf(context));
  const client = openClient(context, { effects: ["read"] }, recordedFor(recorded, context));
  try {
    return { report: await scanStacks(client, recorded, flags, context), recorded };
  } finally {
    await client.close();
  }
}
