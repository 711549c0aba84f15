import { builtRelease } from "./files";
import { publish, StepError } from "./publication";
import { recordPublication } from "./record";
import { registries } from "./registries";
import type { PublishContext, Release } from "./registry";
import { reportFailure, reportOutcome } from "./report";
import { parseRequest, publishUsage, type Request } from "./request";
import { maskOf, visibleAddress } from "./secrets";
import { toolWith } from "./tool";

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
