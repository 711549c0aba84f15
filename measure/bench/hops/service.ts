import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "../../../tests/e2e/engines";

/** An emulator in a process of its own, in which a deployment takes 120 ms of our time. */
export async function startService(account: string, key: string): Promise<Service> {
  const main = join(repository, "dist/cli/main.js");
  const args = [main, "emulator", "--port", "0", "--speed", "2000", "--account", `${account}=${key}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = /http:\S+/.exec(line.toString())?.[0];
  if (url === undefined) throw new Error(`the emulator said no address: ${line}`);
  return {
    url,
    async tamper(name, change) {
      const answer = await fetch(`${url}/_emulator/objects/${name}`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(change),
      });
      if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    },
    stop: () => void child.kill(),
  };
}

export interface Service {
  url: string;
  /** Changes an object outside every program. */
  tamper(name: string, change: object): Promise<void>;
  stop(): void;
}
