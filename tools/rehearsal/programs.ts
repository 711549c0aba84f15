import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { manifest, packageRoot } from "../../io/files/package";
import { archiveOf, hostPlatform, sha256 } from "../executables";
import { goModule } from "../publisher";
import {
  type ArchiveServer,
  type GoOrigin,
  type LocalRegistry,
  type PythonIndex,
  sizeOf,
  userWith,
} from "./registries";
import type { Installation, Steps } from "./report";
import type { Place, Sandbox } from "./sandbox";

const account = "demo";
const apiKey = "demo-key";

/** The service that every program of a rehearsal talks to. */
interface RehearsalService {
  /** Variables and settings with which a program finds the service and keeps its state in its folder. */
  env: Readonly<Record<string, string>>;
  /** Names of live objects. */
  objects(): Promise<string[]>;
}

/** Starts the emulator of an installed package: `command` and `args` run its command line. */
async function startService(
  sandbox: Sandbox,
  [command, ...args]: readonly [string, ...string[]],
  place: Place,
): Promise<RehearsalService> {
  const options = ["--port", "0", "--speed", "600", "--account", `${account}=${apiKey}`];
  const line = await sandbox.serve(command, [...args, "emulator", ...options], place);
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`the emulator does not print its address, but: ${line}`);
  return {
    env: {
      MODELPLATFORM_BASE_URL: url,
      MODELPLATFORM_ACCOUNT_ID: account,
      MODELPLATFORM_API_KEY: apiKey,
      PULUMI_BACKEND_URL: "file://.",
      PULUMI_CONFIG_PASSPHRASE: "only-for-the-emulator",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // Everything that a program needs has been installed, from this machine.
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    },
    async objects() {
      const response = await fetch(`${url}/_emulator/objects`);
      const { objects } = (await response.json()) as { objects: Record<string, { state?: string }> };
      return Object.entries(objects)
        .filter(([name, { state = "" }]) => name.startsWith(`accounts/${account}/`) && !state.endsWith("DELETED"))
        .map(([name]) => name)
        .sort();
    },
  };
}

/** Runs one command of an engine; the CLI and the built-in engine take the same. */
type EngineCommand = (...args: string[]) => Promise<string>;

/** The commands that every program is taken through, as the report names them. */
const lifeCycle = "preview, up, clean preview, destroy";

/** Names of the objects in a state that was exported: ids of resources with a service behind them. */
const recordedObjects = (exported: string): string[] => {
  const { deployment } = JSON.parse(exported) as { deployment: { resources?: { id?: string }[] } };
  return (deployment.resources ?? []).flatMap(({ id }) => (id?.startsWith("accounts/") ? [id] : []));
};

/** Takes a program from its first preview to its end, and looks at the service after each change. */
export async function playLifeCycle(
  engine: EngineCommand,
  service: RehearsalService,
  more: readonly string[] = [],
): Promise<void> {
  await engine("stack", "init", "dev");
  await engine("preview");
  await engine("up", "--yes");
  const names = recordedObjects(await engine("stack", "export"));
  const live = await service.objects();
  const missing = names.filter((name) => !live.includes(name));
  if (names.length === 0 || missing.length > 0)
    throw new Error(`\`up\` succeeded, and the service does not have ${missing.join(", ") || "anything of it"}`);
  for (const command of more) await engine(command);
  await engine("preview", "--refresh", "--expect-no-changes");
  await engine("destroy", "--yes");
  const left = (await service.objects()).filter((name) => names.includes(name));
  if (left.length > 0) throw new Error(`\`destroy\` succeeded, and the service still has ${left.join(", ")}`);
}

/**
 * Installs the plugin for a user from the server of archives, by its published checksum. `--checksum` of the Pulumi
 * CLI 3.260 leaves out what arrives together with the end of a response, as it does over HTTP/1.1 with a length.
 */
async function installPlugin(sandbox: Sandbox, user: Place, archives: ArchiveServer): Promise<void> {
  const { version } = manifest();
  const archive = archiveOf(hostPlatform(), version);
  const response = await fetch(`${archives.url}/${archive}`);
  assertChecksum(archive, archives.checksumOf(archive), Buffer.from(await response.arrayBuffer()));
  await sandbox.run(
    "pulumi",
    ["plugin", "install", "resource", "modelplatform", version, "--server", archives.url],
    user,
  );
}

