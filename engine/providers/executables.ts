import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { canReplace, compareVersions } from "../../io/text/version";
import { unsupportedError } from "../errors";
import type { Project } from "../state/project";
import { dynamicPackage, type PropertyMap } from "../state/resource-state";
import type { ResolvedConfig } from "../state/stack-config";
import { makeSecret, stripSecrets } from "../values/values";
import type { Launch } from "./plugins";

/** Where to look for a provider's executable: nothing is ever downloaded. */
interface SearchPaths {
  project: Pick<Project, "folder" | "plugins">;
  env: NodeJS.ProcessEnv;
}

/**
 * The executable of a provider: where the project says, on PATH, or among the plugins that Pulumi has installed, in
 * Pulumi's own order. Throws if none is installed.
 */
export function executableOf(pkg: string, version: string | undefined, { project, env }: SearchPaths): string {
  const named = project.plugins.filter(({ name }) => name === pkg);
  const configured = named.find(
    (plugin) => version === undefined || plugin.version === undefined || plugin.version === version,
  );
  if (configured) {
    const folder = resolve(project.folder, configured.path);
    const executable = executableIn(folder, pkg);
    if (executable) return executable;
    throw new Error(
      `Pulumi.yaml names ${folder} as the folder of the provider plugin "${pkg}", and there is no ${fileOf(pkg)} in it. Install the package that brings it, or correct the path.`,
    );
  }
  const isAmbient = !/^(1|true)$/i.test(env["PULUMI_IGNORE_AMBIENT_PLUGINS"] ?? "");
  const ambient = isAmbient ? (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "") : [];
  const installed = installedFolders(join(homeOf(env), "plugins"), pkg, version);
  for (const folder of [...ambient, ...installed]) {
    const executable = executableIn(folder, pkg);
    if (executable) return executable;
  }
  throw missingExecutableError(pkg, version, env);
}

const homeOf = (env: NodeJS.ProcessEnv): string => env["PULUMI_HOME"] || join(env["HOME"] || homedir(), ".pulumi");

const fileOf = (pkg: string): string => `pulumi-resource-${pkg}`;

const executableIn = (folder: string, pkg: string): string | undefined =>
  (process.platform === "win32" ? [".exe", ".cmd"] : [""])
    .map((extension) => join(folder, fileOf(pkg) + extension))
    .find(existsSync);

/** Newest first. For a requested version, those that satisfy it. */
function installedFolders(plugins: string, pkg: string, version: string | undefined): string[] {
  const prefix = `resource-${pkg}-v`;
  const folders = existsSync(plugins) ? readdirSync(plugins).filter((name) => name.startsWith(prefix)) : [];
  return folders
    .map((name) => ({ name, offered: name.slice(prefix.length) }))
    .filter(({ offered }) => version === undefined || canReplace(offered, version))
    .sort((a, b) => compareVersions(b.offered, a.offered))
    .map(({ name }) => join(plugins, name));
}

function missingExecutableError(pkg: string, version: string | undefined, env: NodeJS.ProcessEnv): Error {
  const description = version === undefined ? `"${pkg}"` : `"${pkg}" in version ${version} or newer`;
  const searched = `\`plugins\` in Pulumi.yaml, PATH and ${join(homeOf(env), "plugins")}`;
  return new Error(
    `${unsupportedError(`The provider plugin ${description}, which is not on this machine,`).message} It downloads nothing, and looked in ${searched}.`,
  );
}

interface LaunchOptions {
  project: Project;
  env: NodeJS.ProcessEnv;
  /** The package's settings in the stack's config. */
  stackConfig: PropertyMap;
}

/** How to start a package's plugin, as the CLI does. Throws if its executable is missing. */
export function pluginLaunch(pkg: string, config: PropertyMap, { project, env, stackConfig }: LaunchOptions): Launch {
  const version = typeof config["version"] === "string" ? config["version"] : undefined;
  return {
    title: `the provider plugin "${pkg}"`,
    command: executableOf(pkg, version, { project, env }),
    args: [],
    env: packageEnvironment(project, stackConfig),
    supportsCancel: true,
  };
}

/** The environment of a package's provider, as the CLI sets it. */
export const packageEnvironment = ({ name }: Project, stackConfig: PropertyMap): Record<string, string> => ({
  PULUMI_PROJECT: name,
  PULUMI_CONFIG: JSON.stringify(stripSecrets(stackConfig)),
});

/**
 * A default provider's configuration: the dynamic one gets the whole stack's, with
 * namespaced keys; others their own, without.
 */
export function configOf(pkg: string, { values, secretKeys }: ResolvedConfig): PropertyMap {
  const all = Object.entries(values).map(([key, value]): [string, PropertyMap[string]] => [
    key,
    secretKeys.includes(key) ? makeSecret(value) : value,
  ]);
  if (pkg === dynamicPackage) return Object.fromEntries(all);
  return Object.fromEntries(
    all.filter(([key]) => key.startsWith(`${pkg}:`)).map(([key, value]) => [key.slice(pkg.length + 1), value]),
  );
}
