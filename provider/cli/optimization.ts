import { setFlagsFromString } from "node:v8";

/** The newest major version of Node.js whose engine is known to have the flag: it complains of one it lacks. */
const newestKnown = 25;

/**
 * Puts off that the engine optimizes WebAssembly, which is the parser of HTTP answers: it would do so after a dozen
 * of them, in twice the time that a short command takes for everything else. A long one still gets there.
 */
export function deferOptimization(
  version: string = process.versions.node,
  set: (flag: string) => void = setFlagsFromString,
): void {
  if (Number.parseInt(version, 10) <= newestKnown) set("--wasm-tiering-budget=100000000");
}
