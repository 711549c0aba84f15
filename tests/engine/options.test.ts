import type { EngineEvent } from "../../engine/events";
import { namingBy } from "../../engine/plan/naming";
import { warnOfUnreadKeys } from "../../engine/run/admission";
import { makeSecret } from "../../engine/values/values";
import { type Box, boxType, Rig, urnOf } from "./rig";

const box = (name: string, props: object = {}, more: object = {}): Box => ({
  name,
  properties: { label: name, ...props },
  ...more,
});
const group = (name: string, more: object = {}): Box => ({
  name,
  type: "test:index:Group",
  custom: false,
  properties: {},
  ...more,
});
const on = (...names: string[]) => ({ dependencies: names.map((name) => urnOf(name)) });
const groupUrn = (name: string) => urnOf(name, undefined, "test:index:Group");
const child = (parent: string) => ({ parent: groupUrn(parent) });
const childUrn = (name: string) => urnOf(name, "test:index:Group");

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

describe("protect", () => {
  test("what the program lacks is said first, and the way to delete it last", async () => {
    await rig.up([box("a", {}, { protect: true })]);
    expect(await rig.up([], { preview: true })).toBe(false);
    expect(rig.errors()).toEqual([
      `${urnOf("a")} is protected and was not deleted: it is in the state and not in the program. Declare it as \`a\`. Only to delete the live object: \`npx pulumi-modelplatform state unprotect ${urnOf("a")} --stack dev\`, then \`npx pulumi-modelplatform up --stack dev\`.`,
    ]);
  });

  test("a destruction is told how to delete", async () => {
    await rig.up([box("a", {}, { protect: true })]);
    expect(await rig.destroy()).toBe(false);
    expect(rig.errors()).toEqual([
      expect.stringMatching(/is protected and was not deleted\. Remove `protect` from it in the program and run/),
    ]);
  });

  test("keeps a resource from being deleted; others go anyway", async () => {
    await rig.up([box("a", {}, { protect: true }), box("b")]);
    expect(await rig.up([])).toBe(false);
    expect(rig.deeds()).toEqual(["delete b"]);
    expect(rig.errors()).toEqual([expect.stringContaining(`${urnOf("a")} is protected`)]);
    expect(rig.state("a")).toMatchObject({ protect: true });
  });

  test("keeps a resource from being replaced, also as a dependent", async () => {
    const world = (zone: string) => [
      box("a", { zone, dbr: true }),
      box("b", { ref: zone }, { ...on("a"), propertyDependencies: { ref: [urnOf("a")] }, protect: true }),
    ];
    await rig.up(world("1"));
    expect(await rig.up(world("2"))).toBe(false);
    expect(await rig.up([box("a", { zone: "1" }), box("b", { ref: "2" }, { protect: true })])).toBe(false);
    expect(rig.deeds()).toEqual([]);
  });

  test("taken away, a replacement in the same run is fine", async () => {
    await rig.up([box("a", {}, { protect: true })]);
    expect(await rig.up([box("a", { zone: "2" }, { protect: false })])).toBe(true);
  });

  test("is inherited from the parent", async () => {
    await rig.up([group("g", { protect: true }), box("a", {}, child("g"))]);
    expect(rig.state("a")).toMatchObject({ protect: true });
  });
});

describe("ignoreChanges", () => {
  test("keeps the old value of a path, and of every element under a wildcard", async () => {
    await rig.up([box("a", { size: 2, tags: { x: { y: 1 }, z: 1 } })]);
    await rig.up([box("a", { size: 3, tags: { x: { y: 2 }, z: 2 } }, { ignoreChanges: ["size", "tags.x.y"] })]);
    expect(rig.steps()).toEqual(["same a"]);
    expect(rig.state("a").inputs).toMatchObject({ size: 2, tags: { x: { y: 1 }, z: 2 } });
  });
});

describe("replaceOnChanges", () => {
  test("replaces on a key that the provider named or that was found by comparing", async () => {
    const world = (color: string, x: number) => [
      box("a", { color, diff: "unknown" }, { replaceOnChanges: ["color"] }),
      box("b", { diff: "unknown", tags: { x } }, { replaceOnChanges: ["tags.*"] }),
      box("c", { color }, { replaceOnChanges: ["color"] }),
    ];
    await rig.up(world("red", 1));
    await rig.up(world("blue", 2));
    // The provider answers "some" without keys for c: then nothing says what changed.
    expect(rig.deeds()).toEqual(["create a", "create b", "update c", "delete b", "delete a"]);
  });

  test("has no say when nothing changed", async () => {
    await rig.up([box("a", { diff: "unknown" }, { replaceOnChanges: ["*"] })]);
    await rig.up([box("a", { diff: "unknown" }, { replaceOnChanges: ["*"] })]);
    expect(rig.steps()).toEqual(["same a"]);
  });
});

