import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { rewrite } from "../../../drift/accept/rewrite";
import { editsFor, type ManualPart, patchOf } from "../../../drift/accept/wishes";
import { type FindingPatch, projectIn } from "../../../drift/report/context";
import type { DriftReport } from "../../../drift/scan/document";
import type { RecordedStack } from "../../../drift/scan/recorded-object";
import { type Project, readProject } from "../../../engine/state/project";
import { messageOf } from "../../../provider/core/errors";
import { groupBy } from "../../../provider/core/values/grouping";
import type { CliContext } from "../../command/context";
import { programOf } from "../../command/flags";
import { projectSearch } from "../../command/stack-choice";
import type { OutputFlags } from "../flags";
import { stacksOfProject } from "./findings";
import { allowHint } from "./outcome";
import { openProgram, programDeps } from "./program";
import { rootOf } from "./worktree";

/** What of a scan the patches need. */
export interface ScanForPatches {
  report: DriftReport;
  /** Where the states were read, and not only a report of them. */
  recorded: readonly RecordedStack[] | undefined;
}

/** By fingerprint: the patch that accepts a finding, for each whose program is at hand. Nothing is changed. */
export async function patchesFor(
  scanned: ScanForPatches,
  flags: OutputFlags,
  context: CliContext,
): Promise<Map<string, FindingPatch>> {
  const patches = new Map<string, FindingPatch>();
  for (const [folder, stacks] of programsOf(scanned.report, flags, context)) {
    try {
      const project = await readProject(folder, projectSearch(context));
      const own = stacks.filter((stack) => projectIn(stack) === project.name);
      for (const [fingerprint, patch] of await patchesOf(scanned, own, project, context))
        patches.set(fingerprint, patch);
    } catch (error) {
      context.stderr.write(`warning: the report has no patches for ${folder}: ${messageOf(error)}\n`);
    }
  }
  return patches;
}

/** Stacks by the folder of their program: the one that `--program` names, else this folder where it has one. */
function programsOf({ scope }: DriftReport, { program }: OutputFlags, { cwd }: CliContext): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const stack of scope.stacks) {
    const named = programOf(program, stack);
    const folder = resolve(cwd, named ?? ".");
    if (named === undefined && !existsSync(join(folder, "Pulumi.yaml"))) continue;
    folders.set(folder, [...(folders.get(folder) ?? []), stack]);
  }
  return folders;
}

async function patchesOf(
  { report, recorded }: ScanForPatches,
  stacks: readonly string[],
  project: Project,
  context: CliContext,
): Promise<[fingerprint: string, patch: FindingPatch][]> {
  if (stacks.length === 0) return [];
  const findings = report.findings.filter(
    ({ stacks: of }) => of.length === 0 || of.some((stack) => stacks.includes(stack)),
  );
  const program = openProgram(project);
  const wishes = editsFor(findings, { allow: new Set(), only: [] });
  const known = await stacksOfProject(stacks, recorded ?? [], project, context);
  const input = { findings, report, stacks, sources: {}, ...known };
  const deps = await programDeps({ input, program, project, context }, wishes);
  const root = await rootOf(project.folder);
  return [...groupBy(wishes, ({ finding }) => finding)].map(([finding, own]) => {
    const { files, left } = rewrite(program, own, deps);
    return [finding.fingerprint, { patch: patchOf(files, root.nameOf), left: left.map(partText) }];
  });
}

const partText = ({ path, reason, ...part }: ManualPart): string =>
  `${path === undefined ? "it" : `\`${path}\``} ${reason}${allowHint(part)}`;
