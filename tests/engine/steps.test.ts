import { isDefaultProvider, type Snapshot } from "../../engine/state/resource-state";
import { Rig, urnOf } from "./rig";

const box = (name: string, props: object = {}, more: object = {}) => ({
  name,
  properties: { label: name, ...props },
  ...more,
});
const on = (...names: string[]) => ({ dependencies: names.map((name) => urnOf(name)) });
/** The input `ref` comes from the box of that name. */
const from = (name: string) => ({ ...on(name), propertyDependencies: { ref: [urnOf(name)] } });

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

describe("a resource", () => {
  test("that is new is created, and its default provider before it", async () => {
    expect(await rig.up([box("a")])).toBe(true);
    expect(rig.cloud.calls).toEqual(["check-new a", "create a"]);
    expect(rig.snapshot.resources.map(({ urn }) => urn)).toEqual([
      urnOf("default", undefined, "pulumi:providers:pulumi-nodejs"),
      urnOf("a"),
    ]);
    expect(rig.state("a")).toMatchObject({
      id: "a-1",
      inputs: { label: "a", size: 1 },
      outputs: { label: "a", serial: 1, size: 1 },
    });
    expect(rig.assembly?.executor.changes).toEqual({ create: 1, update: 0, replace: 0, delete: 0, same: 0 });
  });

  test("gives its place to the next one while its end is still being written", async () => {
    const isPending = ({ pendingOperations }: Snapshot, name: string): boolean =>
      pendingOperations.some(({ resource }) => resource.urn === urnOf(name));
    let proceed: () => void;
    const begun = new Promise<void>((resolve) => (proceed = resolve));
    rig.writing = async (state) => {
      const isMade = state.resources.some(({ urn }) => urn === urnOf("a"));
      if (isPending(state, "b")) proceed();
      else if (isMade) await begun;
    };
    expect(await rig.up([box("a"), box("b")], { parallel: 1, together: true })).toBe(true);
    expect(rig.deeds()).toEqual(["create a", "create b"]);
    expect(rig.snapshots.some((state) => isPending(state, "a") && isPending(state, "b"))).toBe(false);
  });

  test("that did not change is left alone", async () => {
    await rig.up([box("a")]);
    expect(await rig.up([box("a")])).toBe(true);
    expect(rig.cloud.calls).toEqual(["check a", "diff a"]);
    expect(rig.steps()).toEqual(["same a"]);
  });

  test("is updated in place, and its differences are listed", async () => {
    await rig.up([box("a")]);
    await rig.up([box("a", { size: 2 })]);
    expect(rig.deeds()).toEqual(["update a"]);
    expect(rig.events.find(({ kind }) => kind === "stepFinished")).toMatchObject({
      step: { op: "update", diffs: [{ path: "size", kind: "update", old: 1, new: 2 }] },
    });
  });

  test("is replaced by a new object first, and the old one goes at the end", async () => {
    await rig.up([box("a"), box("b", { ref: 1 }, from("a"))]);
    await rig.up([box("a", { zone: "2" }), box("b", { ref: 2 }, from("a"))]);
    expect(rig.deeds()).toEqual(["create a", "create b", "delete b", "delete a"]);
    expect(rig.steps()).toEqual([
      "create-replacement a",
      "replace a",
      "create-replacement b",
      "replace b",
      "delete-replaced b",
      "delete-replaced a",
    ]);
    expect(rig.state("a").id).toBe("a-3");
    expect(rig.assembly?.executor.changes).toMatchObject({ replace: 2, create: 0, delete: 0 });
  });

  test("is replaced after the old object is gone if so declared, its dependents before", async () => {
    const world = (zone: string) => [
      box("a", { zone, dbr: true }),
      box("b", { ref: zone }, from("a")),
      box("c", { size: 5 }, on("a")),
      box("d", {}, { deletedWith: urnOf("a"), dependencies: [urnOf("a")] }),
    ];
    await rig.up(world("1"));
    await rig.up(world("2"));
    expect(rig.deeds()).toEqual(["delete b", "delete a", "create a", "create b", "create d"]);
    expect(rig.steps().filter((step) => step.startsWith("same"))).toEqual(["same c"]);
    expect(rig.names()).toEqual(["a", "b", "c", "d"]);
    await rig.up([box("a", { zone: "3", dbr: true }, { deleteBeforeReplace: false }), ...world("3").slice(1)]);
    expect(rig.deeds().slice(0, 2)).toEqual(["create a", "create b"]);
  });

  test("that the program forgot is deleted, dependents first and the rest at once", async () => {
    await rig.up([box("a"), box("b", {}, on("a")), box("c", {}, on("b")), box("d")]);
    await rig.up([]);
    const order = rig.deeds();
    expect(order).toHaveLength(4);
    expect(order.indexOf("delete c")).toBeLessThan(order.indexOf("delete b"));
    expect(order.indexOf("delete b")).toBeLessThan(order.indexOf("delete a"));
    expect(rig.names()).toEqual([]);
  });

  test("declared twice is refused", async () => {
    expect(await rig.up([box("a"), box("a", { size: 3 })])).toBe(false);
    expect(rig.errors()).toEqual([expect.stringContaining(`declares ${urnOf("a")} twice`)]);
  });

  test("deleted ahead of a replacement and no longer declared is only forgotten", async () => {
    const world = (zone: string) => [box("a", { zone, dbr: true }), box("b", { ref: zone }, from("a"))];
    await rig.up(world("1"));
    await rig.up(world("2").slice(0, 1));
    expect(rig.deeds()).toEqual(["delete b", "delete a", "create a"]);
    expect(rig.names()).toEqual(["a"]);
  });
});

