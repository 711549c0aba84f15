import { dirname, extname, join, resolve } from "node:path";
import { assertOfCheckout, beginOfCheckout } from "../../io/files/checkout";
import { type FileSystem, nodeFiles, readIfExists } from "../../io/files/durable";
import { foreignOwner, type Users } from "../../io/files/owner";
import type { Environment } from "../../io/files/user-folders";
import { ownCommand, quotedCommand } from "../../io/text/command-line";
import { decodeText } from "../../io/text/decode";
import {
  type ConfigObject,
  isConfigObject,
  parsePath,
  type StoredConfigValue,
  valueAt,
  valueAtPath,
  withValueAt,
  yamlContent,
} from "./config-value";
import { correctKeys, keyProblems, projectKeys } from "./file-keys";
import { isName } from "./layout";

/** A key that Pulumi.yaml declares for its stacks. */
export interface ConfigDeclaration {
  type?: string | undefined;
  items?: ConfigItems | undefined;
  description?: string | undefined;
  /** Used where a stack sets nothing: `default` for the project's keys, `value` for other namespaces. */
  default?: StoredConfigValue | undefined;
  secret: boolean;
}

interface ConfigItems {
  type: string;
  items?: ConfigItems | undefined;
}

const types = ["string", "integer", "boolean", "array", "object"];

/**
 * `<namespace>:<name>` of a key; one without a namespace belongs to the project. With
 * `path`, the name may continue with `.member[0]`.
 */
export function fullKey(project: string, key: string, path = false): string {
  const end = path ? key.search(/[.[]/) : -1;
  const top = end > 0 ? key.slice(0, end) : key;
  const parts = top.split(":");
  if (parts.length === 1) parts.unshift(project);
  if (parts.length === 3 && parts[1] === "config") parts.splice(1, 1);
  if (parts.length !== 2 || parts.includes("")) {
    throw new Error(
      `\`${key}\` is not a config key. Write \`name\`, or \`namespace:name\` for a key that is not the project's own.`,
    );
  }
  return parts.join(":") + key.slice(top.length);
}

/** Splits a full key into the key of the file and the path into its value. */
export function splitKey(key: string): { key: string; path: (string | number)[] } {
  const colon = key.indexOf(":");
  const [first, ...path] = parsePath(key.slice(colon + 1));
  if (typeof first !== "string" || first === "")
    throw new Error(`\`${key}\` is not a config key: its first step must be a name.`);
  return { key: `${key.slice(0, colon)}:${first}`, path };
}

/** The `config` of a project file. Throws for a declaration that Pulumi would not accept. */
function readDeclarations(
  project: string,
  config: StoredConfigValue | undefined,
): { [key: string]: ConfigDeclaration } {
  if (!isConfigObject(config)) return {};
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, readDeclaration(project, key, value)]));
}

/** The stack's values, with the project's defaults where it sets none. */
export function mergeDeclared(
  project: string,
  declared: { [key: string]: ConfigDeclaration },
  values: ConfigObject,
): ConfigObject {
  return inOrder(declared).reduce((merged, [name, declaration]) => {
    const { key, path } = splitKey(fullKey(project, name, true));
    if (declaration.default === undefined || valueAt(merged, [key, ...path]) !== undefined) return merged;
    const text = isText(declaration.default) ? String(declaration.default) : undefined;
    const value = text === undefined ? declaration.default : valueAtPath(path, text);
    return Object.fromEntries([...Object.entries(merged), [key, withValueAt(merged[key], path, value)]]);
  }, values);
}

/** Sorted by name, the order in which Pulumi processes them. */
export function inOrder(declared: { [key: string]: ConfigDeclaration }): [string, ConfigDeclaration][] {
  return Object.entries(declared).sort(([a], [b]) => (a < b ? -1 : 1));
}

export function typeName({ type, items }: { type: string; items?: ConfigItems | undefined }): string {
  return items === undefined ? type : `array<${typeName(items)}>`;
}

/** Numbers and booleans may be written as text. */
export function isOfType(value: StoredConfigValue, type: string, items: ConfigItems | undefined): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "integer":
      return (
        typeof value === "bigint" || Number.isInteger(value) || (typeof value === "string" && /^[+-]?\d+$/.test(value))
      );
    case "boolean":
      return typeof value === "boolean" || value === "true" || value === "false";
    case "object":
      return isConfigObject(value);
    default:
      return (
        Array.isArray(value) &&
        items !== undefined &&
        value.every((element) => isOfType(element, items.type, items.items))
      );
  }
}