/** Rejects a file that is not the one whose checksum was published. */
export function assertChecksum(name: string, published: string, content: Buffer): void {
  const actual = sha256(content);
  if (actual !== published) throw new Error(`${name} has the SHA-256 ${actual}, and ${published} was published`);
}

const program = `package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"${goModule}/modelplatform"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		ada, err := modelplatform.NewUser(ctx, "ada", &modelplatform.UserArgs{
			Email: pulumi.String("ada@example.com"),
			Role:  modelplatform.UserRoleContributor,
		})
		if err != nil {
			return err
		}
		ctx.Export("ada", ada.Name)
		return nil
	})
}
`;

/** Gets the Go module in an empty folder, and runs a program with it on the Pulumi CLI. */
export async function rehearseGo(
  sandbox: Sandbox,
  steps: Steps,
  { go, archives, service }: { go: GoOrigin; archives: ArchiveServer; service: RehearsalService },
): Promise<Installation> {
  const cwd = sandbox.newFolder("go-user", "program");
  const user = { cwd, env: { ...sandbox.home("go-user"), ...go.go, ...service.env } };
  const requirement = `${goModule}@v${manifest().version}`;
  sandbox.write("name: people\nruntime: go\n", "go-user", "program", "Pulumi.yaml");
  sandbox.write(program, "go-user", "program", "main.go");
  const install = await steps.during(`getting ${requirement} by Go, and the plugin`, async () => {
    await sandbox.run("go", ["mod", "init", "people"], user);
    await sandbox.run("go", ["get", requirement], user);
    await sandbox.run("go", ["mod", "tidy"], user);
    await installPlugin(sandbox, user, archives);
  });
  const life = await steps.during("running a program in Go, whose first compile takes minutes", () =>
    playLifeCycle((...args) => sandbox.run("pulumi", args, user), service),
  );
  return {
    what: `go get ${requirement}`,
    bytes: sizeOf(join(user.env["HOME"]!, "go")),
    seconds: install.seconds + life.seconds,
    ran: `a program on the Pulumi CLI: ${lifeCycle}`,
  };
}

/** The program of the README: its first one in TypeScript. */
export function programOf(readme: string): string {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  if (program !== undefined) return program;
  throw new Error("README.md has no program: no block that begins with ```ts");
}

/** What a lock file has to say about our package: the tarball that was published, from the local registry. */
export function assertFromRegistry(lock: string, name: string, registry: string, tarball: Buffer): void {
  const { packages } = JSON.parse(lock) as { packages: Record<string, { resolved?: string; integrity?: string }> };
  const { resolved = "nowhere", integrity } = packages[`node_modules/${name}`] ?? {};
  const published = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  if (!resolved.startsWith(registry))
    throw new Error(`${name} was installed from ${resolved}, and not from ${registry}`);
  if (integrity !== published) throw new Error(`${name} was installed as ${integrity}, and published as ${published}`);
}

/** Installs the package in an empty folder, and runs README's program on the built-in engine. */
export async function rehearseNpm(
  sandbox: Sandbox,
  steps: Steps,
  registry: LocalRegistry,
  tarball: string,
): Promise<{ installation: Installation; service: RehearsalService }> {
  const { name, version } = manifest();
  const cwd = sandbox.newFolder("npm-user", "program");
  const user: Place = { cwd, env: userWith(sandbox, "npm-user", registry.address) };
  const packages = [name, "@pulumi/pulumi", "typescript@5"];
  const install = await steps.during(`installing ${name} by npm`, async () => {
    await sandbox.run("npm", ["init", "-y"], user);
    await sandbox.run("npm", ["pkg", "set", "main=index.ts"], user);
    await sandbox.run("npm", ["install", ...packages], { ...user, env: { ...user.env, ...keepsSources } });
    assertFromRegistry(
      readFileSync(join(cwd, "package-lock.json"), "utf8"),
      name,
      registry.address,
      readFileSync(tarball),
    );
  });
  sandbox.write("name: shop\nruntime: nodejs\n", "npm-user", "program", "Pulumi.yaml");
  sandbox.write(programOf(readFileSync(join(packageRoot, "README.md"), "utf8")), "npm-user", "program", "index.ts");
  const commandLine = ["npx", "--no", name] as const;
  const { value: service } = await steps.during("starting the emulator of the installed package", () =>
    startService(sandbox, commandLine, user),
  );
  const engine = (...args: string[]) =>
    sandbox.run(commandLine[0], [...commandLine.slice(1), ...args], { cwd, env: { ...user.env, ...service.env } });
  const life = await steps.during("running README's program on the built-in engine", () =>
    playLifeCycle(engine, service, ["drift"]),
  );
  const installation = {
    what: `npm install ${name} (${version})`,
    bytes: sizeOf(join(cwd, "node_modules")),
    seconds: install.seconds + life.seconds,
    ran: `README's program on the built-in engine: ${lifeCycle}, drift`,
  };
  return { installation, service };
}

