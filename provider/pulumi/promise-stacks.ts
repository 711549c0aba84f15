import { promiseStacksVariable } from "../core/settings";

/**
 * Whether promises, their stacks and the global `Error` are left to the SDK: the user wants it, or looks for promises
 * that are never settled, which is all that the SDK keeps their stacks for.
 */
export const keepsPromises = (): boolean =>
  /^(true|1)$/i.test(process.env[promiseStacksVariable] ?? "") || Boolean(process.env["PULUMI_DEBUG_PROMISE_LEAKS"]);

/**
 * Leaves out, until the returned function is called, the stacks that the SDK keeps of its promises: those of a
 * resource's registration, id and URN. It maps every frame of each to its source, which takes a third of a
 * constructor's time (docs/decisions/119-outputs-on-demand.md). Every other stack stays as it is.
 */
export function omitPromiseStacks(): () => void {
  if (keepsPromises()) return () => {};
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, frames) =>
    frames[0]?.getFunctionName() === "debuggablePromise" ? "" : (before ?? plainStack)(error, frames);
  return () => {
    Error.prepareStackTrace = before;
  };
}

const plainStack = (error: Error, frames: readonly NodeJS.CallSite[]): string =>
  [String(error), ...frames.map((frame) => `    at ${String(frame)}`)].join("\n");