function readDeclaration(project: string, key: string, value: StoredConfigValue): ConfigDeclaration {
  const own = !key.includes(":") || key.startsWith(`${project}:`);
  const written = isConfigObject(value) ? value : { [own ? "default" : "value"]: value };
  const { type, items, description, secret, default: fallback = null, value: fixed = null } = written;
  if (fallback !== null && fixed !== null) throw invalidDeclaration(key, "has both `default` and `value`: keep one");
  if (!own && (type !== undefined || fallback !== null))
    throw invalidDeclaration(key, "belongs to another namespace: it may have a `value` only");
  if (!own && fixed === null) throw invalidDeclaration(key, "belongs to another namespace: it needs a `value`");
  const declaration: ConfigDeclaration = {
    type: typeof type === "string" ? type : undefined,
    items: items === undefined ? undefined : readItems(key, items),
    description: typeof description === "string" ? description : undefined,
    default: fallback ?? fixed ?? undefined,
    secret: secret === true,
  };
  checkDeclaration(key, declaration);
  return declaration;
}

function readItems(key: string, items: StoredConfigValue): ConfigItems {
  if (!isConfigObject(items) || typeof items["type"] !== "string")
    throw invalidDeclaration(key, "has `items` without a `type`");
  return { type: items["type"], items: items["items"] === undefined ? undefined : readItems(key, items["items"]) };
}

function checkDeclaration(key: string, { type, items, default: fallback }: ConfigDeclaration): void {
  if (type === undefined) return;
  if (!types.includes(type))
    throw invalidDeclaration(key, `has the type \`${type}\`, which is not one of ${types.join(", ")}`);
  if (type === "array" && items === undefined) throw invalidDeclaration(key, "is an array: say of what in `items`");
  if (fallback !== undefined && !isOfType(fallback, type, items))
    throw invalidDeclaration(key, `has a default that is not of its type \`${typeName({ type, items })}\``);
}

function isText(value: StoredConfigValue): value is string | bigint | number | boolean {
  return (
    typeof value === "string" || typeof value === "boolean" || typeof value === "bigint" || Number.isInteger(value)
  );
}

function invalidDeclaration(key: string, what: string): Error {
  return new Error(`The project file's config key \`${key}\` ${what}.`);
}

/** A Pulumi project as its file declares it. */
export interface Project {
  name: string;
  runtime: { name: string; options: ConfigObject };
  /** Entry point relative to the project's folder, when it is not the folder itself. */
  main?: string | undefined;
  description?: string | undefined;
  /** Keys that the project declares for its stacks, as written: without a namespace they belong to the project. */
  config: { [key: string]: ConfigDeclaration };
  /** Operations read the live objects first, unless a flag says otherwise. */
  refresh: boolean;
  /** What the file asks for that the built-in engine does not do, or does not know. */
  unsupported?: string | undefined;
  /** Provider plugins in folders of their own, relative to the project's. */
  plugins: readonly { name: string; path: string; version?: string | undefined }[];
  /** The file's own `backend.url`; `PULUMI_BACKEND_URL` comes before it. */
  backendUrl?: string | undefined;
  /** Absolute path of Pulumi.yaml (.yml, .json). */
  file: string;
  /** Absolute folder of that file. */
  folder: string;
  /** Absolute folder in which its checkout begins: no link in it may lead a file of the project out. */
  checkout: string;
  /** Absolute folder of the `Pulumi.<stack>.yaml` files. */
  configFolder: string;
}

/**
 * The backend of a project, and the folder that a relative URL is relative to: the working directory for
 * `PULUMI_BACKEND_URL`, as with the Pulumi CLI, else the project's. Default: the project's folder.
 */
export function backendLocation(
  { folder, backendUrl }: Project,
  { cwd, env }: { cwd: string; env: { readonly [name: string]: string | undefined } },
): { url: string; cwd: string } {
  const override = env["PULUMI_BACKEND_URL"];
  return override ? { url: override, cwd } : { url: backendUrl || "file://.", cwd: folder };
}

const fileNames = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/** How a project file is looked for. */
export interface ProjectSearch {
  /** Default: this process's. */
  env?: Environment;
  files?: FileSystem;
  /** The user who started the command vouches for the project, even if another user owns it. */
  isTrusted?: boolean;
  users?: Users;
}

/** A project file above the folder of work that belongs to another user, who chooses what would run here. */
export class ForeignProjectError extends Error {
  override readonly name = "ForeignProject";
  constructor(file: string, owner: number) {
    const there = quotedCommand([...ownCommand], { placeholder: "command", flags: [["-C", dirname(file)]] });
    super(
      `${file} is not used: it is above the folder of work, and it or its folder belongs to another user (uid ${owner}). If you trust it, work in its folder, ${there}, or add --trust-project.`,
    );
  }
}

/**
 * Reads the project file in `cwd`, or in the nearest folder above it that has one. Throws for one above that belongs to
 * another user, unless the search is trusted.
 */
