import { cliPath, comparable, pulumi, skipReason } from "./judge";
import { Workshop, type Scenario } from "./workshop";

jest.setTimeout(120_000);

const judged = cliPath === undefined ? describe.skip : describe;

const a = (props: object = {}) => ({ name: "a", props: { label: "a", size: 2, ...props } });

/** One world after the other; each says what it is there for. */
const worlds: [string, Scenario][] = [
  [
    "a world with everything in it",
    {
      resources: [
        { ...a({ password: { secret: "hunter2" }, mint: true, nothing: null, nested: { x: { secret: 1 }, y: 2 }, list: [1, { secret: "s" }] }) },
        { name: "g", kind: "group", outputs: { inner: "@a.serial" } },
        { name: "child", props: { label: "child", ref: "@a.serial", size: 5 }, opts: { parent: "@g", ignoreChanges: ["size"], customTimeouts: { create: "5m" }, additionalSecretOutputs: ["serial"] } },
        { name: "eu", kind: "provider", props: { "boxes:region": "eu", key: { secret: "x" } } },
        { name: "far", props: { label: "far", dep: "@child", text: { asset: "hello" } }, opts: { provider: "@eu" } },
        { name: "kept", props: { label: "kept" }, opts: { retainOnDelete: true } },
        { name: "tied", props: { label: "tied" }, opts: { deletedWith: "@a" } },
        { name: "old-name", as: "renamed", props: { label: "renamed" }, opts: { protect: true } },
        { name: "first", props: { label: "first", zone: "1", dbr: true } },
        { name: "second", props: { label: "second", ref: "@first.serial" } },
        { name: "third", props: { label: "third", size: "@first.serial" } },
        { name: "coloured", props: { label: "coloured", color: "red" }, opts: { replaceOnChanges: ["color"] } },
        { name: "shapeless", props: { label: "shapeless", diff: "unknown", tags: { x: 1 } }, opts: { replaceOnChanges: ["tags.*"] } },
        { name: "dropped", props: { label: "dropped" } },
        { name: "seen", kind: "read", props: { id: "outside-1", label: "seen" } },
      ],
      outputs: { id: "@a.id", password: "@a.password", all: "@child" },
    },
  ],
  [
    "changes of every kind",
    {
      resources: [
        { ...a({ size: 3, password: { secret: "hunter3" }, mint: true, nothing: null, nested: { x: { secret: 1 }, y: 3 }, list: [1, { secret: "s" }] }) },
        { name: "g", kind: "group", outputs: { inner: "@a.serial" } },
        { name: "child", props: { label: "child", ref: "@a.serial", size: 6 }, opts: { parent: "@g", ignoreChanges: ["size"], customTimeouts: { create: "6m" } } },
        { name: "eu", kind: "provider", props: { "boxes:region": "eu-west", key: { secret: "x" } } },
        { name: "far", props: { label: "far", dep: "@child", text: { asset: "hello again" } }, opts: { provider: "@eu" } },
        { name: "tied", props: { label: "tied" }, opts: { deletedWith: "@a" } },
        { name: "new-name", as: "renamed", props: { label: "renamed" }, opts: { protect: false, aliases: [{ name: "old-name" }] } },
        { name: "first", props: { label: "first", zone: "2", dbr: true } },
        { name: "second", props: { label: "second", ref: "@first.serial" } },
        { name: "third", props: { label: "third", size: "@first.serial" } },
        { name: "coloured", props: { label: "coloured", color: "blue" }, opts: { replaceOnChanges: ["color"] } },
        { name: "shapeless", props: { label: "shapeless", diff: "unknown", tags: { x: 2 } }, opts: { replaceOnChanges: ["tags.*"] } },
        { name: "seen", props: { label: "seen" } },
        { name: "late", props: { label: "late" }, opts: { dependsOn: ["@third"] } },
      ],
      outputs: { id: "@a.id", serial: "@first.serial" },
    },
  ],
  ["a box that never becomes ready", { resources: [a({ size: 3 }), { name: "broken", props: { label: "broken", fail: "init" }, opts: { dependsOn: ["@a"] } }] }],
  ["the same box, repaired", { resources: [a({ size: 3 }), { name: "broken", props: { label: "broken" }, opts: { dependsOn: ["@a"] } }] }],
];

const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort();

judged(`The built-in engine and the Pulumi CLI agree${skipReason}`, () => {
  const ours = new Workshop();
  const theirs = new Workshop();

  beforeAll(async () => {
    for (const workshop of [ours, theirs]) workshop.changeCloud((boxes) => (boxes["outside-1"] = { label: "seen", region: "nowhere" }));
    await pulumi(theirs, "stack", "init", "dev");
  });
  afterAll(() => {
    ours.remove();
    theirs.remove();
  });

  /** The CLI deletes what can go at the same time in any order. */
  const expectAgreement = (their: { steps: string[] }) => {
    expect(sorted(ours.calls())).toEqual(sorted(theirs.calls()));
    expect(sorted(ours.steps())).toEqual(sorted(their.steps));
    expect(comparable(ours.state().resources)).toEqual(comparable(theirs.state().resources));
  };

  const both = async (operation: "up" | "refresh" | "destroy") => {
    theirs.forgetCalls();
    const [their] = await Promise.all([pulumi(theirs, operation, "--yes", "--skip-preview", "--json", "--parallel", "1"), ours.run(operation, { parallel: 1 })]);
    return their;
  };

  test.each(worlds)("on %s", async (_, scenario) => {
    for (const workshop of [ours, theirs]) workshop.declare(scenario);
    expectAgreement(await both("up"));
  });

  test("on a refresh of a world that moved", async () => {
    for (const workshop of [ours, theirs]) {
      workshop.changeCloud((boxes) => {
        boxes["a-1"] = { ...boxes["a-1"], size: 9, found: "new" };
        delete boxes["broken-1"];
      });
    }
    expectAgreement(await both("refresh"));
  });

  test("on healing it", async () => {
    expectAgreement(await both("up"));
  });

  test("that neither has anything to do on the other's state", async () => {
    const [foreign, native] = [new Workshop(), new Workshop()];
    try {
      theirs.lend(foreign);
      ours.lend(native);
      const [their, our] = await Promise.all([pulumi(native, "preview", "--stack", "dev", "--expect-no-changes"), foreign.run("preview", { expectNoChanges: true })]);
      expect(their).toMatchObject({ code: 0 });
      expect(our).toMatchObject({ result: "succeeded", unexpectedChanges: false });
      expect(foreign.steps().every((step) => step.startsWith("same "))).toBe(true);
    } finally {
      foreign.remove();
      native.remove();
    }
  });

  test("on destroying it", async () => {
    expectAgreement(await both("destroy"));
  });
});
