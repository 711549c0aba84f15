import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceState } from "../../engine/state/resource-state";
import { Copies } from "./copies";
import { comparable } from "./judge";
import { type Runner, runHere } from "./runners";
import type { BoxProgram, Workshop } from "./workshop";

const urn = (name: string, type = "pulumi-nodejs:dynamic/test:Box", stack = "dev"): string =>
  `urn:pulumi:${stack}::boxes::${type}::${name}`;
const group = "test:index:Group";
const child = urn("child", `${group}$pulumi-nodejs:dynamic/test:Box`);

const scenario: BoxProgram = {
  resources: [
    { name: "a", props: { label: "a", password: { secret: "hunter2" } } },
    { name: "b", props: { label: "b", ref: "@a.serial" }, opts: { dependsOn: ["@a"] } },
    { name: "c", props: { label: "c" }, opts: { protect: true } },
    { name: "g", kind: "group" },
    { name: "child", props: { label: "child", dep: "@a.serial" }, opts: { parent: "@g" } },
    { name: "eu", kind: "provider", props: { "boxes:region": "eu" } },
    { name: "far", props: { label: "far" }, opts: { provider: "@eu" } },
  ],
  outputs: { whole: "@b" },
};

export interface StateEditCase {
  /** One after the other. */
  lines: string[][];
  fails?: boolean;
  /** What the state of dev says afterwards, of all that it says. */
  names: string[];
  marked?: { [name: string]: string };
}

const all = ["a", "b", "c", "child", "eu", "far", "g"];
const on = (...args: string[]): string[] => [...args, "--yes", "--stack", "dev"];
export const cases: { [title: string]: StateEditCase } = {
  "a resource that others need is not forgotten": {
    lines: [on("state", "delete", urn("a"))],
    fails: true,
    names: all,
    marked: { c: "protect" },
  },
  "a resource is forgotten with its dependents": {
    lines: [on("state", "delete", urn("a"), "--target-dependents")],
    names: ["c", "eu", "far", "g"],
    marked: { c: "protect" },
  },
  "a component is forgotten with its children": {
    lines: [on("state", "delete", urn("g", group), "--target-dependents")],
    names: ["a", "b", "c", "eu", "far"],
    marked: { c: "protect" },
  },
  "several resources are forgotten at once": {
    lines: [on("state", "delete", urn("b"), urn("far"))],
    names: ["a", "c", "child", "eu", "g"],
    marked: { c: "protect" },
  },
  "a protected resource is not forgotten": {
    lines: [on("state", "delete", urn("c"))],
    fails: true,
    names: all,
    marked: { c: "protect" },
  },
  "a protected resource is forgotten by force": {
    lines: [on("state", "delete", urn("c"), "--force")],
    names: all.filter((name) => name !== "c"),
  },
  "a resource is tainted, another protected": {
    lines: [on("state", "taint", urn("a")), on("state", "protect", urn("b"))],
    names: all,
    marked: { a: "taint", b: "protect", c: "protect" },
  },
  "a resource that is not there is not tainted": {
    lines: [on("state", "taint", urn("x"))],
    fails: true,
    names: all,
    marked: { c: "protect" },
  },
  "marks are taken away": {
    lines: [
      on("state", "taint", urn("a")),
      on("state", "untaint", urn("a")),
      on("state", "unprotect", "--all"),
      on("state", "taint", urn("b")),
      on("state", "untaint", "--all"),
    ],
    names: all,
  },
  "a resource gets another name": {
    lines: [on("state", "rename", urn("a"), "z")],
    names: [...all.filter((name) => name !== "a"), "z"].sort(),
    marked: { c: "protect" },
  },
  "a component gets another name": {
    lines: [on("state", "rename", urn("g", group), "h")],
    names: [...all.filter((name) => name !== "g"), "h"].sort(),
    marked: { c: "protect" },
  },
  "a provider gets another name": {
    lines: [on("state", "rename", urn("eu", "pulumi:providers:pulumi-nodejs"), "west")],
    names: [...all.filter((name) => name !== "eu"), "west"].sort(),
    marked: { c: "protect" },
  },
  "a name that is taken is refused": {
    lines: [on("state", "rename", urn("a"), "b")],
    fails: true,
    names: all,
    marked: { c: "protect" },
  },
  "resources move to another stack": {
    lines: [["state", "move", urn("a"), urn("g", group), "--source", "dev", "--dest", "other", "--yes"]],
    names: ["b", "c", "eu", "far"],
    marked: { c: "protect" },
  },
  "a resource moves with its parents and its provider": {
    lines: [["state", "move", child, urn("far"), "--include-parents", "--source", "dev", "--dest", "other", "--yes"]],
    names: ["a", "b", "c", "eu"],
    marked: { c: "protect" },
  },
};