export async function readProject(cwd: string, search: ProjectSearch = {}): Promise<Project> {
  const { files = nodeFiles, env = process.env, isTrusted = false, users } = search;
  const start = resolve(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    for (const name of fileNames) {
      const file = join(folder, name);
      const bytes = await readIfExists(files, file);
      if (bytes === undefined) continue;
      const owner = isTrusted || folder === start ? undefined : foreignOwner(file, env, users);
      if (owner !== undefined) throw new ForeignProjectError(file, owner);
      const checkout = beginOfCheckout(folder, env);
      assertOfCheckout(file, checkout);
      return parseProject(bytes, file, checkout);
    }
    if (folder === dirname(folder))
      throw new Error(
        `There is no Pulumi.yaml in ${start} or above it. Change to the project's folder, or pass it with --cwd.`,
      );
  }
}

/** The project file, for a command of the built-in engine. Throws where it asks for more than that engine does. */
export async function readOwnProject(cwd: string, search: ProjectSearch = {}): Promise<Project> {
  const project = await readProject(cwd, search);
  if (project.unsupported !== undefined) throw new Error(`${project.unsupported} ${correctKeys}`);
  return project;
}

/** `Pulumi.<stack>.yaml`, with the project file's own extension. */
export function stackConfigPath(project: Project, stack: string): string {
  return join(project.configFolder, `Pulumi.${stack}${extname(project.file)}`);
}

/** The stacks with a config file. */
export async function configuredStacks(
  { configFolder, file }: Project,
  files: Pick<FileSystem, "list"> = nodeFiles,
): Promise<string[]> {
  const [start, end] = ["Pulumi.", extname(file)];
  return (await files.list(configFolder))
    .filter(({ name, isFolder }) => !isFolder && name.startsWith(start) && name.endsWith(end))
    .map(({ name }) => name.slice(start.length, -end.length))
    .filter(isName);
}

function parseProject(bytes: Buffer, file: string, checkout: string): Project {
  const value = yamlContent(decodeText(bytes, file), file);
  const { name, runtime, main, description, config, stackConfigDir, backend, options, plugins, packages } =
    isConfigObject(value) ? value : {};
  if (typeof name !== "string" || !isName(name))
    throw new Error(`${file} needs a \`name\` of 1 to 100 letters, digits, \`-\`, \`_\` and \`.\`.`);
  const folder = dirname(file);
  const configDir = typeof config === "string" ? config : stackConfigDir;
  const url = isConfigObject(backend) ? backend["url"] : undefined;
  return {
    name,
    runtime: readRuntime(runtime, file),
    main: textOf(main),
    description: typeof description === "string" ? description : undefined,
    config: readDeclarations(name, config),
    refresh: isConfigObject(options) && options["refresh"] === "always",
    unsupported: keyProblems(value, projectKeys, file),
    plugins: [...readPlugins(plugins), ...readPackages(packages)],
    backendUrl: textOf(url),
    file,
    folder,
    checkout,
    configFolder: typeof configDir === "string" ? resolve(folder, configDir) : folder,
  };
}

const textOf = (value: StoredConfigValue | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** `plugins.providers`: entries with `name` and `path`. */
function readPlugins(plugins: StoredConfigValue | undefined): Project["plugins"] {
  const entries = isConfigObject(plugins) && Array.isArray(plugins["providers"]) ? plugins["providers"] : [];
  return entries.flatMap((entry) => {
    const { name, path, version } = isConfigObject(entry) ? entry : {};
    if (typeof name !== "string" || typeof path !== "string") return [];
    return [{ name, path, version: typeof version === "string" ? version : undefined }];
  });
}

/** `packages`: what `pulumi package add` has written for a folder, `path`, `path@version` or an object with both. */
function readPackages(packages: StoredConfigValue | undefined): Project["plugins"] {
  const entries = isConfigObject(packages) ? Object.entries(packages) : [];
  return entries.flatMap(([name, entry]) => {
    const { source, version } = isConfigObject(entry) ? entry : {};
    const text = typeof entry === "string" ? entry : source;
    if (typeof text !== "string" || !/^\.{0,2}\//.test(text)) return [];
    const [, path, written] = /^(.*?)(?:@v?(\d+\.[^/@]*))?$/.exec(text)!;
    const requestedVersion = written ?? version;
    return [{ name, path: path!, version: textOf(requestedVersion) }];
  });
}

function readRuntime(runtime: StoredConfigValue | undefined, file: string): Project["runtime"] {
  if (typeof runtime === "string") return { name: runtime, options: {} };
  const { name, options } = isConfigObject(runtime) ? runtime : {};
  if (typeof name !== "string")
    throw new Error(`${file} needs a \`runtime\`, for a Node.js program \`runtime: nodejs\`.`);
  return { name, options: isConfigObject(options) ? options : {} };
}
