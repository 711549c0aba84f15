import { nightly } from "../nightly";
import { cliPath, comparable, pulumi, skipReason } from "./judge";
import { type BoxProgram, Workshop } from "./workshop";

jest.setTimeout(120_000);

const judged = cliPath === undefined ? describe.skip : describe;

const a = (props: object = {}) => ({ name: "a", props: { label: "a", size: 2, ...props } });
const secrets = { mint: true, nothing: null, list: [1, { secret: "s" }] };

/** One world after the other, and the targets of the `up` that goes there; each says what it is there for. */
const worlds: [string, BoxProgram, string[]][] = [
  [
    "a world with everything in it",
    {
      resources: [
        a({ ...secrets, password: { secret: "hunter2" }, nested: { x: { secret: 1 }, y: 2 } }),
        { name: "g", kind: "group", outputs: { inner: "@a.serial" } },
        {
          name: "child",
          props: { label: "child", ref: "@a.serial", size: 5 },
          opts: {
            parent: "@g",
            ignoreChanges: ["size"],
            customTimeouts: { create: "5m" },
            additionalSecretOutputs: ["serial"],
          },
        },
        { name: "eu", kind: "provider", props: { "boxes:region": "eu", key: { secret: "x" } } },
        { name: "far", props: { label: "far", dep: "@child", text: { asset: "hello" } }, opts: { provider: "@eu" } },
        { name: "gone", props: { label: "gone" }, opts: { retainOnDelete: true } },
        { name: "kept", props: { label: "kept", zone: "1" }, opts: { retainOnDelete: true } },
        { name: "old-name", as: "renamed", props: { label: "renamed" }, opts: { protect: true } },
        { name: "first", props: { label: "first", zone: "1", dbr: true } },
        { name: "second", props: { label: "second", ref: "@first.serial" } },
        { name: "third", props: { label: "third", size: "@first.serial" } },
        { name: "tied", props: { label: "tied" }, opts: { deletedWith: "@first" } },
        { name: "coloured", props: { label: "coloured", color: "red" }, opts: { replaceOnChanges: ["color"] } },
        {
          name: "shapeless",
          props: { label: "shapeless", diff: "unknown", tags: { x: 1 } },
          opts: { replaceOnChanges: ["tags.*"] },
        },
        { name: "open", props: { label: "open", diff: "unknown", text: { secret: "x" } } },
        { name: "dropped", props: { label: "dropped" } },
        { name: "seen", kind: "read", props: { id: "outside-1", label: "seen" } },
        { name: "watched", kind: "read", props: { id: "outside-1", label: "seen" } },
        { name: "outer", kind: "group" },
        { name: "x", props: { label: "x" }, opts: { parent: "@outer" } },
        { name: "outer-y", as: "y", props: { label: "y", dep: "@x.serial" }, opts: { parent: "@outer" } },
      ],
      outputs: { id: "@a.id", password: "@a.password", all: "@child" },
    },
    [],
  ],
  [
    "changes of every kind",
    {
      resources: [
        a({ ...secrets, size: 3, password: { secret: "hunter3" }, nested: { x: { secret: 1 }, y: 3 } }),
        { name: "g", kind: "group", outputs: { inner: "@a.serial" } },
        {
          name: "child",
          props: { label: "child", ref: "@a.serial", size: 6 },
          opts: { parent: "@g", ignoreChanges: ["size"], customTimeouts: { create: "6m" } },
        },
        {
          name: "west",
          as: "eu",
          kind: "provider",
          props: { "boxes:region": "eu-west", key: { secret: "x" } },
          opts: { aliases: [{ name: "eu" }] },
        },
        {
          name: "far",
          props: { label: "far", dep: "@child", text: { asset: "hello again" } },
          opts: { provider: "@eu" },
        },
        { name: "kept", props: { label: "kept", zone: "2" }, opts: { retainOnDelete: true } },
        {
          name: "new-name",
          as: "renamed",
          props: { label: "renamed" },
          opts: { protect: false, aliases: [{ name: "old-name" }] },
        },
        { name: "first", props: { label: "first", zone: "2", dbr: true } },
        { name: "second", props: { label: "second", ref: "@first.serial" } },
        { name: "third", props: { label: "third", size: "@first.serial" } },
        { name: "tied", props: { label: "tied" }, opts: { deletedWith: "@first" } },
        { name: "coloured", props: { label: "coloured", color: "blue" }, opts: { replaceOnChanges: ["color"] } },
        {
          name: "shapeless",
          props: { label: "shapeless", diff: "unknown", tags: { x: 2 } },
          opts: { replaceOnChanges: ["tags.*"] },
        },
        { name: "open", props: { label: "open", diff: "unknown", text: "x" } },
        { name: "seen", props: { label: "seen" } },
        { name: "watched", kind: "read", props: { id: "outside-2", label: "seen" } },
        { name: "inner", as: "outer", kind: "group", opts: { aliases: [{ name: "outer" }] } },
        { name: "x", props: { label: "x" }, opts: { parent: "@outer" } },
        { name: "inner-y", as: "y", props: { label: "y", dep: "@x.serial" }, opts: { parent: "@outer" } },
        { name: "late", props: { label: "late" }, opts: { dependsOn: ["@third"] } },
      ],
      outputs: { id: "@a.id", serial: "@first.serial" },
    },
    [],
  ],
  [
    "a single target among changes",
    {
      resources: [
        a({ size: 4 }),
        { name: "first", props: { label: "first", zone: "3", dbr: true } },
        { name: "late", props: { label: "late", size: 8 }, opts: { dependsOn: ["@a"] } },
      ],
    },
    ["**::late"],
  ],
  [
    "a box that never becomes ready",
    {
      resources: [
        a({ size: 3 }),
        { name: "broken", props: { label: "broken", fail: "init" }, opts: { dependsOn: ["@a"] } },
      ],
    },
    [],
  ],
  [
    "the same box, repaired",
    { resources: [a({ size: 3 }), { name: "broken", props: { label: "broken" }, opts: { dependsOn: ["@a"] } }] },
    [],
  ],
];

