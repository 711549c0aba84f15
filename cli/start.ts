import { setFlagsFromString } from "node:v8";
import { manifest } from "../io/files/package";
import { processContext } from "./process-context";
import { run } from "./program";

const { version } = manifest();

/** Runs this process's command line, and ends the process with its exit code. */
export function start(): void {
  deferOptimization();
  void run(process.argv.slice(2), processContext(), version).then((code) => {
    process.exitCode = code;
    // Pipes may still be taking what was written.
    process.stdout.write("", () => process.stderr.write("", () => process.exit()));
  });
}

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
