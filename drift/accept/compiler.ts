import { createRequire } from "node:module";
import { join } from "node:path";
import type ts from "typescript";

/** The program's own compiler, so that it parses what will run. */
export type Compiler = typeof ts;

/** Loads `typescript` as the program in `folder` would. Throws an error that says what to install. */
export function compilerOf(folder: string): Compiler {
  const require = createRequire(join(folder, "package.json"));
  const install = "Install one in it: `npm install --save-dev typescript@5`.";
  let compiler: Partial<Compiler>;
  try {
    compiler = require("typescript") as Partial<Compiler>;
  } catch (cause) {
    throw new Error(`The program in ${folder} has no \`typescript\`, which is needed to read and edit it. ${install}`, {
      cause,
    });
  }
  if (typeof compiler.createProgram === "function" && typeof compiler.forEachChild === "function")
    return compiler as Compiler;
  throw new Error(
    `The \`typescript\` of ${folder} (${compiler.version ?? "no version"}) offers no compiler API to read the program with. ${install}`,
  );
}
