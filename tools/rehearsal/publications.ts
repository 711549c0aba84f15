import { existsSync } from "node:fs";
import { fingerprintOf, type LocalRegistry, sizeOf } from "./registry";
import { releaseCommand } from "./release-command";
import type { PublishedPackage } from "./report";
import { CommandError, type Sandbox } from "./sandbox";
import type { Steps } from "./steps";

/** What the publications have done so far. */
export interface Publications {
  packages: PublishedPackage[];
  refusals: string[];
}

/** Runs commands whose exit codes have meanings. */
type Publisher = Pick<Sandbox, "attempt">;

/** Runs the command that publishes to one registry; the workflow of a release runs the same. */
const publish = (sandbox: Publisher, release: string, registry: LocalRegistry, env = registry.env) =>
  sandbox.attempt(process.execPath, [...releaseCommand, "publish", registry.name, "--to", registry.address], {
    cwd: release,
    env,
  });

/**
 * Publishes what `release` has. Each run begins with the first registry and is cut off after one registry more than
 * the run before; a last run changes nothing. So every registry sees a cut behind it, and each publication again.
 */
export async function publishAll(
  sandbox: Publisher,
  steps: Steps,
  release: string,
  registries: readonly LocalRegistry[],
  { packages, refusals }: Publications,
): Promise<void> {
  for (let run = 0; run <= registries.length; run++)
    for (const [index, registry] of registries.slice(0, run + 1).entries()) {
      const isFirst = index === run;
      if (isFirst && registry.wrongCredentials)
        refusals.push(await refuseCredentials(sandbox, steps, release, registry));
      const entry = await publishOnce(sandbox, steps, release, registry, isFirst);
      if (isFirst) packages.push({ ...entry, runs: [...Array.from({ length: run }, () => "–" as const), "published"] });
      else packages[index] = { ...packages[index]!, runs: [...packages[index]!.runs, "unchanged"] };
    }
}

/** Publishes to a registry, and looks at what has become of its files. */
async function publishOnce(
  sandbox: Publisher,
  steps: Steps,
  release: string,
  registry: LocalRegistry,
  isFirst: boolean,
): Promise<Omit<PublishedPackage, "runs">> {
  const { name, address, storage } = registry;
  const before = contentsOf(registry);
  const { seconds } = await steps.during(`publishing to ${name}${isFirst ? "" : " again"}`, async () => {
    const { code, output } = await publish(sandbox, release, registry);
    if (code !== 0) throw new CommandError(commandLine(registry), code, output);
  });
  const isChanged = contentsOf(registry) !== before;
  if (isFirst && !isChanged) throw new Error(`the command succeeded, and nothing was published to ${address}`);
  if (!isFirst && isChanged) throw new Error(`publishing again changed files of ${address}`);
  return { registry: name, address, bytes: sizeOf(storage), seconds };
}

async function refuseCredentials(
  sandbox: Publisher,
  steps: Steps,
  release: string,
  registry: LocalRegistry,
): Promise<string> {
  const before = contentsOf(registry);
  const { value } = await steps.during(`publishing to ${registry.name} with a wrong token`, () =>
    publish(sandbox, release, registry, registry.wrongCredentials),
  );
  if (value.code === 0 || contentsOf(registry) !== before)
    throw new Error(`${registry.address} accepted a publication with a wrong token`);
  return `${registry.name}: a wrong token: exit code ${value.code}`;
}

const commandLine = ({ name, address }: LocalRegistry): string =>
  `node dist/tools/release.js publish ${name} --to ${address}`;

const contentsOf = ({ storage }: LocalRegistry): string => (existsSync(storage) ? fingerprintOf(storage) : "");