const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort();

/** Objects that nobody manages. */
function seeTwo(boxes: { [id: string]: object }): void {
  for (const id of ["outside-1", "outside-2"]) boxes[id] = { label: "seen", region: "nowhere" };
}

judged(`The built-in engine and the Pulumi CLI agree${skipReason}`, () => {
  const ours = new Workshop();
  const theirs = new Workshop();

  beforeAll(async () => {
    for (const workshop of [ours, theirs]) workshop.changeCloud((boxes) => seeTwo(boxes));
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

  const both = async (operation: "up" | "refresh" | "destroy", ...targets: string[]) => {
    theirs.forgetCalls();
    const flags = [
      "--yes",
      "--skip-preview",
      "--json",
      "--parallel",
      "1",
      ...targets.flatMap((each) => ["--target", each]),
    ];
    const [their] = await Promise.all([
      pulumi(theirs, operation, ...flags),
      ours.run(operation, { parallel: 1, target: targets }),
    ]);
    return their;
  };

  const agreeOn = (some: typeof worlds): void =>
    test.each(some)("on %s", async (_, scenario, targets) => {
      for (const workshop of [ours, theirs]) workshop.declare(scenario);
      expectAgreement(await both("up", ...targets));
    });
  agreeOn(worlds.slice(0, 2));
  nightly("each world is a run of both engines; the two of every run have all kinds of changes", () =>
    agreeOn(worlds.slice(2)),
  );

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
      const [their, our] = await Promise.all([
        pulumi(native, "preview", "--stack", "dev", "--expect-no-changes"),
        foreign.run("preview", { expectNoChanges: true }),
      ]);
      expect(their).toMatchObject({ code: 0 });
      expect(our).toMatchObject({ result: "succeeded", unexpectedChanges: false });
      expect(foreign.steps().filter((step) => !/^(same|read) /.test(step))).toEqual([]);
    } finally {
      foreign.remove();
      native.remove();
    }
  });

  test("on destroying it", async () => {
    expectAgreement(await both("destroy"));
  });
});
