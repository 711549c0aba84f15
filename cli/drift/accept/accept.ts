import { resolve } from "node:path";
import type { Command } from "commander";
import { type Program, typeErrors } from "../../../drift/accept/program";
import { rewrite } from "../../../drift/accept/rewrite";
import { editsFor, type FileChange, patchOf, type RewriteResult } from "../../../drift/accept/wishes";
import { type Project, readProject } from "../../../engine/state/project";
import { messageOf } from "../../../provider/core/errors";
import { type CliContext, exitCodes } from "../../command/context";
import { CommandError, interruptible } from "../../command/failure";
import { addFlags, example } from "../../command/flags";
import { jsonText, writeReportFile } from "../../command/output";
import { projectSearch } from "../../command/stack-choice";
import { promptForChanges } from "./dialogue";
import { type AcceptFlags, type AcceptInput, acceptFlags, checkFlags, findingsFor } from "./findings";
import { bodyOf, documentOf, type RestOfDrift, summaryOf } from "./outcome";
import { assertNotCompiled, openProgram, programDeps } from "./program";
import { verifyAcceptance } from "./proof";
import { assertClean, assertInRepository, restoreFiles, rootOf, writeFiles } from "./worktree";

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("accept"), acceptFlags())
    .description(
      "Updates the program to match the live state, by the differences that a scan found or a report lists. Prints the edits as a patch and changes nothing, unless --write, --patch or --interactive is given. What opens something up is left, unless --allow names it.",
    )
    .addHelpText(
      "after",
      example(
        "npx pulumi-modelplatform accept --backend file://~/state",
        "npx pulumi-modelplatform accept --report drift/drift.json --patch drift.patch",
        "npx pulumi-modelplatform accept --stack-file prod.json --only maxReplicaCount --write",
      ),
    )
    .addHelpText(
      "after",
      "Exit codes: 0 everything found is accepted, 1 error, 2 something is left,\n64 usage, 130 interrupted.\n",
    )
    .action((flags: AcceptFlags) => run(flags, context));
}

async function run(flags: AcceptFlags, context: CliContext): Promise<void> {
  checkFlags(flags, context);
  const folder = resolve(context.cwd, flags.program?.[0]?.folder ?? ".");
  const project = await readProject(folder, projectSearch(context));
  const program = openProgram(project);
  assertNoTypeErrors(program, new Map(), context);
  const input = await findingsFor(flags, project, context);
  const acceptance = { input, program, project, context };
  const isEditing = flags.write === true || flags.interactive === true;
  if (isEditing) {
    assertNotCompiled(program);
    await assertClean(project.folder, flags.force === true);
  }
  const edits = flags.interactive
    ? await promptForChanges(acceptance, flags)
    : editsFor(input.findings, { allow: new Set(flags.allow ?? []), only: flags.only ?? [] });
  const deps = await programDeps(acceptance, edits);
  const rewritten = rewrite(program, edits, deps);
  assertNoTypeErrors(program, new Map(rewritten.files.map(({ file, after }) => [file, after])), context);
  const root = await rootOf(project.folder);
  const patch = patchOf(rewritten.files, (file) => root.nameOf(file));
  const isWritten = isEditing && rewritten.files.length > 0;
  const files = rewritten.files.map(({ file }) => file);
  assertInRepository(root, files);
  if (isWritten) await assertClean(project.folder, flags.force === true, files);
  const rest = isWritten ? await writeAndProve(rewritten, input, project, context) : [];
  if (flags.patch !== undefined) writeReportFile(flags.patch, patch, context);
  const isMissed = rewritten.accepted.length + rewritten.left.length === 0 && input.findings.length > 0;
  report(
    rewritten,
    { isMissed: isMissed && flags.only !== undefined, patch, isWritten, rest, program, nameOf: root.nameOf },
    flags,
    context,
  );
}

/** Pulumi's own switch says that the program is not checked before it runs. */
function assertNoTypeErrors(program: Program, texts: ReadonlyMap<string, string>, { env }: CliContext): void {
  if (env["PULUMI_NODEJS_TRANSPILE_ONLY"] === "true" || !/\.[cm]?tsx?$/.test(program.entry.fileName)) return;
  const [first, ...others] = typeErrors(program.options, texts);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  throw new CommandError(
    texts.size === 0
      ? `The program does not compile, so it is left as it is: ${first}${more}`
      : `The program would not compile with the live values, so nothing was written: ${first}${more}. Name what to accept with --only.`,
  );
}

/**
 * Writes the files, and puts them back where a preview shows that the program does not match the live state. Resolves
 * to what it would change beside that.
 */
async function writeAndProve(
  { files, accepted }: RewriteResult,
  input: AcceptInput,
  project: Project,
  context: CliContext,
): Promise<readonly RestOfDrift[]> {
  let written: readonly FileChange[] = [];
  const undo = (): void => {
    restoreFiles(written);
    written = [];
  };
  const run = async (signal: AbortSignal): Promise<readonly RestOfDrift[]> => {
    const before = await verifyAcceptance(accepted, input, project, { context, signal });
    await writeFiles(files);
    written = files;
    const { failure, rest } = await before.after().catch((error: unknown) => ({ failure: messageOf(error), rest: [] }));
    if (failure === undefined && !signal.aborted) return rest;
    undo();
    throw new CommandError(`The program is as it was: ${failure}`);
  };
  return interruptible(context, { message: "interrupted; the program is as it was", run, undo });
}

interface Outcome {
  /** There is something, and --only names nothing of it. */
  isMissed: boolean;
  patch: string;
  isWritten: boolean;
  rest: readonly RestOfDrift[];
  program: Program;
  nameOf(file: string): string;
}

function report(rewritten: RewriteResult, outcome: Outcome, flags: AcceptFlags, context: CliContext): void {
  const names = rewritten.files.map(({ file }: FileChange) => outcome.nameOf(file));
  const isPatch = flags.patch !== undefined;
  const texts = {
    text: () => summaryOf(rewritten, names, { ...outcome, isPatch, isPart: flags.only !== undefined }),
    json: () => jsonText(documentOf(rewritten, names, outcome)),
    markdown: () => bodyOf(rewritten),
  };
  const { output, format = "text" } = flags;
  if (output !== undefined) writeReportFile(output, texts[format](), context);
  const printed = flags.json ? "json" : output === undefined ? format : "text";
  if (printed !== "text") context.stdout.write(texts[printed]());
  else if (!outcome.isWritten && !isPatch) context.stdout.write(outcome.patch);
  context.stderr.write(texts.text());
  if (rewritten.left.length > 0) context.exitCode = exitCodes.drift;
}
