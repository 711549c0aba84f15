import { appendFileSync } from "node:fs";
import { type PublicationOutcome, StepError } from "./publication";
import { type Publication, publications } from "./record";
import { type RegistryName, registries, registryNames } from "./registries";
import type { PublishContext, Release } from "./registry";
import type { Request } from "./request";
import { visibleAddress } from "./secrets";

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

export function reportOutcome(
  outcome: PublicationOutcome,
  request: Request,
  release: Release,
  context: PublishContext,
): void {
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

export function reportFailure(
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
