import { spawnSync } from "node:child_process";
import type { Registry } from "./lane";

/** What `npm view` prints, as a value; undefined where there is no such version. */
function view(spec: string, field: string): unknown {
  const { stdout, stderr, error } = spawnSync("npm", ["view", spec, field, "--json", "--fetch-retries=1"], {
    encoding: "utf8",
    shell: process.platform === "win32",
    timeout: 120_000,
  });
  if (error) throw error;
  const answer = stdout.trim() === "" ? undefined : (JSON.parse(stdout) as { error?: { code: string } } | string);
  if (typeof answer !== "object" || answer.error === undefined) return answer;
  if (answer.error.code === "E404" || answer.error.code === "ETARGET") return undefined;
  throw new Error(`\`npm view ${spec}\` failed: ${stderr.trim()}`);
}

/** The registry that npm is set up for. */
export const npmRegistry: Registry = {
  versions: (name, range) => [view(`${name}@${range}`, "version") ?? []].flat() as string[],
  needs: (name, version) => String(view(`${name}@${version}`, "engines.node") ?? ""),
};
