import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { parseDocument } from "yaml";
import { makeFolder } from "../../io/files/folders";
import { manifest, packageRoot } from "../../io/files/package";
import { ceilings, readBoundedSync, readTextSync } from "../../io/files/read";
import { createFile, replaceFile } from "../../io/files/write";
import { nameFrom } from "../../io/paths";
import { jsonValue } from "../../io/text/parse-problem";
import type { CliContext } from "../command/context";
import { CommandError, usageError } from "../command/failure";
import { addFlags, example, type FlagsOf, flag } from "../command/flags";

const defaultTemplate = "first";

const newFlags = [
  flag("--template <name>", "the example to copy", undefined, defaultTemplate),
  flag("--name <project>", "name of the project (default: that of the folder)"),
  flag("--list", "list the examples, and copy nothing"),
];

export function register(program: Command, context: CliContext): void {
  addFlags(program.command("new"), newFlags)
    .description(
      "Copies an example into this folder as a project of your own. `pulumi new` takes the same folders, below node_modules/pulumi-modelplatform/examples. A package.json that is there already is kept, and gets what is missing.",
    )
    .addHelpText("after", example("npx pulumi-modelplatform new", "npx pulumi-modelplatform new --template deployment"))
    .action(({ template, name, list }: FlagsOf<typeof newFlags>) =>
      list ? context.stdout.write(templates().join("\n").concat("\n")) : create(template, name, context),
    );
}

const examples = join(packageRoot, "examples");
const projectFile = "Pulumi.yaml";

/** Examples that a project can be made of. */
const templates = (): string[] =>
  readdirSync(examples)
    .filter((name) => existsSync(join(examples, name, projectFile)))
    .sort();

/** What belongs to the example in its place, and not to a copy of it. */
const excludedFiles = /^(node_modules|venv|\.pulumi|Pulumi\..+\.yaml|README\.md|package\.json)$/;

function create(template: string, folderArgument: string | undefined, { cwd, stdout }: CliContext): void {
  if (!templates().includes(template))
    throw usageError(`There is no template ${template}. There are ${templates().join(", ")}.`);
  const source = join(examples, template);
  const files = readdirSync(source).filter((entry) => !excludedFiles.test(entry));
  const taken = files.filter((file) => existsSync(join(cwd, file)));
  if (taken.length > 0)
    throw new CommandError(`Nothing was copied, since ${taken.join(", ")} would be overwritten. Use an empty folder.`);
  for (const file of files) copy(join(source, file), join(cwd, file));
  const name = folderArgument ?? projectName(cwd);
  nameProject(join(cwd, projectFile), name);
  const hasPackage = !existsSync(join(source, "package.json")) || completeManifest(source, cwd, name);
  stdout.write(`Created the project ${name} from ${template}: ${files.join(", ")}.\n`);
  if (!hasPackage) stdout.write(installFromClone);
  const install = isInstalled(cwd) ? "" : "`npm install`, then ";
  stdout.write(`Next: ${install}\`npx pulumi-modelplatform stack init dev\`.\n`);
  if (template === defaultTemplate)
    stdout.write("Other examples: `npx pulumi-modelplatform new --list`, such as `new --template quickstart`.\n");
}

/** Whether npm has put everything there that the folder's manifest names. */
function isInstalled(folder: string): boolean {
  const path = join(folder, "package.json");
  const { dependencies = {}, devDependencies = {} } = existsSync(path) ? contentOf(path) : {};
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.every((name) => existsSync(join(folder, "node_modules", name, "package.json")));
}

/** For who runs it in a clone, from which npm has installed nothing yet. */
const installFromClone =
  `package.json lacks ${manifest().name}, since it runs from a clone here: pack the clone with ` +
  `\`npm pack\` in ${packageRoot}, ` +
  "then `npm install` with the path of that file.\n";

function copy(from: string, to: string): void {
  if (!statSync(from).isDirectory())
    return createFile(to, readBoundedSync(from, ceilings.document), { worldReadable: true });
  makeFolder(to);
  for (const entry of readdirSync(from)) copy(join(from, entry), join(to, entry));
}

/** Letters that the name of a project cannot have become hyphens. */
const projectName = (folder: string): string => basename(folder).replace(/[^\w.-]+/g, "-") || "project";

function nameProject(path: string, name: string): void {
  const document = parseDocument(readTextSync(path, ceilings.settings));
  document.set("name", name);
  document.delete("template");
  replaceFile(path, document.toString(), { worldReadable: true });
}

interface PackageManifest {
  name?: string;
  private?: boolean;
  main?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const contentOf = (path: string): PackageManifest =>
  jsonValue(readTextSync(path, ceilings.settings), path) as PackageManifest;

/** Writes what the program needs beside what the folder's own manifest has; whether this package is among it. */
function completeManifest(source: string, folder: string, name: string): boolean {
  const path = join(folder, "package.json");
  const own: PackageManifest = existsSync(path) ? contentOf(path) : { name, private: true };
  // The first one that npm writes, for a file that nobody has.
  const hasMain = own.main !== undefined && existsSync(join(folder, own.main));
  const { dependencies, devDependencies } = contentOf(join(source, "package.json"));
  const [self, from] = [manifest().name, installedFrom(packageRoot, folder)];
  const all = { ...dependencies, ...devDependencies, ...(from && { [self]: from }), ...own.dependencies };
  const completed = { ...own, ...(!hasMain && { main: "index.ts" }), dependencies: all };
  replaceFile(path, `${JSON.stringify(completed, null, 2)}\n`, { worldReadable: true });
  return self in all;
}

/** What npm keeps beside the packages that it has installed. */
interface InstalledTree {
  packages?: Record<string, { resolved?: string }>;
}

/**
 * What a `package.json` in `folder` says so that npm installs this package again from where it came: a version of the
 * registry, or the file that it was packed into. Undefined where it runs in a clone, which npm has not installed.
 */
export function installedFrom(packageFolder: string, folder: string): string | undefined {
  const modules = dirname(packageFolder);
  if (basename(modules) !== "node_modules") return undefined;
  const record = resolve(modules, ".package-lock.json");
  const tree: InstalledTree = existsSync(record)
    ? (jsonValue(readTextSync(record, ceilings.settings), record) as InstalledTree)
    : {};
  const resolved = tree.packages?.[`node_modules/${basename(packageFolder)}`]?.resolved ?? "";
  if (!resolved.startsWith("file:")) return `^${manifest().version}`;
  const packed = resolve(dirname(modules), resolved.slice("file:".length));
  return `file:${nameFrom(folder, packed)}`;
}
