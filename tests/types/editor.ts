import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { entry, options } from "./compiler-options";

/** The package as an editor sees it: the declarations that it ships, asked through TypeScript's language service. */

const root = join(__dirname, "..", "..");
const program = join(root, "tests", "types", "open-in-the-editor.ts");

/** A declaration that programs see, and what an editor shows of it. */
export interface EditorHint {
  /** Where it is: `DeploymentArgs.baseModel`. */
  path: string;
  /** The documentation, in one line. */
  documentation: string;
  tags: readonly ts.JSDocTagInfo[];
}

export interface Editor {
  /** Everything that the package exports, with its members. */
  declarations(): readonly EditorHint[];
  /** What is shown where the pointer is at `|` in a program. */
  hover(text: string): string;
  /** What is offered at `|`, with its documentation. */
  complete(text: string): readonly { name: string; documentation: string }[];
  /** What the compiler has against a program, in full. */
  errors(text: string): string[];
}

export function openEditor(): Editor {
  if (!existsSync(entry)) throw new Error("there is no `dist/index.d.ts`; run `npm run build`");
  let text = "";
  let version = 0;
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [program, entry],
    getScriptVersion: (file) => (file === program ? String(version) : "1"),
    getScriptSnapshot: (file) => {
      if (file === program) return ts.ScriptSnapshot.fromString(text);
      return existsSync(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, "utf8")) : undefined;
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (file) => file === program || ts.sys.fileExists(file),
    readFile: (file) => (file === program ? text : ts.sys.readFile(file)),
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
  const service = ts.createLanguageService(host);

  /** Opens a program, and says where its `|` was. */
  const open = (written: string): number => {
    const position = written.indexOf("|>");
    text = written.replace("|>", "");
    version++;
    return position;
  };

  return {
    declarations: () => walk(service),
    hover: (written) => shown(service.getQuickInfoAtPosition(program, open(written))),
    complete(written) {
      const position = open(written);
      const { entries = [] } = service.getCompletionsAtPosition(program, position, {}) ?? {};
      return entries.map(({ name }) => {
        const details = service.getCompletionEntryDetails(program, position, name, {}, undefined, {}, undefined);
        return { name, documentation: oneLine(details?.documentation) };
      });
    },
    errors(written) {
      open(written);
      return service
        .getSemanticDiagnostics(program)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    },
  };
}

const oneLine = (parts: ts.SymbolDisplayPart[] | undefined): string =>
  ts.displayPartsToString(parts).replace(/\s+/g, " ").trim();

function shown(info: ts.QuickInfo | undefined): string {
  if (!info) return "";
  const tags = (info.tags ?? []).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
  return [ts.displayPartsToString(info.displayParts), ts.displayPartsToString(info.documentation), ...tags].join(
    "\n\n",
  );
}

/** Every declaration that can be reached from the package's exports, in the package's own files. */
function walk(service: ts.LanguageService): EditorHint[] {
  const compiled = service.getProgram()!;
  const checker = compiled.getTypeChecker();
  const found = new Map<ts.Node, EditorHint>();

  const visitModule = (symbol: ts.Symbol, path: string): void => {
    for (const exported of checker.getExportsOfModule(symbol)) {
      const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const at = path === "" ? exported.name : `${path}.${exported.name}`;
      if (target.flags & ts.SymbolFlags.ValueModule) visitModule(target, at);
      else for (const declaration of target.declarations ?? []) visit(declaration, at);
    }
  };

  const visit = (declaration: ts.Declaration, path: string): void => {
    const file = declaration.getSourceFile().fileName;
    if (relative(join(root, "dist"), file).startsWith("..") || found.has(declaration)) return;
    const name = ts.isConstructorDeclaration(declaration) ? declaration : ts.getNameOfDeclaration(declaration)!;
    const info = service.getQuickInfoAtPosition(file, name.getStart());
    found.set(declaration, { path, documentation: oneLine(info?.documentation), tags: info?.tags ?? [] });
    if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration))
      for (const member of declaration.members) {
        if (ts.isConstructorDeclaration(member)) visit(member, `${path}.constructor`);
        else if (member.name) visit(member, `${path}.${member.name.getText()}`);
      }
    // The values of an enum: `UserRole.Contributor`.
    if (ts.isVariableDeclaration(declaration) && declaration.type && ts.isTypeLiteralNode(declaration.type))
      for (const member of declaration.type.members) visit(member, `${path}.${member.name!.getText()}`);
  };

  visitModule(checker.getSymbolAtLocation(compiled.getSourceFile(entry)!)!, "");
  return [...found.values()];
}