describe("a failure", () => {
  test("of one resource stops steps that have not started, and loses no finished work", async () => {
    expect(await rig.up([box("a"), box("b", { fail: "create" }), box("c")])).toBe(false);
    expect(rig.deeds()).toEqual(["create a", "create b"]);
    expect(rig.names()).toEqual(["a"]);
    expect(rig.errors()).toEqual(["refused to create"]);
  });

  test("lets running steps finish and records them", async () => {
    rig.cloud.gates.set(
      "create a",
      rig.when(({ kind }) => kind === "stepFailed"),
    );
    const running = rig.up([box("a"), box("b", { fail: "create" })], { together: true });
    expect(await running).toBe(false);
    expect(rig.names()).toEqual(["a"]);
  });

  test("to become ready is recorded, and the next run continues with an update", async () => {
    expect(await rig.up([box("a", { fail: "init" })])).toBe(false);
    expect(rig.state("a")).toMatchObject({ id: "a-1", initErrors: ["not ready"] });
    expect(rig.events).toContainEqual(expect.objectContaining({ kind: "stepFailed", code: "unsettled" }));
    expect(await rig.up([box("a", { fail: "init" })])).toBe(true);
    expect(rig.deeds()).toEqual(["update a"]);
    expect(rig.state("a")).not.toHaveProperty("initErrors");
  });

  test("to become ready replaces the resource when the program says so", async () => {
    await rig.up([box("a", { fail: "init" })]);
    await rig.up([box("a", {}, { replaceOnChanges: ["#initerror"] })]);
    expect(rig.deeds()).toEqual(["create a", "delete a"]);
  });

  test("of a check names the property, and nothing begins", async () => {
    expect(await rig.up([box("a", { label: "bad" })])).toBe(false);
    expect(rig.errors()).toEqual(["label: must not be bad"]);
    expect(rig.deeds()).toEqual([]);
  });

  test("that is refused or fails is reported with the program's line that declares it", async () => {
    const at = (place: string) => ({ sourcePosition: `project:///${place},14` });
    await rig.up([box("a", { fail: "create" }, at("my%20app/users.ts#27"))]);
    const failure = rig.events.find(({ kind }) => kind === "stepFailed");
    expect(failure).toMatchObject({ place: "my app/users.ts:27" });
    await rig.up([box("bad", {}, at("index.ts#3"))]);
    const refusal = rig.events.find((event) => event.kind === "diagnostic" && event.severity === "error");
    expect(refusal).toMatchObject({ place: "index.ts:3" });
    await rig.up([box("bad", {}, at("node_modules/acme/index.js#3"))]);
    const foreign = rig.events.find((event) => event.kind === "diagnostic" && event.severity === "error");
    expect(foreign).not.toHaveProperty("place");
  });

  test("between deletion and creation leaves a mark, and the next run only creates", async () => {
    await rig.up([box("a", { zone: "1", dbr: true })]);
    await rig.up([box("a", { zone: "2", dbr: true, fail: "create" })]);
    expect(rig.state("a")).toMatchObject({ id: "a-1", pendingReplacement: true });
    await rig.up([box("a", { zone: "2", dbr: true })]);
    expect(rig.deeds()).toEqual(["create a"]);
    expect(rig.states("a")).toEqual([expect.objectContaining({ id: "a-2" })]);
    expect(rig.state("a")).not.toHaveProperty("pendingReplacement");
  });

  test("to delete a replaced object keeps it for the next run", async () => {
    await rig.up([box("a", { zone: "1", fail: "delete" })]);
    expect(await rig.up([box("a", { zone: "2" })])).toBe(false);
    expect(rig.states("a")).toEqual([
      expect.objectContaining({ id: "a-2" }),
      expect.objectContaining({ id: "a-1", delete: true }),
    ]);
  });

  test("of a deletion spares what the undeleted resource depends on", async () => {
    await rig.up([box("a"), box("b", { fail: "delete" }, on("a")), box("c")]);
    expect(await rig.destroy()).toBe(false);
    expect(rig.names()).toContain("a");
    expect(rig.names()).toContain("b");
  });
});