/** A user's own setting may leave out of a lock file where packages came from; this one is looked at. */
const keepsSources = { npm_config_omit_lockfile_registry_resolved: "false" };

const project = "name: people\nruntime:\n  name: python\n  options:\n    virtualenv: venv\n";
const pythonProgramProgram = `import pulumi
import pulumi_modelplatform as modelplatform

ada = modelplatform.User("ada", email="ada@example.com", role=modelplatform.UserRole.CONTRIBUTOR)
pulumi.export("ada", ada.name)
`;

/** What pip has to report about our package: the wheel that was published, from the local index. */
export function assertFromIndex(report: string, name: string, index: string, wheel: Buffer): void {
  const { install } = JSON.parse(report) as { install: InstalledPackage[] };
  const entry = install.find(({ metadata }) => metadata.name.replaceAll("_", "-") === name);
  if (entry === undefined) throw new Error(`pip reports no installation of ${name}`);
  const { url, archive_info: archive } = entry.download_info;
  const published = createHash("sha256").update(wheel).digest("hex");
  if (!url.startsWith(index)) throw new Error(`${name} was installed from ${url}, and not from ${index}`);
  if (archive.hashes.sha256 !== published)
    throw new Error(`${name} was installed as ${archive.hashes.sha256}, and published as ${published}`);
}

interface InstalledPackage {
  metadata: { name: string };
  download_info: { url: string; archive_info: { hashes: { sha256: string } } };
}

/** Installs the Python SDK in an empty folder, and runs a program with it on the Pulumi CLI. */
export async function rehearsePython(
  sandbox: Sandbox,
  steps: Steps,
  { python, archives, service }: { python: PythonIndex; archives: ArchiveServer; service: RehearsalService },
): Promise<Installation> {
  const cwd = sandbox.newFolder("python-user", "program");
  const user = { cwd, env: { ...sandbox.home("python-user"), ...python.pip, ...service.env } };
  const requirement = `${manifest().name}==${manifest().version}`;
  const install = await steps.during(`installing ${requirement} by pip, and the plugin`, async () => {
    await sandbox.run("python3", ["-m", "venv", "venv"], user);
    await sandbox.run(join(cwd, "venv", "bin", "pip"), ["install", "--report", "report.json", requirement], user);
    const wheel = readdirSync(python.storage).find((file) => file.endsWith(".whl"))!;
    const report = readFileSync(join(cwd, "report.json"), "utf8");
    assertFromIndex(report, manifest().name, python.address, readFileSync(join(python.storage, wheel)));
    await installPlugin(sandbox, user, archives);
  });
  sandbox.write(project, "python-user", "program", "Pulumi.yaml");
  sandbox.write(pythonProgramProgram, "python-user", "program", "__main__.py");
  const life = await steps.during("running a program in Python", () =>
    playLifeCycle((...args) => sandbox.run("pulumi", args, user), service),
  );
  return {
    what: `pip install ${requirement}`,
    bytes: sizeOf(join(cwd, "venv")),
    seconds: install.seconds + life.seconds,
    ran: `a program on the Pulumi CLI: ${lifeCycle}`,
  };
}
