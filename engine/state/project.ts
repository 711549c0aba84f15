import { dirname, extname, join, resolve } from "node:path";
import { type FileSystem, nodeFiles, readIfExists } from "../../io/files/durable";
import { type ConfigDeclaration, readDeclarations } from "./config-declaration";
import { type ConfigObject, isConfigObject, type StoredConfigValue, yamlContent } from "./config-value";
import { isName } from "./layout";

/** A Pulumi project as its file declares it. */
export interface Project {
  name: string;
  runtime: { name: string; options: ConfigObject };
  /** Entry point relative to the project's folder, when it is not the folder itself. */
  main?: string | undefined;
  description?: string | undefined;
  /** Keys that the project declares for its stacks, as written: without a namespace they belong to the project. */
  config: { [key: string]: ConfigDeclaration };
  /** Provider plugins in folders of their own, relative to the project's. */
  plugins: readonly { name: string; path: string; version?: string | undefined }[];
  /** The file's own `backend.url`; `PULUMI_BACKEND_URL` comes before it. */
  backendUrl?: string | undefined;
  /** Absolute path of Pulumi.yaml (.yml, .json). */
  file: string;
  /** Absolute folder of that file. */
  folder: string;
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

/** Reads the project file in `cwd`, or in the nearest folder above it that has one. */
export async function readProject(cwd: string, files: FileSystem = nodeFiles): Promise<Project> {
  const start = resolve(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    for (const name of fileNames) {
      const bytes = await readIfExists(files, join(folder, name));
      if (bytes !== undefined) return parseProject(bytes.toString("utf8"), join(folder, name));
    }
    if (folder === dirname(folder))
      throw new Error(
        `There is no Pulumi.yaml in ${start} or above it. Change to the project's folder, or pass it with --cwd.`,
      );
  }
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

function parseProject(text: string, file: string): Project {
  const value = yamlContent(text.replace(/^\uFEFF/, ""), file);
  const { name, runtime, main, description, config, stackConfigDir, backend, plugins, packages } = isConfigObject(value)
    ? value
    : {};
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
    plugins: [...readPlugins(plugins), ...readPackages(packages)],
    backendUrl: textOf(url),
    file,
    folder,
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
