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
    if (code !== 0) throw new CommandError(commandLine(registry), code, output);
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
  if (reason === undefined) throw new CommandError(commandLine(registry), value.code, value.output);
  return `${registry.name}: a wrong token: exit code ${value.code}, ${reason}`;
}

const commandLine = ({ name, address }: LocalRegistry): string =>
  `node dist/tools/release.js publish ${name} --to ${address}`;

const contentsOf = ({ storage }: LocalRegistry): string => (existsSync(storage) ? fingerprintOf(storage) : "");
