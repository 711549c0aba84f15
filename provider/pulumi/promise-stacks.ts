import { promiseStacksVariable } from "../core/settings";

/**
 * Whether the global `Error` stays as it is: the user wants it to, or looks for promises that are never settled, which
 * is all that the SDK keeps their stacks for.
 */
const isEnabled = (): boolean =>
  /^(true|1)$/i.test(process.env[promiseStacksVariable] ?? "") || Boolean(process.env["PULUMI_DEBUG_PROMISE_LEAKS"]);

/**
 * The cost of a stack, and the two members of `Error` that decide on it: https://v8.dev/docs/stack-trace-api. Why they
 * are set here, and what else could be done: docs/decisions/119-stacks-of-promises.md.
 *
 * Leaves out, until the returned function is called, the stacks that the SDK keeps of its promises. It takes one
 * for each of the four promises of each property and maps every frame to its source, which is most of the time
 * that a program with many resources takes. Every other stack stays as it is.
 */
export function omitPromiseStacks(): () => void {
  if (isEnabled()) return () => {};
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, frames) =>
    frames[0]?.getFunctionName() === "debuggablePromise" ? "" : (before ?? plainStack)(error, frames);
  return () => {
    Error.prepareStackTrace = before;
    resume();
  };
}

const plainStack = (error: Error, frames: readonly NodeJS.CallSite[]): string =>
  [String(error), ...frames.map((frame) => `    at ${String(frame)}`)].join("\n");

/** Frames of a stack while stacks are taken; undefined while they are. */
let limit: number | undefined;

function pause(): void {
  limit ??= Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

function resume(): void {
  if (limit === undefined) return;
  Error.stackTraceLimit = limit;
  limit = undefined;
}

/**
 * The properties as the SDK is to read them. To take a stack costs most of the time even where nobody prepares it, so
 * that none is taken between the reading of the first property and of the last, when the SDK does nothing but make
 * their promises.
 */
export function withoutStacks<T extends object>(properties: T): T {
  const [first, ...others] = Object.keys(properties);
  const last = others.at(-1);
  if (isEnabled() || first === undefined || last === undefined) return properties;
  const watched = { ...properties };
  onceRead(watched, first, pause);
  onceRead(watched, last, resume);
  return watched;
}

function onceRead(properties: object, name: string, then: () => void): void {
  const { value } = Object.getOwnPropertyDescriptor(properties, name)!;
  const shape = { enumerable: true, configurable: true };
  Object.defineProperty(properties, name, {
    ...shape,
    get() {
      Object.defineProperty(properties, name, { ...shape, value, writable: true });
      then();
      return value;
    },
  });
}
