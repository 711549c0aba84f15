import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./rooms";

const jest = require.resolve("jest/bin/jest");

/** Runs suites by a configuration of `tests`, with more in the environment; the exit code. */
export function runJest(config: string, suites: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const args = [jest, "--config", join(root, "tests", config), ...suites];
  return (
    spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1
  );
}
