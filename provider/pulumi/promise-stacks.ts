/**
 * Leaves out, until the returned function is called, the stacks that the SDK keeps of its promises. It takes one
 * for each of the four promises of each property and maps every frame to its source, which is most of the time
 * that a program with many resources takes. They are shown by PULUMI_DEBUG_PROMISE_LEAKS alone, and kept where
 * that is set. Every other stack stays as it is.
 */
export function omitPromiseStacks(): () => void {
  if (process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) return () => {};
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, frames) =>
    frames[0]?.getFunctionName() === "debuggablePromise" ? "" : (before ?? plainly)(error, frames);
  return () => {
    Error.prepareStackTrace = before;
  };
}

const plainly = (error: Error, frames: readonly NodeJS.CallSite[]): string =>
  [String(error), ...frames.map((frame) => `    at ${String(frame)}`)].join("\n");
