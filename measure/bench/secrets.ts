import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contestants } from "./peers/contestants";
import { Ground, type PeerKind } from "./peers/ground";
import { measure } from "./peers/processes";
import { machine } from "./peers/results";

/**
 * What secrets cost beside users: processor time of all processes of an `up` but the emulator's, which is in this one,
 * and the most memory of any of them.
 */

interface Spent {
  /** Seconds. */
  processor: number;
  /** Megabytes. */
  memory: number;
}

async function up(contestant: (typeof contestants)[number], kind: PeerKind, count: number): Promise<Spent> {
  const ground = await Ground.open({ title: "", kind, count, latency: 0 }, contestant.program);
  const file = join(ground.folder, "profile.jsonl");
  try {
    const command = contestant.command("up", ground);
    const watch = { NODE_OPTIONS: `--require=${join(__dirname, "profile", "watch.cjs")}`, PROFILE_FILE: file };
    await measure({ ...command, env: { ...command.env, ...watch } }, ground.requests);
    const processes = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { processor: number; peak: number });
    const processor = processes.reduce((sum, each) => sum + each.processor, 0) / 1e6;
    return { processor, memory: Math.max(...processes.map(({ peak }) => peak)) / 1024 };
  } finally {
    await ground.close();
  }
}

/** At most `processor` times the time of as many users, and `memory` times their memory. */
const comparisons: readonly { kind: PeerKind; count: number; processor: number; memory?: number }[] = [
  { kind: "Secret", count: 1000, processor: 1.3, memory: 1.3 },
  { kind: "ServiceAccount", count: 200, processor: 1.5 },
];

export async function main(): Promise<void> {
  console.log(`${machine()}\n`);
  console.log("| host | resources | processor | of as many users | ratio | largest process | ratio |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const contestant of contestants.slice(0, 2))
    for (const { kind, count, processor, memory } of comparisons) {
      const users = await up(contestant, "User", count);
      const secrets = await up(contestant, kind, count);
      const time = secrets.processor / users.processor;
      const space = secrets.memory / users.memory;
      console.log(
        `| ${contestant.title} | ${count} × ${kind} | ${secrets.processor.toFixed(1)} s | ${users.processor.toFixed(1)} s | ${time.toFixed(2)}, at most ${processor} | ${secrets.memory.toFixed(0)} MB | ${space.toFixed(2)}${memory === undefined ? "" : `, at most ${memory}`} |`,
      );
      if (time > processor || space > (memory ?? Number.POSITIVE_INFINITY)) process.exitCode = 1;
    }
}
