import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { executableOf } from "../../../engine/providers/executables";
import type { Project } from "../../../engine/state/project";
import { providerType } from "../../../engine/state/resource-state";
import { ceilings, readText } from "../../../io/files/read";
import { realPath } from "../../../io/paths";
import { quotedCommand } from "../../../io/text/command-line";
import { canReplace, compareVersions } from "../../../io/text/version";
import { messageOf } from "../../../provider/core/errors";
import { packageName } from "../../../provider/core/pulumi-names";
import { type DoctorFinding, error, ok, warning } from "./finding";

export interface Machine {
  /** Version of Node.js, such as `20.19.0`. */
  node: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder of the program. */
  cwd: string;
  /** Folder of this package. */
  package: string;
  /** Runs a program without a shell; rejects if it is missing or fails. */
  run(file: string, args: readonly string[]): Promise<string>;
}

interface Manifest {
  name: string;
  version: string;
  engines?: { node?: string };
  peerDependencies?: Record<string, string>;
}

/** Node.js, this package, Pulumi's SDK and CLI. */
export async function machineFindings(machine: Machine): Promise<DoctorFinding[]> {
  const manifest = (await manifestIn(machine.package))!;
  return [
    nodeFinding(machine.node, manifest),
    await packageFinding(machine, manifest),
    await sdkFinding(machine, manifest),
    await cliFinding(machine),
  ];
}

function nodeFinding(version: string, { engines }: Manifest): DoctorFinding {
  const least = engines?.node?.replace(/^\D+/, "") ?? "0";
  if (compareVersions(version, least) >= 0) return ok("Node.js", version);
  return error("Node.js", `${version}, and ${least} is needed`, `Install Node.js ${least} or later.`);
}

/** Programs and providers load the package from the program's folder, whichever one runs this command. */
async function packageFinding({ cwd, ...machine }: Machine, { name, version }: Manifest): Promise<DoctorFinding> {
  const installed = await versionIn(cwd, name);
  if (installed === undefined)
    return warning(
      name,
      `${version}; none is installed in ${cwd}`,
      `In the folder of a program, run ${quotedCommand(["npm", "install", name])}.`,
    );
  if (installed === version) return ok(name, version);
  return warning(
    name,
    `${version} here (${machine.package}), ${installed} in ${cwd}`,
    "Use one version: run the command that is installed with the program, `npx pulumi-modelplatform`.",
  );
}

async function sdkFinding({ cwd, package: own }: Machine, { peerDependencies }: Manifest): Promise<DoctorFinding> {
  const sdk = "@pulumi/pulumi";
  const range = peerDependencies?.[sdk] ?? "";
  const version = (await versionIn(cwd, sdk)) ?? (await versionIn(own, sdk));
  if (version === undefined)
    return error("Pulumi SDK", `${sdk} is not installed in ${cwd}`, `Run ${quotedCommand(["npm", "install", sdk])}.`);
  const least = range.replace(/^\D+/, "");
  if (canReplace(version, least)) return ok("Pulumi SDK", version);
  return error(
    "Pulumi SDK",
    `${version}, and ${range} is needed`,
    `Run ${quotedCommand(["npm", "install", `${sdk}@${range}`])}.`,
  );
}

async function cliFinding({ env, run }: Machine): Promise<DoctorFinding> {
  let version: string;
  try {
    version = (await run("pulumi", ["version"])).trim();
  } catch {
    return ok("Pulumi CLI", "none on PATH; stacks can be run with the built-in engine, `npx pulumi-modelplatform up`");
  }
  const folders = (env["PATH"] ?? "").split(delimiter);
  const hasLauncher = folders.some((folder) => existsSync(join(folder, "pulumi-resource-pulumi-nodejs")));
  if (hasLauncher) return ok("Pulumi CLI", version);
  return warning(
    "Pulumi CLI",
    `${version}, without \`pulumi-resource-pulumi-nodejs\` on PATH, which runs dynamic providers`,
    "Install Pulumi's complete release, not just the `pulumi` binary.",
  );
}

/** The version of a package as a program in `folder` would load it. */
async function versionIn(folder: string, name: string): Promise<string | undefined> {
  try {
    const file = createRequire(join(folder, "index.js")).resolve(`${name}/package.json`);
    return (await manifestIn(dirname(file)))?.version;
  } catch {
    return undefined;
  }
}

/** The manifest of the package in that very folder; undefined if it is missing. */
const manifestIn = (folder: string): Promise<Manifest | undefined> =>
  readText(join(folder, "package.json"), ceilings.settings)
    .then((text) => JSON.parse(text) as Manifest)
    .catch(() => undefined);

const npmPackage = `pulumi-${packageName}`;

/** Whether the project says where this package's plugin is. */
export const namesPlugin = ({ plugins }: Pick<Project, "plugins">): boolean =>
  plugins.some(({ name }) => name === packageName);

/** Whether a state holds a provider that the plugin serves. */
const isServed = (recorded: ReadonlyMap<string, string>): boolean =>
  [...recorded.keys()].some((urn) => urn.includes(`::${providerType(packageName)}::`));

/**
 * The provider plugin, where the project or its state needs it: whether an engine finds it, and whether it is of the
 * package's own version. It is looked at, and not run.
 */
export async function pluginFindings(
  project: Pick<Project, "folder" | "plugins">,
  env: NodeJS.ProcessEnv,
  recorded: ReadonlyMap<string, string> = new Map(),
): Promise<DoctorFinding[]> {
  if (!namesPlugin(project) && !isServed(recorded)) return [];
  let executable: string;
  try {
    executable = executableOf(packageName, undefined, { project, env });
  } catch (cause) {
    return [
      error(
        "plugin",
        messageOf(cause),
        `Run ${quotedCommand(["npm", "install", npmPackage])}, and name \`node_modules/${npmPackage}/plugin\` in Pulumi.yaml.`,
      ),
    ];
  }
  const version = await versionOf(executable);
  const own = await versionIn(project.folder, npmPackage);
  if (version === undefined || own === undefined || version === own)
    return [ok("plugin", version === undefined ? executable : `${version}, ${executable}`)];
  return [
    warning(
      "plugin",
      `${version} at ${executable}, and the program's package is ${own}`,
      `Use the plugin that comes with the package: name \`node_modules/${npmPackage}/plugin\` in Pulumi.yaml, or install it again.`,
    ),
  ];
}

/** Pulumi names the folders of installed plugins by version; elsewhere the package around the file says it. */
async function versionOf(executable: string): Promise<string | undefined> {
  const folder = dirname(realPath(executable));
  return /-v(\d+\.\d+\.\d.*)/s.exec(basename(folder))?.[1] ?? (await versionAbove(folder));
}

async function versionAbove(folder: string): Promise<string | undefined> {
  const { name, version } = (await manifestIn(folder)) ?? {};
  if (name === npmPackage) return version;
  return dirname(folder) === folder ? undefined : versionAbove(dirname(folder));
}
