import { existsSync } from "node:fs";
import { declarationsIn } from "../../../drift/accept/declarations";
import { urnWithoutStack } from "../../../drift/accept/objections";
import {
  compilerOf,
  entryOf,
  type Program,
  readProgram,
  sourceText,
  startedFile,
  startFolder,
} from "../../../drift/accept/program";
import { declarationsOf, type NewStatement } from "../../../drift/accept/statements";
import { isManual, type ManualPart, type ProgramDeps, type ProgramEdit } from "../../../drift/accept/wishes";
import type { Finding } from "../../../drift/scan/finding-document";
import { type Project, stackConfigPath } from "../../../engine/state/project";
import { assertNotLink } from "../../../io/files/disk-error";
import { nameFrom, realPath } from "../../../io/paths";
import { managedSpecs } from "../../../provider/resources/index";
import { openClient } from "../../command/client";
import type { CliContext } from "../../command/context";
import { CommandError } from "../../command/failure";
import { recordedFor } from "../../command/recorded-stacks";
import { type AcceptInput, isSameStack } from "./findings";

/** The program of a project, read by its own compiler. */
export function openProgram({ folder, name, main }: Project): Program {
  const ts = compilerOf(startFolder({ folder, main }));
  return readProgram({ ts, folder, project: name, main, kinds: managedSpecs.map(({ kind }) => kind) });
}

/** A preview runs what was compiled before the edit, and says nothing of it. */
export function assertNotCompiled({ options }: Program): void {
  const [started, entry] = [startedFile(options), entryOf(options)];
  const name = (file: string): string => nameFrom(options.folder, file);
  if (started !== entry)
    throw new CommandError(
      `The program runs ${name(started)}, which is compiled, so a preview cannot prove an edit of ${name(entry)}. Use --patch, and compile what it has edited.`,
    );
}

/** What an `accept` works with. */
export interface AcceptContext {
  input: AcceptInput;
  program: Program;
  project: Project;
  context: CliContext;
}

/** The program's stacks, their config, and declarations for what is in none of them. */
export async function programDeps(
  acceptance: AcceptContext,
  wishes: readonly (ProgramEdit | ManualPart)[],
): Promise<ProgramDeps> {
  const { input, project } = acceptance;
  const { stacks, siblings, recorded } = input;
  const names = wishes.flatMap((wish) => (!isManual(wish) && wish.act === "declare" ? [wish.finding.name] : []));
  const all = [...stacks, ...siblings];
  return {
    // Of a stack whose state is not at hand, it is unknown whether it has the resource: it may.
    holders: (finding) =>
      all.flatMap((stack) => {
        const state = recorded.find((each) => isSameStack(each.stack, stack));
        if (!state) return [{ stack }];
        const object = state.objects.find(({ urn }) => urnWithoutStack(urn) === urnWithoutStack(finding.urn));
        return object ? [{ stack, inputs: object.inputs }] : [];
      }),
    config: (stack) => {
      const path = stackConfigPath(project, stack.split("/").at(-1)!);
      // Behind a link it would be a file outside of the project that is edited.
      assertNotLink(path);
      const file = realPath(path);
      return { file, text: existsSync(file) ? sourceText(file) : undefined };
    },
    statements: names.length === 0 ? new Map() : await statementsFor(names, all, acceptance),
  };
}

async function statementsFor(
  names: readonly Finding["name"][],
  stacks: readonly string[],
  { input: { recorded }, program, context }: AcceptContext,
): Promise<Map<string, NewStatement | string>> {
  if (stacks.length > 1) {
    const reason = `is in no stack, and each stack of the program (${stacks.join(", ")}) would take it: declare it by hand for one of them`;
    return new Map(names.map((name) => [name, reason]));
  }
  const client = openClient(context, { effects: ["read"] }, recordedFor(recorded, context));
  try {
    const { statements, leftOut } = await declarationsOf(client, names, program, declarationsIn(program));
    return new Map<string, NewStatement | string>([
      ...leftOut,
      ...statements.map((statement) => [statement.name, statement] as const),
    ]);
  } finally {
    await client.close();
  }
}