describe("the state file", () => {
  test("holds each operation before it begins and forgets it with its end", async () => {
    await rig.up([box("a")]);
    const pending = rig.snapshots.map(({ pendingOperations }) =>
      pendingOperations.map(({ type, resource }) => `${type} ${resource.urn.split("::").at(-1)}`),
    );
    expect(pending).toContainEqual(["creating a"]);
    expect(pending.at(-1)).toEqual([]);
  });

  test("is not written when nothing changed", async () => {
    await rig.up([box("a")]);
    await rig.up([box("a")]);
    expect(rig.snapshots).toEqual([]);
  });

  test("keeps a pending creation of an earlier run until its URN exists", async () => {
    const left = (name: string) => ({
      type: "creating" as const,
      resource: { urn: urnOf(name), custom: true, type: "pulumi-nodejs:dynamic:Box" },
    });
    rig.snapshot = { ...rig.snapshot, pendingOperations: [left("a"), left("b"), { ...left("c"), type: "updating" }] };
    await rig.up([box("a")]);
    expect(rig.snapshot.pendingOperations.map(({ resource }) => resource.urn)).toEqual([urnOf("b")]);
  });
});

describe("a preview", () => {
  test("asks for checks and diffs only, and answers inputs as outputs", async () => {
    await rig.up([box("a")]);
    const before = rig.snapshot;
    await rig.up([box("a", { zone: "2" }), box("b")], { preview: true });
    expect(rig.deeds()).toEqual([]);
    expect(rig.steps()).toEqual(["create-replacement a", "replace a", "create b", "delete-replaced a"]);
    expect(rig.snapshot).toBe(before);
    expect(rig.snapshots).toEqual([]);
  });
});

test.each([
  ["default", true],
  ["default_1_2_3", true],
  ["default_1_2_3_alpha_4", true],
  ["default_eu", false],
  ["eu", false],
])("a provider of the name %s is one that no program declares: %s", (name, isDefault) => {
  expect(isDefaultProvider({ type: "pulumi:providers:acme", name })).toBe(isDefault);
});
