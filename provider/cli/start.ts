import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deferOptimization } from "./optimization";
import { processContext } from "./process-context";
import { run } from "./program";

const { version } = JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as {
  version: string;
};

/** Runs this process's command line, and ends the process with its exit code. */
export function start(): void {
  deferOptimization();
  void run(process.argv.slice(2), processContext(), version).then((code) => {
    process.exitCode = code;
    // Pipes may still be taking what was written.
    process.stdout.write("", () => process.stderr.write("", () => process.exit()));
  });
}
