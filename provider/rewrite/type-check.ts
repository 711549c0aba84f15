import { dirname } from "node:path";
import type ts from "typescript";
import type { Compiler } from "./compiler";
import { diagnosticText, entryOf, type ProgramOptions, type Texts } from "./program";

/**
 * What the compiler says against the program's own files, by the program's own settings; `texts` are files as they are
 * to be.
 */
export function typeErrors(options: ProgramOptions, texts: Texts): string[] {
  const { ts: compiler, folder } = options;
  const settings = settingsOf(compiler, folder);
  const host = compiler.createCompilerHost(settings);
  const { readFile, getSourceFile } = host;
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...rest) => {
    const text = texts.get(file);
    return text === undefined ? getSourceFile(file, version, ...rest) : compiler.createSourceFile(file, text, version);
  };
  const program = compiler.createProgram([entryOf(options)], settings, host);
  return program
    .getSourceFiles()
    .filter((file) => !file.isDeclarationFile && !program.isSourceFileFromExternalLibrary(file))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .filter(({ category }) => category === compiler.DiagnosticCategory.Error)
    .map((diagnostic) => diagnosticText(compiler, folder, diagnostic));
}

/** As Pulumi runs a program: by its tsconfig, or by these settings where there is none. */
function settingsOf(compiler: Compiler, folder: string): ts.CompilerOptions {
  const file = compiler.findConfigFile(folder, compiler.sys.fileExists);
  if (file === undefined)
    return {
      target: compiler.ScriptTarget.ES2020,
      module: compiler.ModuleKind.CommonJS,
      moduleResolution: compiler.ModuleResolutionKind.Node10,
      esModuleInterop: true,
      skipLibCheck: true,
      noEmit: true,
    };
  const { config } = compiler.readConfigFile(file, compiler.sys.readFile) as { config?: unknown };
  const { options } = compiler.parseJsonConfigFileContent(config ?? {}, compiler.sys, dirname(file));
  return { ...options, noEmit: true, skipLibCheck: true };
}