describe("retainOnDelete and deletedWith", () => {
  test("forget a resource without asking the provider", async () => {
    await rig.up([box("a", {}, { retainOnDelete: true }), box("b"), box("c", {}, { deletedWith: urnOf("b") })]);
    await rig.destroy();
    expect(rig.deeds()).toEqual(["delete b"]);
    expect(rig.names()).toEqual([]);
    expect([...rig.cloud.live.keys()]).toEqual(["a-1", "c-3"]);
  });

  test("count what stays live as left, and not as deleted", async () => {
    await rig.up([box("a", {}, { retainOnDelete: true }), box("b", { stays: true }), box("c")]);
    await rig.destroy();
    expect([...rig.cloud.live.keys()]).toEqual(["a-1", "b-2"]);
    expect([...rig.left()].sort()).toEqual(["a-1", "b-2"]);
    expect(rig.changes()).toMatchObject({ delete: 1 });
  });

  test.each([
    ["create", { deleteBeforeReplace: true }],
    ["delete", {}],
  ])("count no replacement whose %s fails", async (fail, options) => {
    await rig.up([box("b", { zone: "1", ...(fail === "delete" && { fail }) })]);
    await rig.up([box("b", { zone: "2", fail }, options)]);
    expect(rig.errors()).toHaveLength(1);
    expect(rig.changes()).toMatchObject({ replace: 0 });
  });

  test("count an old object that stays beside its replacement as left", async () => {
    await rig.up([box("b", { stays: true, zone: "1" })]);
    await rig.up([box("b", { stays: true, zone: "2" })]);
    expect([rig.left(), rig.changes()]).toMatchObject([["b-1"], { replace: 1, delete: 0 }]);
  });

  test("a resource deleted with one that stays is deleted on its own", async () => {
    await rig.up([box("b"), box("c", {}, { deletedWith: urnOf("b") })]);
    await rig.up([box("b")]);
    expect(rig.deeds()).toEqual(["delete c"]);
  });
});

describe("aliases", () => {
  const moved = { dependencies: [urnOf("old")] };

  test.each([
    ["a URN", [{ urn: urnOf("old") }]],
    ["a name", [{ name: "old" }]],
    ["a name and a type", [{ name: "old", type: boxType }]],
  ])("of %s find the old resource", async (_, aliases) => {
    await rig.up([box("old"), box("x", {}, moved)]);
    await rig.up([{ ...box("old"), name: "new", aliases }, box("x", {}, { dependencies: [urnOf("new")] })]);
    expect(rig.deeds()).toEqual([]);
    expect(rig.names()).toEqual(["new", "x"]);
    expect(rig.state("new")).not.toHaveProperty("aliases");
  });

  test("of a type find it under its former type", async () => {
    await rig.up([{ ...box("a"), type: "pulumi-nodejs:dynamic:Crate" }]);
    await rig.up([{ ...box("a"), aliases: [{ type: "pulumi-nodejs:dynamic:Crate" }] }]);
    expect(rig.deeds()).toEqual([]);
    expect(rig.state("a").type).toBe(boxType);
  });

  test("of a parent find it at its former place", async () => {
    await rig.up([group("g"), box("a", {}, child("g"))]);
    await rig.up([group("g"), box("a", {}, { aliases: [{ parent: groupUrn("g") }] })]);
    expect(rig.deeds()).toEqual([]);
    expect(rig.state("a").urn).toBe(urnOf("a"));
    await rig.up([group("g"), box("a", {}, { ...child("g"), aliases: [{ noParent: true }] })]);
    expect(rig.deeds()).toEqual([]);
    expect(rig.state("a").urn).toBe(childUrn("a"));
  });

  test("of a parent are inherited by its children, their names derived from its name too", async () => {
    await rig.up([group("app"), box("app-disk", {}, child("app")), box("other", {}, child("app"))]);
    await rig.up([
      group("web", { aliases: [{ name: "app" }] }),
      box("web-disk", { label: "app-disk" }, child("web")),
      box("other", {}, child("web")),
    ]);
    expect(rig.deeds()).toEqual([]);
    expect(rig.names()).toEqual(["web", "web-disk", "other"]);
    expect(rig.state("other").parent).toBe(groupUrn("web"));
  });

  test("leave references of what the program dropped valid until it is deleted", async () => {
    await rig.up([box("old"), box("x", { fail: "delete" }, on("old"))]);
    expect(await rig.up([{ ...box("old"), name: "new", aliases: [{ name: "old" }] }])).toBe(false);
    expect(rig.state("x").dependencies).toEqual([urnOf("new")]);
  });

  test("of a resource that the program declares as well are refused", async () => {
    await rig.up([box("old")]);
    expect(await rig.up([box("old"), { ...box("new"), aliases: [{ name: "old" }] }])).toBe(false);
    expect(rig.errors()).toEqual([expect.stringContaining("which the program declares too")]);
  });
});

