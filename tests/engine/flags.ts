import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Copies } from "./copies";
import { comparable } from "./judge";
import { type Runner, unasked } from "./runners";
import type { BoxProgram, DeclaredBox, Workshop } from "./workshop";

const urn = (name: string): string => `urn:pulumi:dev::boxes::pulumi-nodejs:dynamic/test:Box::${name}`;
const box = (name: string, props: object = {}, opts: object = {}): DeclaredBox => ({
  name,
  props: { label: name, ...props },
  opts: { ...opts },
});

/** `b` hangs on `a`, `c` is protected, `d` is alone. */
const world = (props: object = {}, failing: { [name: string]: string } = {}): DeclaredBox[] => {
  const fails = (name: string) => (failing[name] ? { ...props, fail: failing[name] } : props);
  return [
    box("a", fails("a")),
    box("b", fails("b"), { dependsOn: ["@a"] }),
    box("c", fails("c"), { protect: true }),
    box("d", fails("d")),
  ];
};
const changed = { resources: world({ size: 2 }) };
const without = (...names: string[]): BoxProgram => ({
  resources: world().filter(({ name }) => !names.includes(name)),
});

export interface FlagCase {
  line: string;
  /** What the program declares then. Default: what it declared before. */
  program?: BoxProgram;
  /** What `Pulumi.yaml` says besides. */
  project?: string;
  /** What happens outside before. */
  outside?: (boxes: { [id: string]: { [key: string]: unknown } }) => void;
  /** What the file holds before, over what the first `up` left. */
  state?: (deployment: { [key: string]: unknown }) => void;
  fails?: boolean;
  /** What providers did besides checks and diffs, in any order. */
  deeds: string[];
  /** The boxes that the state holds afterwards, each once for each state. */
  left: string[];
}

const everything = ["a", "b", "c", "d"];
const resized = (boxes: { [id: string]: { [key: string]: unknown } }, id: string) =>
  (boxes[id] = { ...boxes[id], size: 7 });

const alwaysRefresh = "options: { refresh: always }\n";