const nameOf = ({ urn: each }: ResourceState): string => each.split("::").at(-1)!;

export function stateOf(workshop: Workshop, stack: string): ResourceState[] {
  const file = join(workshop.backend, `.pulumi/stacks/boxes/${stack}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")).checkpoint.latest?.resources ?? []) : [];
}

/** Commands on the state of one stack, each time in a copy of it. */
export class StateEdits extends Copies {
  constructor(opened?: (workshop: Workshop) => void) {
    super(scenario, opened);
  }

  async outcome({ lines }: StateEditCase, run: Runner) {
    const workshop = this.copy();
    try {
      if (lines.some((line) => line.includes("other"))) await run(workshop, ["stack", "init", "other", "--no-select"]);
      let last = { code: 0, output: "" };
      for (const line of lines) last = await run(workshop, line);
      const dev = stateOf(workshop, "dev");
      const marks = dev.flatMap((state) =>
        (["taint", "protect"] as const).flatMap((mark) => (state[mark] === true ? [[nameOf(state), mark]] : [])),
      );
      const names = dev.filter(({ urn: each }) => !each.endsWith("::default") && !each.includes("pulumi:pulumi:Stack"));
      return {
        told: { fails: last.code !== 0, names: names.map(nameOf).sort(), marked: Object.fromEntries(marks) },
        output: last.output,
        exact: [comparable(dev), comparable(stateOf(workshop, "other"))],
      };
    } finally {
      workshop.remove();
    }
  }
}

/** What an outcome has to tell. */
export const expected = ({ fails = false, names, marked = {} }: StateEditCase) => ({ fails, names, marked });

/** The same on the built-in engine, whether its processes are real or run in this one. */
export function testStateEdits(edits: StateEdits): void {
  describe("by the built-in engine's commands", () => {
    test.each(Object.keys(cases))("%s", async (title) => {
      const { told, output } = await edits.outcome(cases[title]!, runHere);
      expect({ ...told, output }).toEqual({ ...expected(cases[title]!), output });
    });

    test("a stack is renamed with history and config, and its program has nothing to do", async () => {
      const workshop = edits.copy();
      try {
        expect(await runHere(workshop, ["stack", "rename", "live", "--stack", "dev"])).toMatchObject({ code: 0 });
        expect(stateOf(workshop, "live").map(({ urn: each }) => each.split("::")[0])).toEqual(
          stateOf(edits.template, "dev").map(() => "urn:pulumi:live"),
        );
        expect(existsSync(join(workshop.backend, ".pulumi/stacks/boxes/dev.json"))).toBe(false);
        const history = await runHere(workshop, ["stack", "history", "--json"]);
        expect(JSON.parse(history.output)).toMatchObject([{ kind: "update", result: "succeeded" }]);
        const preview = ["preview", "--expect-no-changes", "--stack", "live"];
        expect(await runHere(workshop, preview)).toMatchObject({ code: 0 });
      } finally {
        workshop.remove();
      }
    });
  });
}
