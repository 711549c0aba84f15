import { join } from "node:path";
import ts from "typescript";

/** The declarations that the package ships. */
export const entry = join(__dirname, "..", "..", "dist", "provider", "index.d.ts");

/** As a user's project compiles a program. */
export const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
  paths: { "pulumi-modelplatform": [entry] },
};
