import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { manifest, packageRoot } from "../../io/files/package";
import { type RehearsalService, startService } from "./emulator";
import { lifeCycle, playLifeCycle } from "./life-cycle";
import { userWith } from "./npm-registry";
import { type LocalRegistry, sizeOf } from "./registry";
import type { Installation } from "./report";
import type { Place, Sandbox } from "./sandbox";
import type { Steps } from "./steps";

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