/** Flags and the project's settings, by what they tell the engine. */
export const cases: { [title: string]: FlagCase } = {
  "a target alone": { line: `up --target ${urn("b")}`, program: changed, deeds: ["update b"], left: everything },
  "a pattern of targets": { line: "up --target **::d", program: changed, deeds: ["update d"], left: everything },
  "a target and its dependents": {
    line: `up --target ${urn("a")} --target-dependents`,
    program: changed,
    deeds: ["update a", "update b"],
    left: everything,
  },
  "a target whose dependent the program has lost": {
    line: `up --target ${urn("a")}`,
    program: without("b"),
    fails: true,
    deeds: [],
    left: everything,
  },
  "a target and its dependents, one of which the program has lost": {
    line: `up --target ${urn("a")} --target-dependents`,
    program: without("b"),
    deeds: ["delete b"],
    left: ["a", "c", "d"],
  },
  "all but one": {
    line: `up --exclude ${urn("a")}`,
    program: changed,
    deeds: ["update b", "update c", "update d"],
    left: everything,
  },
  "all but one and its dependents": {
    line: `up --exclude ${urn("a")} --exclude-dependents`,
    program: changed,
    deeds: ["update c", "update d"],
    left: everything,
  },
  "an excluded resource that the program lost, with what it depends on": {
    line: `up --exclude ${urn("b")}`,
    program: without("a", "b", "d"),
    deeds: ["delete d"],
    left: ["a", "b", "c"],
  },
  "a replacement on demand": { line: `up --replace ${urn("d")}`, deeds: ["create d", "delete d"], left: everything },
  "a target to replace": {
    line: `up --target-replace ${urn("d")}`,
    program: changed,
    deeds: ["create d", "delete d"],
    left: everything,
  },
  "a target that is not there": { line: `up --target ${urn("x")}`, fails: true, deeds: [], left: everything },
  "a refresh before an update": {
    line: "up --refresh",
    program: without("b"),
    outside: (boxes) => resized(boxes, "d-1"),
    deeds: ["read a", "read b", "read c", "read d", "update d", "delete b"],
    left: ["a", "c", "d"],
  },
  "a refresh that the project asks for": {
    line: "up",
    project: alwaysRefresh,
    outside: (boxes) => resized(boxes, "d-1"),
    deeds: ["read a", "read b", "read c", "read d", "update d"],
    left: everything,
  },
  "a preview of a project that asks for a refresh": {
    line: "preview",
    project: alwaysRefresh,
    deeds: ["read a", "read b", "read c", "read d"],
    left: everything,
  },
  "a destruction in a project that asks for a refresh": {
    line: "destroy --exclude-protected",
    project: alwaysRefresh,
    outside: (boxes) => delete boxes["d-1"],
    deeds: ["read a", "read b", "read d", "delete a", "delete b"],
    left: ["c"],
  },
  "no refresh, against what the project asks for": {
    line: "up --refresh=false",
    project: alwaysRefresh,
    outside: (boxes) => resized(boxes, "d-1"),
    deeds: [],
    left: everything,
  },
  "a version of Pulumi that the project has": {
    line: "up",
    project: `requiredPulumiVersion: ">=3.200.0 <4.0.0"\n`,
    program: changed,
    deeds: everything.map((name) => `update ${name}`),
    left: everything,
  },
  "a version of Pulumi that the project does not have": {
    line: "up",
    project: `requiredPulumiVersion: "<3.200.0"\n`,
    program: changed,
    fails: true,
    deeds: [],
    left: everything,
  },
  "an option that no project has": {
    line: "up",
    project: "options: { refesh: always }\n",
    program: changed,
    fails: true,
    deeds: [],
    left: everything,
  },
  "a refresh as the program declares": {
    line: "up --refresh --run-program",
    program: without("b"),
    outside: (boxes) => {
      resized(boxes, "d-1");
      delete boxes["a-1"];
    },
    deeds: ["read a", "read c", "read d", "create a", "update d", "delete b"],
    left: ["a", "c", "d"],
  },
  "a failure that the rest survives": {
    line: "up --continue-on-error",
    program: { resources: [...world({ size: 2 }, { a: "update" }), box("e")] },
    fails: true,
    deeds: ["update a", "update c", "update d", "create e"],
    left: [...everything, "e"],
  },
  "a failure that the deletion of what it needs waits for": {
    line: "up --continue-on-error",
    program: { resources: [box("b", { size: 2, fail: "update" }), ...world().slice(2, 3)] },
    fails: true,
    deeds: ["update b", "delete d"],
    left: ["a", "b", "c"],
  },
  "a failure that ends it": {
    line: "up",
    program: {
      resources: [
        box("a", { fail: "update", size: 2 }),
        box("b", { size: 2 }, { dependsOn: ["@a"] }),
        ...world().slice(2, 3),
      ],
    },
    fails: true,
    deeds: ["update a"],
    left: everything,
  },
  "a refresh of a target": {
    line: `refresh --target ${urn("d")}`,
    outside: (boxes) => ["a-1", "d-1"].forEach((id) => resized(boxes, id)),
    deeds: ["read d"],
    left: everything,
  },
  "a refresh of a target and its dependents": {
    line: `refresh --target ${urn("a")} --target-dependents`,
    deeds: ["read a", "read b"],
    left: everything,
  },
  "a refresh of all but one and its dependents": {
    line: `refresh --exclude ${urn("a")} --exclude-dependents`,
    deeds: ["read c", "read d"],
    left: everything,
  },
  "a refresh with the program, which makes nothing": {
    line: "refresh --run-program",
    program: { resources: [...without("d").resources, box("e")] },
    outside: (boxes) => {
      resized(boxes, "c-1");
      delete boxes["a-1"];
    },
    deeds: ["read a", "read b", "read c", "read d"],
    left: ["b", "c", "d"],
  },
  "a refresh that leaves a pending creation": {
    line: "refresh",
    state: pendingCreation,
    deeds: ["read a", "read b", "read c", "read d"],
    left: everything,
  },
  "a refresh that clears a pending creation": {
    line: "refresh --clear-pending-creates",
    state: pendingCreation,
    deeds: ["read a", "read b", "read c", "read d"],
    left: everything,
  },
  "the destruction of a target that another needs": {
    line: `destroy --target ${urn("a")}`,
    fails: true,
    deeds: [],
    left: everything,
  },
  "the destruction of a target and its dependents": {
    line: `destroy --target ${urn("a")} --target-dependents`,
    deeds: ["delete b", "delete a"],
    left: ["c", "d"],
  },
  "the destruction of all but one": {
    line: `destroy --exclude ${urn("b")} --exclude ${urn("c")}`,
    deeds: ["delete d"],
    left: ["a", "b", "c"],
  },
  "the destruction of what is not protected": {
    line: "destroy --exclude-protected",
    deeds: ["delete a", "delete b", "delete d"],
    left: ["c"],
  },
  "a destruction that finds protection": {
    line: "destroy",
    fails: true,
    deeds: ["delete a", "delete b", "delete d"],
    left: ["c"],
  },
  "a destruction with the program, which takes protection away and makes nothing": {
    line: "destroy --run-program",
    program: { resources: [box("a"), box("b", { size: 9 }), box("c"), box("e", {}, { dependsOn: ["@a"] })] },
    deeds: ["delete a", "delete b", "delete c", "delete d"],
    left: [],
  },
  "a destruction after a refresh": {
    line: "destroy --refresh --exclude-protected",
    outside: (boxes) => delete boxes["d-1"],
    deeds: ["read a", "read b", "read d", "delete a", "delete b"],
    left: ["c"],
  },
  "a preview of a target": {
    line: `preview --target ${urn("b")} --diff`,
    program: changed,
    deeds: [],
    left: everything,
  },
  "changes that nobody expected": {
    line: "preview --expect-no-changes",
    program: changed,
    fails: true,
    deeds: [],
    left: everything,
  },
  "a target and an exclusion": {
    line: `up --target ${urn("b")} --exclude ${urn("a")}`,
    fails: true,
    deeds: [],
    left: everything,
  },
};

