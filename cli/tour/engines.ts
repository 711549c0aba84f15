import { spawnSync } from "node:child_process";
import { commandLine } from "./emulator";

/** What runs the steps: the Pulumi CLI, or the engine that comes with this package. Both take the same arguments. */
export interface TourEngine {
  command: string;
  args: readonly string[];
  /** For users: what it is and why it was chosen. */
  title: string;
}

const oldest: readonly [number, number] = [3, 248];

/** The Pulumi CLI from PATH where it is new enough, else the built-in engine. */
export function chooseEngine(env: NodeJS.ProcessEnv): TourEngine {
  const builtIn = (why: string): TourEngine => ({
    command: process.execPath,
    args: [commandLine],
    title: `the built-in engine (${why})`,
  });
  const found = spawnSync("pulumi", ["version"], { env, encoding: "utf8", timeout: 30_000 });
  if (found.error || found.status !== 0) return builtIn("no Pulumi CLI on PATH");
  const version = found.stdout.trim().replace(/^v/, "");
  if (version === "") return { command: "pulumi", args: [], title: "a development build of the Pulumi CLI from PATH" };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    return builtIn(`the Pulumi CLI on PATH is ${version}; ${oldest.join(".")} or newer is needed`);
  return { command: "pulumi", args: [], title: `the Pulumi CLI ${version} from PATH` };
}
