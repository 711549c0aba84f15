import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { surroundings } from "./machine";
import { contestants, steps } from "./peers/contestants";
import { Ground } from "./peers/ground";
import { measure } from "./peers/processes";
import { median } from "./peers/results";

/**
 * Which process of a command spends what until when: processor seconds, and from when to when it runs, of each step of
 * `COUNT` users on the built-in engine; medians of `ROUNDS`. `CONTESTANTS` as of `peers`.
 */

const count = Number(process.env["COUNT"] ?? 200);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const who = new RegExp(process.env["CONTESTANTS"] ?? "ours, dynamic, built-in engine");

interface Line {
  args: string[];
  began: number;
  ended: number;
  /** Microseconds. */
  processor: number;
}

interface Spent {
  processor: number;
  from: number;
  to: number;
}

/** What a process is for, by its script. */
const roles: readonly (readonly [string, RegExp])[] = [
  ["engine", /dist\/cli\/main\.js/],
  ["program", /cmd\/run/],
  ["dynamic provider", /dynamic-provider/],
  ["plugin", /pulumi-resource-modelplatform/],
];

const roleOf = ({ args }: Line): string => roles.find(([, script]) => args.some((arg) => script.test(arg)))?.[0] ?? "";

function spentBy(file: string, began: number): Map<string, Spent> {
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  return new Map(
    lines.map((line) => [
      roleOf(line),
      {
        processor: line.processor / 1e6,
        from: (line.began - began) / 1000,
        to: (line.ended - began) / 1000,
      },
    ]),
  );
}

async function profile(contestant: (typeof contestants)[number]): Promise<void> {
  const found = new Map<string, { wall: number; memory: number; spent: Map<string, Spent> }[]>();
  for (let round = 0; round < rounds; round += 1) {
    const ground = await Ground.open({ title: "", kind: "User", count, latency: 0 }, contestant.program);
    const file = join(ground.folder, "profile.jsonl");
    try {
      for (const step of steps) {
        if (existsSync(file)) rmSync(file);
        const command = contestant.command(step, ground);
        const watched = {
          NODE_OPTIONS: `--require=${join(__dirname, "profile", "watch.cjs")}`,
          PROFILE_FILE: file,
        };
        const began = Date.now();
        const { seconds, memory } = await measure({ ...command, env: { ...command.env, ...watched } }, ground.requests);
        const spent = spentBy(file, began);
        found.set(step, [...(found.get(step) ?? []), { wall: seconds, memory, spent }]);
      }
    } finally {
      await ground.close();
    }
  }
  console.log(`\n${contestant.title}, ${count} users, medians of ${rounds}\n`);
  console.log("| step | wall | processor | processes: processor, from–to | memory |\n| --- | --- | --- | --- | --- |");
  for (const [step, runs] of found) {
    const present = roles.map(([role]) => role).filter((role) => runs.some(({ spent }) => spent.has(role)));
    const of = (role: string, pick: (one: Spent) => number): number =>
      median(runs.flatMap(({ spent }) => (spent.has(role) ? [pick(spent.get(role)!)] : [])));
    const total = median(
      runs.map(({ spent }) => [...spent.values()].reduce((sum, { processor }) => sum + processor, 0)),
    );
    const parts = present.map(
      (role) =>
        `${role} ${of(role, ({ processor }) => processor).toFixed(2)} s, ${of(role, ({ from }) => from).toFixed(1)}–${of(role, ({ to }) => to).toFixed(1)} s`,
    );
    const wall = median(runs.map((run) => run.wall));
    const memory = median(runs.map((run) => run.memory));
    console.log(
      `| ${step} | ${wall.toFixed(1)} s | ${total.toFixed(2)} s | ${parts.join("; ")} | ${Math.round(memory)} MB |`,
    );
  }
}

export async function main(): Promise<void> {
  console.log(surroundings());
  for (const contestant of contestants.filter(({ title, missing }) => missing === undefined && who.test(title)))
    await profile(contestant);
}
