// First, so that the engine is read with its processes replaced.
import "../inline/processes";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { playBoxes } from "./inline-boxes";
import { runHere } from "./runners";
import { StateEdits, testStateEdits } from "./state-edits";
import type { Workshop } from "./workshop";

const edits = new StateEdits(playBoxes);
beforeAll(() => edits.begin());
afterAll(edits.end);

testStateEdits(edits);

const fileOf = ({ backend }: Workshop, stack: string): string => join(backend, `.pulumi/stacks/boxes/${stack}.json`);

/** Leaves operations on boxes in the state of dev, as a killed run does. */
function interrupt(workshop: Workshop, operations: readonly [type: string, name: string][]): void {
  const file = JSON.parse(readFileSync(fileOf(workshop, "dev"), "utf8"));
  const { resources } = file.checkpoint.latest;
  file.checkpoint.latest.pending_operations = operations.map(([type, name]) => ({
    resource: resources.find(({ urn }: { urn: string }) => urn.endsWith(`::${name}`)),
    type,
  }));
  writeFileSync(fileOf(workshop, "dev"), JSON.stringify(file));
}

interface Pending {
  type: string;
  resource: { urn: string; parent: string; provider: string };
}

function pendingIn(workshop: Workshop, stack: string): Pending[] {
  return JSON.parse(readFileSync(fileOf(workshop, stack), "utf8")).checkpoint.latest.pending_operations ?? [];
}

/** `updating dev a`: the type, the stack of the URN, and the name. */
const marksIn = (workshop: Workshop, stack: string): string[] =>
  pendingIn(workshop, stack).map(({ type, resource: { urn } }) => {
    const [prefix, ...rest] = urn.split("::");
    return `${type} ${prefix!.split(":").at(-1)} ${rest.at(-1)}`;
  });

const urn = (name: string, type = "pulumi-nodejs:dynamic/test:Box"): string =>
  `urn:pulumi:dev::boxes::${type}::${name}`;
const group = urn("g", "test:index:Group");
const on = (...args: string[]): string[] => [...args, "--yes", "--stack", "dev"];
const left: readonly [string, string][] = [
  ["updating", "a"],
  ["deleting", "far"],
  ["creating", "child"],
];

describe("what an earlier run left pending", () => {
  const kept = ["updating dev a", "deleting dev far", "creating dev child"];

  test.each<[title: string, lines: string[][], dev: string[], other?: string[]]>([
    ["keeps its resource's name", [on("state", "rename", urn("a"), "z")], ["updating dev z", ...kept.slice(1)]],
    [
      "moves with its resource",
      [["state", "move", urn("a"), urn("far"), "--source", "dev", "--dest", "other", "--yes"]],
      ["creating dev child"],
      ["updating other a", "deleting other far"],
    ],
    [
      "moves with its resource's parent",
      [["state", "move", group, "--source", "dev", "--dest", "other", "--yes"]],
      kept.slice(0, 2),
      ["creating other child"],
    ],
    ["stays where another resource is forgotten", [on("state", "delete", urn("b"))], kept],
    [
      "stays where marks are set and removed",
      [on("state", "taint", urn("a")), on("state", "unprotect", "--all")],
      kept,
    ],
    [
      "comes along with an exported state",
      [
        ["stack", "export", "--stack", "dev", "--file", "state.json"],
        ["stack", "import", "--stack", "dev", "--file", "state.json"],
      ],
      kept,
    ],
  ])("%s", async (_, lines, dev, other = []) => {
    const workshop = edits.copy();
    try {
      interrupt(workshop, left);
      await runHere(workshop, ["stack", "init", "other", "--no-select"]);
      for (const line of lines) expect(await runHere(workshop, line)).toMatchObject({ code: 0 });
      expect(marksIn(workshop, "dev")).toEqual(dev);
      expect(marksIn(workshop, "other")).toEqual(other);
    } finally {
      workshop.remove();
    }
  });

  test("follows its stack's name", async () => {
    const workshop = edits.copy();
    try {
      interrupt(workshop, left);
      expect(await runHere(workshop, ["stack", "rename", "live", "--stack", "dev"])).toMatchObject({ code: 0 });
      expect(marksIn(workshop, "live")).toEqual(kept.map((mark) => mark.replace("dev", "live")));
    } finally {
      workshop.remove();
    }
  });

  test("refers to what its new stack has", async () => {
    const workshop = edits.copy();
    try {
      interrupt(workshop, left);
      await runHere(workshop, ["stack", "init", "other", "--no-select"]);
      const line = ["state", "move", urn("far"), group, "--source", "dev", "--dest", "other", "--yes"];
      expect(await runHere(workshop, line)).toMatchObject({ code: 0 });
      const moved = pendingIn(workshop, "other").map(({ resource: { parent, provider } }) => [parent, provider]);
      expect(moved.flat().filter((reference) => !reference.startsWith("urn:pulumi:other::boxes::"))).toEqual([]);
    } finally {
      workshop.remove();
    }
  });

  test("of a child that no state has yet moves with its parent", async () => {
    const workshop = edits.copy();
    try {
      interrupt(workshop, [["creating", "child"]]);
      const file = JSON.parse(readFileSync(fileOf(workshop, "dev"), "utf8"));
      const { latest } = file.checkpoint;
      latest.resources = latest.resources.filter((state: { urn: string }) => !state.urn.endsWith("::child"));
      writeFileSync(fileOf(workshop, "dev"), JSON.stringify(file));
      await runHere(workshop, ["stack", "init", "other", "--no-select"]);
      const line = ["state", "move", group, "--source", "dev", "--dest", "other", "--yes"];
      expect(await runHere(workshop, line)).toMatchObject({ code: 0 });
      expect([marksIn(workshop, "dev"), marksIn(workshop, "other")]).toEqual([[], ["creating other child"]]);
    } finally {
      workshop.remove();
    }
  });
});
