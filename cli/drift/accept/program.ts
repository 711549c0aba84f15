import { type Program, readProgram } from "../../../drift/accept/program";
import { compilerOf, entryOf, startedFile, startFolder } from "../../../drift/accept/sources";
import type { Project } from "../../../engine/state/project";
import { nameFrom } from "../../../io/paths/containment";
import { managedSpecs } from "../../../provider/resources/index";
import { CommandFailure } from "../../command/failure";

/** The program of a project, read by its own compiler. */
export function openProgram({ folder, name, main }: Project): Program {
  const ts = compilerOf(startFolder({ folder, main }));
  return readProgram({ ts, folder, project: name, main, kinds: managedSpecs.map(({ kind }) => kind) });
}

/** A preview runs what was compiled before the edit, and says nothing of it. */
export function refuseCompiled({ options }: Program): void {
  const [started, entry] = [startedFile(options), entryOf(options)];
  const name = (file: string): string => nameFrom(options.folder, file);
  if (started !== entry)
    throw new CommandFailure(
      `The program runs ${name(started)}, which is compiled, so a preview cannot prove an edit of ${name(entry)}. Use --patch, and compile what it has edited.`,
    );
}
