import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { archives } from "./archives";
import { builtRelease, pathIn } from "./files";
import { go } from "./go";
import { npm } from "./npm";
import { nuget } from "./nuget";
import { pypi } from "./pypi";
import {
  type PublicationOutcome,
  type PublishContext,
  publish,
  type Registry,
  type Release,
  StepError,
} from "./registry";
import { toolWith } from "./tool";

/** A publication from this machine that needs no repetition. */
interface Publication {
  registry: RegistryName;
  version: string;
  address: string;
}

const recordOf = (release: Release): string => pathIn(release, "published.json");

/** What this machine has published of the release, in order; an unreadable record does not count. */
function publications(release: Release): Publication[] {
  try {
    const all = JSON.parse(readFileSync(recordOf(release), "utf8")) as Publication[];
    return all.filter(({ version }) => version === release.version);
  } catch {
    return [];
  }
}

function recordPublication(release: Release, registry: RegistryName, address: string): void {
  const others = publications(release).filter((each) => each.registry !== registry || each.address !== address);
  const all = [...others, { registry, version: release.version, address } satisfies Publication];
  const path = recordOf(release);
  // Whole or not at all, also on a disk that is full.
  writeFileSync(`${path}.part`, `${JSON.stringify(all, null, 2)}\n`);
  renameSync(`${path}.part`, path);
}

/** In the order of a release: what can be undone comes first. */
export const registries = { archives, npm, pypi, nuget, go } satisfies Readonly<Record<string, Registry>>;

export type RegistryName = keyof typeof registries;

export const registryNames = Object.keys(registries) as readonly RegistryName[];

/** Variables that a token comes in. */
const tokenNames = ["NODE_AUTH_TOKEN", "NPM_TOKEN", "TWINE_PASSWORD", "NUGET_API_KEY", "GH_TOKEN", "GITHUB_TOKEN"];

/** An address without the credentials in it. */
export function visibleAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  return url.href;
}

/** What an address has of credentials: a password, or a token in place of a user. */
function credentialsIn(address: string): string[] {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return [];
  const { username, password } = new URL(address);
  const secret = password === "" ? username : password;
  return [secret, decodeURIComponent(secret)];
}

/** Removes the tokens that the tools are called with from what they print. */
function maskOf(address: string, env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const secrets = [...tokenNames.map((name) => env[name] ?? ""), ...credentialsIn(address)]
    .filter((secret) => secret !== "")
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
}

const lineOf = ({ registry, address }: Request): string =>
  `node dist/tools/release.js publish ${registry} --to ${visibleAddress(address)}`;

/** Where the release is already: by this machine's record, or by the order of the workflow's jobs. */
function describeBefore(registry: RegistryName, done: readonly Publication[], isWorkflow: boolean): string {
  if (isWorkflow && done.length === 0) {
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

function reportOutcome(outcome: PublicationOutcome, request: Request, release: Release, context: PublishContext): void {
  const { title, subject } = registries[request.registry];
  const what = `${title}: ${subject(release.version)}`;
  const address = visibleAddress(request.address);
  if (outcome.is === "published") return context.out(`published  ${what} to ${address}`);
  if (outcome.is === "unchanged")
    return context.out(`unchanged  ${what} (already there, with the same content) at ${address}`);
  context.err(`conflict   ${what} (already there, with other content) at ${address}\n${outcome.what}`);
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

const publishUsage = `Usage: node dist/tools/release.js publish <registry> --to <address>

Publishes the release that is built in \`.release\` to one registry. What is already there stays as it is.

  publish archives --to https://github.com/<organization>/pulumi-modelplatform   a draft of the release, with all files
  publish archives --to file:///<folder>   the same files, into a folder of this version that a web server serves
  publish npm --to <registry>
  publish pypi --to <address for uploads>
  publish nuget --to <source>
  publish go --to <repository>             the tag of the Go SDK, and its branch

Exit codes: 0 published, or already there; 1 failed; 2 usage; 3 the version is there with other content.`;

/** What a call of `publish` asks for. */
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
  if (!address) return `\`--to\` is missing: the address of ${registries[registry].title}`;
  const isPath = registry === "go" && !URL.canParse(address);
  if (isPath || /^(https?|file):\/\//.test(address)) return { registry, address };
  return `\`--to ${address}\` is not an address, such as https://…`;
}

const exitCodes = { published: 0, unchanged: 0, conflict: 3 } as const;

/** Runs `publish`; the exit code. */
export async function publishCommand(args: readonly string[], around: PublishContext): Promise<number> {
  if (args.includes("--help")) {
    around.out(publishUsage);
    return 0;
  }
  const request = parseRequest(args);
  if (typeof request === "string") {
    around.err(`${request}\n\n${publishUsage}`);
    return 64;
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
    reportOutcome(outcome, request, release, context);
    if (outcome.is !== "conflict") record(release, request);
    return exitCodes[outcome.is];
  } catch (error) {
    return reportFailure(error, request, release, context);
  }
}

function record(release: Release, { registry, address }: Request): void {
  try {
    recordPublication(release, registry, visibleAddress(address));
  } catch (error) {
    throw new StepError("record the publication, which has succeeded", error);
  }
}