describe("providers", () => {
  const provider = (name: string, region: string): Box => ({
    name,
    type: "pulumi:providers:pulumi-nodejs",
    properties: { region },
  });
  const reference = (name: string) => {
    const state = rig.assembly?.ledger
      .current()
      .find(({ state: { urn } }) => urn.endsWith(`pulumi-nodejs::${name}`))?.state;
    return `${state?.urn}::${state?.id}`;
  };

  test("are used where they are named, and inherited through components", async () => {
    await rig.up([provider("eu", "eu")]);
    const eu = reference("eu");
    await rig.up([
      provider("eu", "eu"),
      box("a", {}, { provider: eu }),
      group("g", { providers: new Map([["pulumi-nodejs", eu]]) }),
      box("b", {}, child("g")),
      box("c"),
    ]);
    expect(rig.deeds()).toEqual(["create a@eu", "create b@eu", "create c"]);
  });

  test.each<[unknown, string[]]>([
    ['["*"]', ["create a@eu"]],
    [["other", "pulumi-nodejs"], ["create a@eu"]],
    ['["other"]', ["create a@eu", "create b"]],
  ])("that %j disables by default have to be named", async (names, deeds) => {
    await rig.up([provider("eu", "eu")]);
    const eu = reference("eu");
    rig.config = { pulumi: { "disable-default-providers": names as string } };
    const program = [provider("eu", "eu"), box("a", {}, { provider: eu }), box("b")];
    const refusal = await rig.up(program).then(() => "", String);
    expect(rig.cloud.calls.filter((call) => call.startsWith("create"))).toEqual(deeds);
    if (deeds.length === 1) expect(refusal).toContain("without a default provider: give the resource a `provider`");
  });

  test("that change their configuration are updated, and their resources stay", async () => {
    await rig.up([provider("eu", "eu")]);
    const eu = reference("eu");
    await rig.up([provider("eu", "eu"), box("a", {}, { provider: eu })]);
    await rig.up([provider("eu", "west"), box("a", {}, { provider: eu })]);
    expect(rig.steps()).toEqual(["update eu", "same a"]);
    expect(rig.cloud.calls).toEqual(["check a@west", "diff a@west"]);
  });

  test("go after the resources that they manage, deleted with the recorded config", async () => {
    await rig.up([provider("eu", "eu")]);
    await rig.up([provider("eu", "eu"), box("a", {}, { provider: reference("eu") })]);
    await rig.up([]);
    expect(rig.deeds()).toEqual(["delete a@eu"]);
    expect(rig.steps()).toEqual(["delete a", "delete eu"]);
  });
});

describe("secrets", () => {
  test("mark outputs of the same name and those the program lists", async () => {
    await rig.up([box("a", { size: makeSecret(3) }, { additionalSecretOutputs: ["serial", "missing", "id"] })]);
    expect(rig.state("a").outputs).toEqual({ label: "a", size: makeSecret(3), serial: makeSecret(1) });
  });

  test("are masked in the differences that events report", async () => {
    await rig.up([box("a", { size: makeSecret(3) })]);
    await rig.up([box("a", { size: makeSecret(4) })]);
    const diffs = rig.events.flatMap((event) => (event.kind === "stepFinished" ? event.step.diffs : []));
    expect(diffs).toEqual([{ path: "size", kind: "update", old: "[secret]", new: "[secret]" }]);
  });
});

