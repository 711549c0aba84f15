import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { builtRelease } from "./files";
import { type Outcome, publish, StepError } from "./publication";
import { type Publication, publications, recordPublication } from "./record";
import { type RegistryName, registries, registryNames } from "./registries";
import type { PublishContext, Release } from "./registry";
import { maskOf, visibleAddress } from "./secrets";
import { toolWith } from "./tool";

export const publishUsage = `Usage: node dist/tools/release.js publish <registry> --to <address>

Publishes the release that is built in \`.release\` to one registry. What is already there stays as it is.

  publish archives --to https://github.com/<organization>/pulumi-modelplatform   a draft of the release, with all files
  publish archives --to file:///<folder>                                         the same files, for a web server
  publish npm --to https://registry.npmjs.org/
  publish pypi --to https://upload.pypi.org/legacy/
  publish nuget --to https://api.nuget.org/v3/index.json
  publish go --to https://github.com/<organization>/pulumi-modelplatform         the tag of the Go SDK

Exit codes: 0 published, or already there; 1 failed; 2 usage; 3 the version is there with other content.`;

const exitCodes = { published: 0, unchanged: 0, conflict: 3 } as const;

interface Request {
  registry: RegistryName;
  address: string;
}

/** What the arguments ask for; otherwise, what is wrong with them. */
function parseRequest(args: readonly string[]): Request | string {
  let parsed: { values: { to?: string | undefined }; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options: { to: { type: "string" } } });
  } catch (error) {
    return (error as Error).message;
  }
  const [name, ...rest] = parsed.positionals;
  const registry = registryNames.find((each) => each === name);
  if (registry === undefined || rest.length > 0)
    return `name one registry: ${registryNames.join(", ")}; not \`${parsed.positionals.join(" ")}\``;
  const { to: address } = parsed.values;
  if (address === undefined) return `\`--to\` is missing: the address of ${registries[registry].title}`;
  const isPath = registry === "go" && !URL.canParse(address);
  if (isPath || /^(https?|file):\/\//.test(address)) return { registry, address };
  return `\`--to ${address}\` is not an address, such as https://…`;
}

const lineOf = ({ registry, address }: Request): string =>
  `node dist/tools/release.js publish ${registry} --to ${visibleAddress(address)}`;

/** What the release has in other registries, as far as this machine, or the order of the workflow's jobs, tells. */
function describeBefore(registry: RegistryName, done: readonly Publication[], isWorkflow: boolean): string {
  if (isWorkflow) {
    const earlier = registryNames.slice(0, registryNames.indexOf(registry));
    const list = earlier.length === 0 ? "nothing" : earlier.join(", ");
    return `Published before it: ${list}, by the jobs before this one.`;
  }
  const list = done.map((each) => `${each.registry} (${visibleAddress(each.address)})`);
  return `Published before it: ${list.length === 0 ? "nothing from this machine" : list.join(", ")}.`;
}

/** The commands that finish the release once the cause is mended. */
function describeNext(request: Request, { env }: PublishContext): string {
  const later = registryNames.slice(registryNames.indexOf(request.registry) + 1);
  const rest = later.length === 0 ? "" : `, and the same for ${later.join(", ")}`;
  const run = env["GITHUB_RUN_ID"];
  if (run !== undefined) return `To go on: gh run rerun ${run} --failed`;
  return `To go on: ${lineOf(request)}${rest}`;
}

function report(outcome: Outcome, request: Request, release: Release, context: PublishContext): void {
  const { title, subject } = registries[request.registry];
  const what = `${title}: ${subject(release.version)}`;
  const address = visibleAddress(request.address);
  if (outcome.is === "published") return context.out(`published  ${what} to ${address}`);
  if (outcome.is === "unchanged")
    return context.out(`unchanged  ${what} is already there, with the same content: ${address}`);
  context.err(`conflict   ${what} is already there with other content: ${address}\n${outcome.what}`);
  context.err(
    "A registry never replaces a version. Go on with the next registry; to have all alike, release the next version.",
  );
  // The next job goes on; nothing is announced.
  const output = context.env["GITHUB_OUTPUT"];
  if (output !== undefined) appendFileSync(output, "conflict=true\n");
}

function reportFailure(
  error: unknown,
  request: Request,
  release: Release | undefined,
  context: PublishContext,
): number {
  const step = error instanceof StepError ? error.step : "read the release";
  const done = release === undefined ? [] : publications(release);
  context.err(`${registries[request.registry].title} failed. Step: ${step}.`);
  context.err(describeFailure(error));
  context.err(describeBefore(request.registry, done, context.env["GITHUB_ACTIONS"] === "true"));
  context.err(describeNext(request, context));
  return 1;
}

/** `fetch` hides why it failed. */
function describeFailure(error: unknown): string {
  const { message, cause } = error as Error;
  const inner =
    cause instanceof Error && cause.cause instanceof Error
      ? `: ${cause.cause.message || (cause.cause as NodeJS.ErrnoException).code}`
      : "";
  return `${message}${inner}`;
}

/** Runs `publish`; the exit code. */
export async function publishCommand(args: readonly string[], around: PublishContext): Promise<number> {
  if (args.includes("--help")) {
    around.out(publishUsage);
    return 0;
  }
  const request = parseRequest(args);
  if (typeof request === "string") {
    around.err(`${request}\n\n${publishUsage}`);
    return 2;
  }
  const mask = maskOf(request.address, around.env);
  const context: PublishContext = {
    ...around,
    out: (line) => around.out(mask(line)),
    err: (line) => around.err(mask(line)),
  };
  let release: Release | undefined;
  try {
    release = builtRelease();
    const target = { ...context, release, address: request.address, tool: toolWith(context.env, mask) };
    const outcome = await publish(registries[request.registry], target);
    report(outcome, request, release, context);
    if (outcome.is !== "conflict") await record(release, request);
    return exitCodes[outcome.is];
  } catch (error) {
    return reportFailure(error, request, release, context);
  }
}

async function record(release: Release, { registry, address }: Request): Promise<void> {
  try {
    recordPublication(release, registry, visibleAddress(address));
  } catch (error) {
    throw new StepError("record the publication, which has succeeded", error);
  }
}
