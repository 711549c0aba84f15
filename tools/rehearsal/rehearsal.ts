import { constants, tmpdir } from "node:os";
import { manifest } from "../../io/files/package";
import { rehearseGo, rehearseNpm, rehearsePython } from "./programs";
import { type BuiltRelease, buildRelease, type Publications, publishAll, type RehearsalPart } from "./publications";
import { type LocalRegistry, openArchiveServer, openGoOrigin, openNpmRegistry, openPythonIndex } from "./registries";
import { type Installation, type RehearsalReport, renderReport, Steps } from "./report";
import { type Place, Sandbox, SandboxCommandError } from "./sandbox";

/** Why a step failed, as far as its output says, and what helps. */
const causes: readonly [pattern: RegExp, advice: (place: string) => string][] = [
  [/ENOSPC|No space left on device|disk quota|EDQUOT/i, (folder) => `The disk is full. Free space for ${folder}`],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network|name resolution|no such host|dial tcp/i,
    () => "A registry was not reached. Check the network, and the registries that npm, pip and Go are configured with",
  ],
  [
    /\bE?40[13]\b|Unauthorized|Forbidden|ENEEDAUTH|authenticat/i,
    () => "The registry refused the token. Check which credentials the step has",
  ],
  [/ENOENT: there is no such program|spawnSync \S+ ENOENT/, () => "The program is not on the PATH. Install it"],
  // The ending alone.
  [/^\S+\n$/, () => "It printed nothing: run it by itself"],
];

/** A rehearsal that a step ended. */
export interface Stop {
  step: string;
  error: unknown;
  /** Registries with a publication, in order. */
  published: readonly string[];
  /** Where the rehearsal writes. */
  folder: string;
  /** The command line that begins again. */
  again: string;
}

/** The step, what answered, what had been published before it, and how to go on. */
export function describeStop({ step, error, published, folder, again }: Stop): string {
  const text = error instanceof Error ? error.message : String(error);
  const isCommand = error instanceof SandboxCommandError;
  const [, advice] =
    causes.find(([pattern]) => pattern.test(isCommand ? `${error.ending}\n${error.output}` : text)) ?? [];
  return [
    `The rehearsal stopped while ${step}: ${text}`,
    published.length === 0 ? "Nothing had been published." : `Published before: ${published.join(", ")}.`,
    `${advice?.(folder) ?? "Read the output above"}, and run \`${again}\` again: its registries begin empty.`,
  ].join("\n");
}

/** Publishes a release to registries on this machine and installs it from there; the exit code. */
export async function rehearse(parts: readonly string[], temporary = tmpdir()): Promise<number> {
  const part = parts.length === 0 ? "everything" : parts.join(" ");
  if (part !== "everything" && part !== "npm") {
    console.error(`\`--rehearse\` takes \`npm\` or nothing, and not \`${part}\``);
    return 64;
  }
  const steps = new Steps(Date.now, (step) => console.error(`Now ${step} …`));
  const publications: Publications = { packages: [], refusals: [] };
  let sandbox: Sandbox | undefined;
  try {
    sandbox = openSandbox(temporary);
    console.log(renderReport(await play(part, sandbox, steps, publications)));
    return 0;
  } catch (error) {
    const published = publications.packages.map(({ registry }) => registry);
    const again = ["npm run release -- --rehearse", ...parts].join(" ");
    console.error(describeStop({ step: steps.current, error, published, folder: sandbox?.folder ?? temporary, again }));
    return 1;
  } finally {
    sandbox?.close();
  }
}

/** A sandbox that a signal closes, too: an exit of any kind does. */
function openSandbox(temporary: string): Sandbox {
  const sandbox = new Sandbox(temporary);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  return sandbox;
}

async function play(
  part: RehearsalPart,
  sandbox: Sandbox,
  steps: Steps,
  publications: Publications,
): Promise<RehearsalReport> {
  // Below an npm that is to be silent, npm says nothing of what fails either.
  const env = { ...process.env, npm_config_loglevel: "notice" } as Record<string, string>;
  const here: Place = { cwd: sandbox.folder, env };
  const { value: release } = await steps.during("building the release", () => buildRelease(part, sandbox, here));
  const { value: registries } = await steps.during("starting the registries", () =>
    openRegistries(part, release, sandbox, here),
  );
  const { archives, npm, python, go } = registries;
  const inOrder = [archives, npm, python, go].flatMap((each): LocalRegistry[] => (each ? [each] : []));
  await publishAll({ sandbox, steps, release: release.folder }, inOrder, publications);
  const { installation, service } = await rehearseNpm(sandbox, steps, npm, release.tarball);
  const installations: Installation[] = [installation];
  if (archives && python) installations.push(await rehearsePython(sandbox, steps, { python, archives, service }));
  if (archives && go) installations.push(await rehearseGo(sandbox, steps, { go, archives, service }));
  return {
    version: manifest().version,
    packages: publications.packages,
    installations,
    refusals: publications.refusals,
    differences: inOrder.flatMap(({ differences }) => differences),
    left: release.missing,
  };
}

/** In the order of a release. */
async function openRegistries(part: RehearsalPart, release: BuiltRelease, sandbox: Sandbox, here: Place) {
  return {
    archives: part === "npm" ? undefined : await openArchiveServer(sandbox),
    npm: await openNpmRegistry(sandbox, here),
    python: release.hasPython ? await openPythonIndex(sandbox, here) : undefined,
    go: release.hasGo ? await openGoOrigin(sandbox, here) : undefined,
  };
}
