// First, so that the engine is read with its processes replaced.
import "../inline/processes";
import { existsSync } from "node:fs";
import type { BoxProgram } from "../engine/workshop";
import { isNightly, longerAtNight } from "../nightly";
import { type Cut, type CutWorld, CutWorlds, commands, groupUrn, programs, urnOf } from "./cut-commands";

/** Commands that change more than one file, killed before each of its changes; then another command runs. */
const worlds = new CutWorlds();
beforeAll(() => worlds.begin());
afterAll(worlds.end);

type Next = [program: BoxProgram, ...line: string[]];
const flags = ["--yes", "--skip-preview"];

/** What else somebody may do next. */
const others: readonly Next[] = [
  ...["dev", "people", "live"].flatMap((stack): Next[] => [
    [programs.whole, "up", ...flags, "--stack", stack],
    [programs.rest, "up", ...flags, "--stack", stack],
    [programs.moved, "up", ...flags, "--stack", stack],
    [programs.none, "refresh", ...flags, "--stack", stack],
    [programs.none, "destroy", ...flags, "--stack", stack],
    [programs.none, "stack", "rm", stack, "--yes"],
    [programs.none, "stack", "init", stack],
    [programs.none, "cancel", stack, "--yes"],
    [programs.none, "stack", "rename", "fourth", "--stack", stack],
  ]),
  [programs.none, "stack", "rename", "live", "--stack", "people"],
  [programs.none, "state", "move", urnOf("stays"), "--source", "dev", "--dest", "people", "--yes"],
  [programs.none, "state", "delete", urnOf("a"), "--stack", "dev", "--yes"],
  [programs.none, "state", "delete", groupUrn, "--target-dependents", "--stack", "dev", "--yes"],
  [programs.none, "stack", "init", "third"],
  [programs.none, "stack", "ls"],
];

/** What holds after every command, whatever was cut off before. */
function assertNothingLost(world: CutWorld, ran: string): void {
  const live = new Set(world.live());
  const held = new Map(world.stacks().map((stack) => [stack, world.held(stack)]));
  const said = world.said.join("\n");
  const gone = [...held].filter(([stack]) => stack !== ran).flatMap(([, ids]) => ids.filter((id) => !live.has(id)));
  const known = new Set([...[...held.values()].flat(), ...world.aside()]);
  // Programs retain the box `kept`; the others that live on unrecorded were forgotten by a person.
  const orphaned = [...live].filter((id) => !known.has(id) && id !== "kept-1" && !said.includes("$ state delete"));
  const bare = world.stacks().filter((stack) => !world.hasConfig(stack));
  expect({ said, gone, orphaned, bare }).toEqual({ said, gone: [], orphaned: [], bare: [] });
}

longerAtNight(() => {
  describe.each(Object.keys(commands))("`%s`", (title) => {
    const command = commands[title]!;
    let cuts: Cut[] = [];
    let finished = "";
    beforeAll(async () => {
      ({ cuts, finished } = await worlds.cutsOf(command));
    });
    afterAll(() => {
      for (const { frozen } of cuts) frozen.remove();
    });

    test("is finished by the same command wherever it is cut off", async () => {
      expect(cuts.length).toBeGreaterThan(0);
      for (const cut of cuts) {
        const world = worlds.after(cut);
        const { code } = await world.run(command.line);
        const said = world.said.join("\n");
        expect({ said, code, picture: world.picture() }).toEqual({ said, code: 0, picture: finished });
        world.remove();
      }
    });

    test.each([
      ["once", false],
      ["until somebody frees space", true],
    ])("loses nothing on a disk that is full %s, and is finished then", async (_, staysFull) => {
      for (let at = 1; ; at += 1) {
        const { world, isReached } = await worlds.onFullDisk(command, at, staysFull);
        if (!isReached) return world.remove();
        assertNothingLost(world, "none");
        expect(world.said.join("\n")).toMatch(/the disk is full \(ENOSPC\).*\[1\]$/s);
        expect(world.locks()).toEqual([]);
        const isMade = world.said.join("\n").includes("is made, but not selected");
        const { code } = await world.run(isMade ? ["stack", "select", "third"] : command.line);
        const said = world.said.join("\n");
        expect({ said, code, picture: world.picture() }).toEqual({ said, code: 0, picture: finished });
        world.remove();
      }
    });

    const nexts = others.map((next, place): [string, Next, number] => [next.slice(1).join(" "), next, place]);
    test.each(nexts)("loses nothing where `%s` runs after it", async (_, [program, ...line], place) => {
      const worldsAfter = cuts.flatMap((cut) => [() => worlds.after(cut), () => worlds.afterWithoutLocks(cut)]);
      const chosen = worldsAfter.filter((__, index) => isNightly || (index + place) % 36 === 0);
      for (const make of chosen) {
        const world = make();
        world.declare(program);
        const { output } = await world.run(line);
        expect(output).not.toBe("");
        assertNothingLost(world, line.includes("--stack") ? line[line.indexOf("--stack") + 1]! : line[2]!);
        await world.run(command.line);
        assertNothingLost(world, "none");
        world.remove();
      }
    });
  });
});

test("a rename of a project is named and finished wherever it is cut off", async () => {
  const command = { line: ["stack", "rename", "organization/store/dev", "--stack", "organization/boxes/dev"] };
  const { cuts, finished } = await worlds.cutsOf(command);
  const named = [];
  for (const cut of cuts) {
    const world = worlds.after(cut);
    const isAside = world.aside().length > 0;
    const { output } = await world.run(["stack", "ls"]);
    if (isAside) named.push(output);
    const isMade = isAside && (await world.run(["stack", "init", "dev"])).code === 0;
    const { code } = await world.run(command.line);
    const said = world.said.join("\n");
    const has = existsSync(world.configOf("dev"));
    expect({ said, code, isMade, has, picture: world.picture() }).toEqual({
      ...{ said, code: 0, isMade: false, has: true },
      picture: finished,
    });
    world.remove();
    cut.frozen.remove();
  }
  expect(named.length).toBeGreaterThan(0);
  for (const output of named) expect(output).toContain(`pulumi-modelplatform ${command.line.join(" ")}`);
});

test("a move on a disk that is full once leaves both states as they were", async () => {
  const command = commands["state move"]!;
  const world = worlds.world(command);
  const untouched = world.picture();
  world.remove();
  for (let at = 1; ; at += 1) {
    const failed = await worlds.onFullDisk(command, at, false);
    const picture = failed.world.picture();
    failed.world.remove();
    if (!failed.isReached) return;
    expect(picture).toBe(untouched);
  }
});

test("an `up` in the middle of a move is refused where somebody has removed the locks", async () => {
  const command = commands["state move"]!;
  const { cuts } = await worlds.cutsOf(command);
  const refused = [];
  for (const cut of cuts) {
    const world = worlds.afterWithoutLocks(cut);
    world.declare(programs.whole);
    const isMoving = world.picture().includes("retained");
    const { output } = await world.run(["up", ...flags, "--stack", "dev"]);
    if (isMoving) refused.push(output);
    world.remove();
    cut.frozen.remove();
  }
  expect(refused.length).toBeGreaterThan(1);
  for (const output of refused) expect(output).toContain("state move --yes --source dev --dest people");
});
