import type ts from "typescript";
import { realPath } from "../../io/paths/containment";
import type { Compiler } from "./compiler";
import { diagnosticText, type RewriteOptions, type Texts } from "./program";
import { entryOf, ownSettings, startFolder } from "./sources";

/**
 * What the compiler says against the program's own files, by the program's own settings; `texts` are files as they are
 * to be.
 */
export function typeErrors(options: RewriteOptions, texts: Texts): string[] {
  const { ts: compiler, folder } = options;
  const settings = settingsOf(compiler, startFolder(options));
  const host = compiler.createCompilerHost(settings);
  const { readFile, getSourceFile } = host;
  const textOf = (file: string): string | undefined => (texts.size === 0 ? undefined : texts.get(realPath(file)));
  host.readFile = (file) => textOf(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...rest) => {
    const text = textOf(file);
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
  const usual = {
    target: compiler.ScriptTarget.ES2020,
    module: compiler.ModuleKind.CommonJS,
    moduleResolution: compiler.ModuleResolutionKind.Node10,
    esModuleInterop: true,
  };
  const { settings } = ownSettings(compiler, folder);
  const own = settings["configFilePath"] === undefined ? usual : settings;
  return { ...own, noEmit: true, skipLibCheck: true };
}