function pendingCreation(deployment: { [key: string]: unknown }): void {
  const resource = { urn: urn("lost"), custom: true, type: "pulumi-nodejs:dynamic/test:Box" };
  deployment["pending_operations"] = [{ resource, type: "creating" }];
}

/** Workshops as the first `up` leaves them; `opened` sees each before the engine does. */
export class Flags extends Copies {
  constructor(opened?: (workshop: Workshop) => void) {
    super({ resources: world() }, opened);
  }

  private prepared({ program, project, outside, state }: FlagCase): Workshop {
    const workshop = this.copy();
    if (project !== undefined) appendFileSync(join(workshop.program, "Pulumi.yaml"), project);
    workshop.forgetCalls();
    if (program) workshop.declare(program);
    if (outside) workshop.changeCloud((boxes) => void outside(boxes));
    if (state) {
      const file = join(workshop.backend, ".pulumi/stacks/boxes/dev.json");
      const document = JSON.parse(readFileSync(file, "utf8"));
      state(document.checkpoint.latest);
      writeFileSync(file, JSON.stringify(document));
    }
    return workshop;
  }

  async outcome(each: FlagCase, engine: Runner) {
    const workshop = this.prepared(each);
    try {
      const { code, output } = await engine(workshop, unasked(each.line));
      const told = { fails: code !== 0, deeds: workshop.deeds().sort(), left: boxesIn(workshop) };
      const { resources, pending } = workshop.state();
      const calls = workshop.calls().map((call) => JSON.stringify(call));
      return { told, output, exact: { states: comparable(resources), pending: pending.length, calls: calls.sort() } };
    } finally {
      workshop.remove();
    }
  }
}

const boxesIn = (workshop: Workshop): string[] =>
  workshop
    .state()
    .resources.filter(({ type }) => type.includes(":Box"))
    .map(({ urn: each }) => each.split("::").at(-1)!)
    .sort();

/** What an outcome has to tell. */
export const expected = ({ fails = false, deeds, left }: FlagCase) => ({
  fails,
  deeds: [...deeds].sort(),
  left: [...left].sort(),
});