describe("targets", () => {
  beforeEach(() => rig.up([box("a"), box("b", {}, on("a")), box("c")]));

  test("leave everything else as it is", async () => {
    const changed = [box("a", { size: 2 }), box("b", { size: 2 }, on("a")), box("n")];
    expect(await rig.up(changed, { target: [urnOf("b")] })).toBe(true);
    expect(rig.deeds()).toEqual(["update b"]);
    expect(rig.names().sort()).toEqual(["a", "b", "c"]);
    expect(rig.state("a").inputs).toMatchObject({ size: 1 });
  });

  test("may be patterns", async () => {
    await rig.up([box("a", { size: 2 }), box("b", { size: 2 }, on("a")), box("c", { size: 2 })], {
      target: ["**::a", "**:c"],
    });
    expect(rig.deeds()).toEqual(["update a", "update c"]);
  });

  test("that depend on something that would have to be created are refused", async () => {
    expect(await rig.up([box("n"), box("m", {}, on("n"))], { target: [urnOf("m")] })).toBe(false);
    expect(rig.errors()).toEqual([expect.stringContaining(`depends on ${urnOf("n")}`)]);
  });

  test("of a destroy are deleted alone; with dependents they are refused", async () => {
    expect(await rig.destroy({ target: [urnOf("a")] })).toBe(false);
    expect(rig.deeds()).toEqual([]);
    expect(await rig.destroy({ target: [urnOf("b"), urnOf("c")] })).toBe(true);
    expect(rig.names()).toEqual(["a"]);
  });

  test("keep the state in an order in which everything follows what it depends on", async () => {
    await rig.up([box("b", { size: 9 }, on("a"))], { target: [urnOf("b")] });
    expect(rig.names().sort()).toEqual(["a", "b", "c"]);
  });
});

describe("replacing on demand", () => {
  test("makes a new object of the same inputs, as if there were no old one", async () => {
    await rig.up([box("a"), box("b")]);
    await rig.up([box("a"), box("b")], { replace: [urnOf("a")] });
    expect(rig.cloud.calls).toEqual(["check-new a", "create a", "check b", "diff b", "delete a"]);
  });

  test("happens to a tainted resource, once", async () => {
    await rig.up([box("a")]);
    rig.snapshot = {
      ...rig.snapshot,
      resources: rig.snapshot.resources.map((state) => (state.urn === urnOf("a") ? { ...state, taint: true } : state)),
    };
    await rig.up([box("a")]);
    await rig.up([box("a")]);
    expect(rig.steps()).toEqual(["same a"]);
    expect(rig.state("a").id).toBe("a-2");
  });
});

describe("autonaming", () => {
  const config = (values: Record<string, string>) => ({ values, secretKeys: [], secrets: [] });
  const named = (autonaming: object) =>
    namingBy({
      ...{ organization: "acme", project: "rig", stack: "dev" },
      config: config({ "pulumi:autonaming": JSON.stringify(autonaming) }),
    });

  test("is said to the provider, and two objects of one name are replaced in turn", async () => {
    const namingOf = named({ pattern: "x-${name}" });
    await rig.up([box("a", { zone: "1" })], { namingOf });
    expect(rig.cloud.calls).toContain("named propose x-a");
    await rig.up([box("a", { zone: "2" })], { namingOf });
    expect(rig.deeds().filter((deed) => !deed.startsWith("named"))).toEqual(["delete a", "create a"]);
  });

  test("with something random in it lets a successor stand beside its predecessor", async () => {
    const namingOf = named({ pattern: "${name}-${hex(8)}" });
    await rig.up([box("a", { zone: "1" })], { namingOf });
    await rig.up([box("a", { zone: "2" })], { namingOf });
    expect(rig.deeds().filter((deed) => !deed.startsWith("named"))).toEqual(["create a", "delete a"]);
  });

  test("is left to the provider where the stack says nothing", () => {
    expect(namingBy({ organization: "acme", project: "rig", stack: "dev", config: config({}) })("urn")).toBeUndefined();
  });

  test("other keys of the engine that do nothing are named", () => {
    const said: string[] = [];
    const context = {
      clock: () => new Date(0),
      emit: (event: EngineEvent) => void said.push(event.kind === "diagnostic" ? event.message : event.kind),
    };
    const read = { "pulumi:autonaming": "{}", "pulumi:disable-default-providers": "[]", "rig:tags": "1" };
    const template = '{"pulumi:template":"typescript"}';
    warnOfUnreadKeys(context, config({ ...read, "pulumi:tags": template }));
    expect(said).toEqual([]);
    warnOfUnreadKeys(context, config({ "pulumi:tags": '{"team":"core"}', "pulumi:autonamin": "{}" }));
    expect(said).toEqual([
      "`pulumi:tags` does nothing here: stacks of the built-in engine have no tags.",
      "`pulumi:autonamin` is not a key that an engine reads: there are pulumi:autonaming, pulumi:disable-default-providers.",
    ]);
  });
});
