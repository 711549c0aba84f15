import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const account = "demo";
export const apiKey = "demo-key";

/** The compiled command line of this package. */
export const commandLine = join(__dirname, "..", "main.js");

export interface RunningEmulator {
  url: string;
  /** Live objects of the tour's account, by resource name. */
  objects(): Promise<Record<string, Record<string, unknown>>>;
  /** Changes an object outside every program. */
  change(name: string, change: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** An emulator in a process of its own, on a free port, with time that runs faster than ours. */
export async function startEmulator(speed: number): Promise<RunningEmulator> {
  const args = [commandLine, "emulator", "--port", "0", "--speed", String(speed), "--account", `${account}=${apiKey}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = await firstUrl(child);
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const json = { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await fetch(`${url}/_emulator/${path}`, body === undefined ? { method } : { method, ...json });
    if (!answer.ok)
      throw new Error(`the emulator answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    url,
    async objects() {
      const { objects } = (await control("GET", "objects")) as { objects: Record<string, Record<string, unknown>> };
      return Object.fromEntries(
        Object.entries(objects).filter(
          ([name, object]) => name.startsWith(`accounts/${account}/`) && !String(object["state"]).endsWith("DELETED"),
        ),
      );
    },
    async change(name, change) {
      await control("PATCH", `objects/${name}`, change);
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The emulator's first line names its address. */
async function firstUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, "line"), once(child, "exit").then(() => [""])])) as [string];
  const url = /http:\/\/\S+$/.exec(line)?.[0];
  if (!url) throw new Error("the emulator ended before it listened; its message is above");
  return url;
}

/** What runs the steps: the Pulumi CLI, or the engine that comes with this package. Both take the same arguments. */
export interface TourEngine {
  command: string;
  args: readonly string[];
  /** What a user types in place of both. */
  typed: string;
  /** For users: what it is and why it was chosen. */
  title: string;
}

/** What a user types of this package's own commands. */
export const ownCommand = "npx pulumi-modelplatform";

const oldest: readonly [number, number] = [3, 248];

/** The Pulumi CLI from PATH where it is new enough, else the built-in engine. */
export function chooseEngine(env: NodeJS.ProcessEnv): TourEngine {
  const builtIn = (why: string): TourEngine => ({
    command: process.execPath,
    args: [commandLine],
    typed: ownCommand,
    title: `the built-in engine (${why})`,
  });
  const versionCheck = spawnSync("pulumi", ["version"], { env, encoding: "utf8", timeout: 30_000 });
  if (versionCheck.error || versionCheck.status !== 0) return builtIn("no Pulumi CLI on PATH");
  const version = versionCheck.stdout.trim().replace(/^v/, "");
  const pulumi = { command: "pulumi", args: [], typed: "pulumi" };
  if (version === "") return { ...pulumi, title: "a development build of the Pulumi CLI from PATH" };
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1]))
    return builtIn(`the Pulumi CLI on PATH is ${version}; ${oldest.join(".")} or newer is needed`);
  return { ...pulumi, title: `the Pulumi CLI ${version} from PATH` };
}
