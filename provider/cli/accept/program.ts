import { managedSpecs } from "../../resources/index";
import { compilerOf } from "../../rewrite/compiler";
import { type Program, readProgram } from "../../rewrite/program";
import type { Project } from "../../state/project";

/** The program of a project, read by its own compiler. */
export function openProgram({ folder, name, main }: Project): Program {
  const ts = compilerOf(folder);
  return readProgram({ ts, folder, project: name, main, kinds: managedSpecs.map(({ kind }) => kind) });
}
