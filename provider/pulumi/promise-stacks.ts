import { promiseStacksVariable } from "../core/settings";
import { memoizeByKey } from "../core/values/once";

/**
 * Whether promises, their stacks and the global `Error` are left to the SDK: the user wants it, or looks for promises
 * that are never settled, which is all that the SDK keeps their stacks for.
 */
export const keepsPromises = (): boolean =>
  /^(true|1)$/i.test(process.env[promiseStacksVariable] ?? "") || Boolean(process.env["PULUMI_DEBUG_PROMISE_LEAKS"]);

/**
 * Leaves out, until the returned function is called, the stacks that the SDK keeps of its promises: those of a
 * resource's registration, id and URN. It maps every frame of each to its source, which takes a third of a
 * constructor's time (docs/decisions/119-outputs-on-demand.md). The stack that it records of each resource is made once
 * for all resources of a loop. Every other stack stays as it is.
 */
export function omitPromiseStacks(): () => void {
  if (keepsPromises()) return () => {};
  const before = Error.prepareStackTrace;
  const prepare = before ?? plainStack;
  Error.prepareStackTrace = (error, frames) => {
    const name = frames[0]?.getFunctionName();
    if (name === "debuggablePromise") return "";
    return name === "callsites" && before ? recordedStack(before, error, frames) : prepare(error, frames);
  };
  return () => {
    Error.prepareStackTrace = before;
  };
}

const plainStack = (error: Error, frames: readonly NodeJS.CallSite[]): string =>
  [String(error), ...frames.map((frame) => `    at ${String(frame)}`)].join("\n");

type Prepare = NonNullable<typeof Error.prepareStackTrace>;

/** A program with more lines that make resources has each stack made anew now and then. */
const mostStacks = 200;

const stacksBy = memoizeByKey((_: Prepare) => new Map<string, unknown>());

function recordedStack(prepare: Prepare, error: Error, frames: NodeJS.CallSite[]): unknown {
  const stacks = stacksBy(prepare);
  const key = plainStack(error, frames);
  if (stacks.size >= mostStacks && !stacks.has(key)) stacks.clear();
  if (!stacks.has(key)) stacks.set(key, prepare(error, frames));
  return stacks.get(key);
}
