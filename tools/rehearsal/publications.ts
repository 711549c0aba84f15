import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../io/files/package";
import { hostPlatform, nameOf, releaseFolder } from "../executables";
import { fingerprintOf, type LocalRegistry, sizeOf } from "./registries";
import type { PublishedPackage, Steps } from "./report";
import { type Place, type Sandbox, SandboxCommandError } from "./sandbox";

/** The command line that builds a release and publishes it, as the workflow of a release runs it. */
const releaseCommand: readonly string[] = [join(packageRoot, "dist", "tools", "release.js")];

/** The part of a rehearsal: what Node.js alone can do, or everything. */
export type RehearsalPart = "npm" | "everything";

/** A copy of the built release: what is published from it is not recorded in the checkout. */
export interface BuiltRelease {
  /** Where the command that publishes runs; it has `.release`. */
  folder: string;
  /** The path of the npm package. */
  tarball: string;
  hasPython: boolean;
  hasGo: boolean;
  /** What could not be built, as sentences. */
  missing: readonly string[];
}

/** Builds a release, and copies what is published of it. */
export async function buildRelease(part: RehearsalPart, sandbox: Sandbox, here: Place): Promise<BuiltRelease> {
  const what = part === "npm" ? "npm" : nameOf(hostPlatform());
  const stdout = await sandbox.run(process.execPath, [...releaseCommand, "build", what], here);
  const { npm, missing } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as { npm: string; missing: string[] };
  const folder = sandbox.newFolder("release");
  const everything = part === "npm" ? [] : ["archives", "sdks"];
  for (const name of [npm, ...everything]) sandbox.copy(join(releaseFolder, name), "release", ".release", name);
  const copy = join(folder, ".release");
  const has = (language: string): boolean => existsSync(join(copy, "sdks", language));
  return { folder, tarball: join(copy, npm), hasPython: has("pypi"), hasGo: has("go"), missing };
}

/** What the publications have done so far. */
export interface Publications {
  packages: PublishedPackage[];
  refusals: string[];
}

/** Where and with what the publications run. */
interface PublishingContext {
  sandbox: Pick<Sandbox, "attempt">;
  steps: Steps;
  /** The folder with the built release. */
  release: string;
}

/** Runs the command that publishes to one registry; the workflow of a release runs the same. */
const publish = ({ sandbox, release }: PublishingContext, registry: LocalRegistry, env = registry.env) =>
  sandbox.attempt(process.execPath, [...releaseCommand, "publish", registry.name, "--to", registry.address], {
    cwd: release,
    env,
  });

/**
 * Publishes a release. Each run begins with the first registry and is cut off after one registry more than the run
 * before; a last run changes nothing. So every registry sees a cut behind it, and each publication again.
 */
export async function publishAll(
  context: PublishingContext,
  registries: readonly LocalRegistry[],
  { packages, refusals }: Publications,
): Promise<void> {
  for (let run = 0; run <= registries.length; run++)
    for (const [index, registry] of registries.slice(0, run + 1).entries()) {
      const isFirst = index === run;
      if (isFirst && registry.wrongCredentials) refusals.push(await refuseCredentials(context, registry));
      const entry = await publishOnce(context, registry, isFirst);
      if (isFirst) packages.push({ ...entry, runs: [...Array.from({ length: run }, () => "–" as const), "published"] });
      else packages[index] = { ...packages[index]!, runs: [...packages[index]!.runs, "unchanged"] };
    }
}

/** Publishes to a registry, and looks at what has become of its files. */
async function publishOnce(
  context: PublishingContext,
  registry: LocalRegistry,
  isFirst: boolean,
): Promise<Omit<PublishedPackage, "runs">> {
  const { name, address, storage } = registry;
  const before = contentsOf(registry);
  const { seconds } = await context.steps.during(`publishing to ${name}${isFirst ? "" : " again"}`, async () => {
    const { code, output } = await publish(context, registry);
    if (code !== 0) throw new SandboxCommandError(commandLine(registry), code, output);
  });
  const isChanged = contentsOf(registry) !== before;
  if (isFirst && !isChanged) throw new Error(`the command succeeded, and nothing was published to ${address}`);
  if (!isFirst && isChanged) throw new Error(`publishing again changed files of ${address}`);
  return { registry: name, address, bytes: sizeOf(storage), seconds };
}

async function refuseCredentials(context: PublishingContext, registry: LocalRegistry): Promise<string> {
  const before = contentsOf(registry);
  const { value } = await context.steps.during(`publishing to ${registry.name} with a wrong token`, () =>
    publish(context, registry, registry.wrongCredentials),
  );
  if (value.code === 0 || contentsOf(registry) !== before)
    throw new Error(`${registry.address} accepted a publication with a wrong token`);
  const reason = /\bE?40[13]\b[^\n]*/.exec(value.output)?.[0];
  if (reason === undefined) throw new SandboxCommandError(commandLine(registry), value.code, value.output);
  return `${registry.name}: a wrong token: exit code ${value.code}, ${reason}`;
}

const commandLine = ({ name, address }: LocalRegistry): string =>
  `node dist/tools/release.js publish ${name} --to ${address}`;

const contentsOf = ({ storage }: LocalRegistry): string => (existsSync(storage) ? fingerprintOf(storage) : "");
