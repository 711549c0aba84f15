import { warnOfPending } from "../../engine/run/admission";
import type { PendingOperation } from "../../engine/state/resource-state";
import { OutcomeUnknownError } from "../../protocol/provider-calls";
import { boxType, Rig, urnOf } from "./rig";

/** What a run does about operations that an earlier run began, and whose outcome it did not record. */

const pendingIn = (rig: Rig): string[] =>
  rig.snapshot.pendingOperations.map(({ type, resource }) => `${type} ${resource.urn.split("::").at(-1)}`);

/** A stack with these boxes, in whose state an earlier run has left an operation on one of them. */
async function interrupted(name: string, type: PendingOperation["type"], boxes = ["a", "b"]): Promise<Rig> {
  const rig = new Rig();
  await rig.up(boxes.map((each) => ({ name: each })));
  rig.snapshot = { ...rig.snapshot, pendingOperations: [{ type, resource: rig.state(name) }] };
  return rig;
}

const both = [{ name: "a" }, { name: "b" }];

describe("an interrupted update", () => {
  test("has its object read by the next `up`, and nothing else", async () => {
    const rig = await interrupted("a", "updating");
    expect(await rig.up(both)).toBe(true);
    expect(rig.deeds()).toEqual(["read a"]);
    expect(pendingIn(rig)).toEqual([]);
    await rig.up(both);
    expect(rig.deeds()).toEqual([]);
  });

  test("is reverted by the next `up` where it was carried out", async () => {
    const rig = await interrupted("a", "updating");
    rig.cloud.live.set(rig.state("a").id!, { label: "a", size: 8 });
    await rig.up(both);
    expect(rig.deeds()).toEqual(["read a", "update a"]);
    expect(rig.cloud.live.get(rig.state("a").id!)).toMatchObject({ size: 1 });
    expect(pendingIn(rig)).toEqual([]);
  });

  test.each([
    ["`up`", (rig: Rig) => rig.up(both)],
    ["`refresh`", (rig: Rig) => rig.refresh()],
  ])("is marked in the events of %s, and no other change is", async (_, run) => {
    const rig = await interrupted("a", "updating");
    for (const name of ["a", "b"]) rig.cloud.live.set(rig.state(name).id!, { label: name, size: 8 });
    await run(rig);
    const marked = rig.events.flatMap((event) =>
      event.kind === "stepFinished" && event.step.mayBeOwn ? [event.step.name] : [],
    );
    expect(new Set(marked)).toEqual(new Set(["a"]));
    await rig.refresh();
    expect(rig.events.flatMap((event) => ("step" in event && event.step.mayBeOwn ? [event.step.name] : []))).toEqual(
      [],
    );
  });

  test("is shown by a preview, which clears nothing", async () => {
    const rig = await interrupted("a", "updating");
    rig.cloud.live.set(rig.state("a").id!, { label: "a", size: 8 });
    await rig.up(both, { preview: true });
    expect(rig.deeds()).toEqual(["read a"]);
    expect(rig.steps().join()).toContain("update a");
    expect(pendingIn(rig)).toEqual(["updating a"]);
  });

  test("stays pending in a run with another target", async () => {
    const rig = await interrupted("a", "updating");
    await rig.up(both, { target: [urnOf("b")] });
    expect(rig.deeds()).toEqual([]);
    expect(pendingIn(rig)).toEqual(["updating a"]);
  });

  test("stays pending under an alias's new name, in a run with another target", async () => {
    const rig = await interrupted("a", "updating");
    const renamed = [{ name: "z", properties: { label: "a", size: 1 }, aliases: [{ name: "a" }] }, { name: "b" }];
    await rig.up(renamed, { target: [urnOf("b")] });
    expect(rig.deeds()).toEqual([]);
    expect(pendingIn(rig)).toHaveLength(1);
    await rig.up(renamed);
    expect(rig.deeds()).toEqual(["read a"]);
    expect(pendingIn(rig)).toEqual([]);
  });

  test("stays pending under an alias's new name if the provider did not see the object", async () => {
    const rig = await interrupted("a", "updating");
    const unseen = () => rig.assembly!.context.ledger.noteUnseen(isOf("a"));
    rig.cloud.gates.set("read a", Promise.resolve().then(unseen));
    const z = { name: "z", properties: { label: "a", size: 1 } };
    await rig.up([{ ...z, aliases: [{ name: "a" }] }, { name: "b" }]);
    expect(pendingIn(rig)).toEqual(["updating z"]);
    rig.cloud.gates.clear();
    await rig.up([z, { name: "b" }]);
    expect(rig.deeds()).toEqual(["read a"]);
    expect(pendingIn(rig)).toEqual([]);
  });

  test("stays pending where the read fails", async () => {
    const rig = await interrupted("a", "updating");
    rig.snapshot = {
      ...rig.snapshot,
      resources: rig.snapshot.resources.map((state) =>
        state.urn === urnOf("a") ? { ...state, outputs: { ...state.outputs, fail: "read" } } : state,
      ),
    };
    expect(await rig.up(both)).toBe(false);
    expect(pendingIn(rig)).toEqual(["updating a"]);
  });

  test.each([
    ["a refresh", (rig: Rig) => rig.refresh()],
    ["a destroy", (rig: Rig) => rig.destroy()],
    ["a changed program", (rig: Rig) => rig.up([{ name: "a", properties: { label: "a", size: 4 } }, { name: "b" }])],
    ["a program without the resource", (rig: Rig) => rig.up([{ name: "b" }])],
  ])("is over after %s", async (_, run) => {
    const rig = await interrupted("a", "updating");
    expect(await run(rig)).toBe(true);
    expect(pendingIn(rig)).toEqual([]);
  });

  test("stays pending where the provider did not see the object", async () => {
    const rig = await interrupted("a", "updating");
    rig.cloud.gates.set(
      "read a",
      Promise.resolve().then(() => rig.assembly!.context.ledger.noteUnseen(isOf("a"))),
    );
    await rig.up(both);
    expect(rig.deeds()).toEqual(["read a"]);
    expect(pendingIn(rig)).toEqual(["updating a"]);
  });
});

describe("an interrupted delete", () => {
  test("has its object read, and created again where it is gone", async () => {
    const rig = await interrupted("a", "deleting");
    rig.cloud.live.delete(rig.state("a").id!);
    await rig.up(both);
    expect(rig.deeds()).toEqual(["read a", "create a"]);
    expect(pendingIn(rig)).toEqual([]);
  });
});

describe("an interrupted create", () => {
  const creating = (name: string, created?: string): PendingOperation => ({
    type: "creating",
    resource: { urn: urnOf(name), type: boxType, custom: true, ...(created && { created }) },
  });

  test.each([
    ["destroy", /doctor --next --stack \S+` names what else was begun/],
    ["refresh", /up --stack \S+` finds or makes what was being created/],
    ["up", /up --stack \S+` takes over what was created/],
  ] as const)("that a `%s` leaves is named with the command that ends it", async (operation, advice) => {
    const rig = new Rig();
    rig.snapshot = { ...rig.snapshot, pendingOperations: [creating("a")] };
    await (operation === "up" ? rig.up([]) : rig[operation]());
    warnOfPending(rig.assembly!.context, operation);
    const warnings = rig.events.flatMap((event) => (event.kind === "diagnostic" ? [event.message] : []));
    expect(warnings).toEqual([expect.stringMatching(advice)]);
  });

  test("is stamped with the time at which it began", async () => {
    const rig = new Rig();
    await rig.up([{ name: "a" }]);
    const begun = rig.snapshots.flatMap(({ pendingOperations }) => pendingOperations);
    expect(begun).toContainEqual({
      type: "creating",
      resource: expect.objectContaining({ created: new Date(0).toISOString() }),
    });
    expect(pendingIn(rig)).toEqual([]);
  });

  test("of a replacement stays pending while the state has the older object alone", async () => {
    const rig = new Rig();
    await rig.up([{ name: "a" }]);
    const later = new Date(60_000).toISOString();
    rig.snapshot = { ...rig.snapshot, pendingOperations: [creating("a", later)] };
    await rig.up([{ name: "a" }, { name: "b" }]);
    expect(pendingIn(rig)).toEqual(["creating a"]);
    await rig.up([{ name: "a", properties: { label: "a", zone: "z" } }, { name: "b" }]);
    expect(rig.deeds()).toEqual(["create a", "delete a"]);
    expect(pendingIn(rig)).toEqual([]);
  });

  test("of a replacement is over once its resource was renamed and replaced", async () => {
    const rig = new Rig();
    await rig.up([{ name: "a" }]);
    rig.snapshot = { ...rig.snapshot, pendingOperations: [creating("a", new Date(60_000).toISOString())] };
    await rig.up([{ name: "z", properties: { label: "a", size: 1 }, aliases: [{ name: "a" }] }]);
    expect(pendingIn(rig)).toEqual(["creating z"]);
    await rig.up([{ name: "z", properties: { label: "a", size: 1, zone: "z" } }]);
    expect(rig.deeds()).toEqual(["create a", "delete a"]);
    expect(pendingIn(rig)).toEqual([]);
  });

  test("is over once the state has an object that is younger", async () => {
    const rig = new Rig();
    await rig.up([{ name: "a" }]);
    rig.snapshot = { ...rig.snapshot, pendingOperations: [creating("a", new Date(-60_000).toISOString())] };
    await rig.up([{ name: "a" }, { name: "b" }]);
    expect(pendingIn(rig)).toEqual([]);
  });

  test("stays pending where the next create is refused, or the older object is read", async () => {
    const rig = new Rig();
    const later = new Date(60_000).toISOString();
    rig.snapshot = { ...rig.snapshot, pendingOperations: [creating("a", later)] };
    await rig.up([{ name: "a", properties: { label: "a", fail: "create" } }]);
    expect(pendingIn(rig)).toEqual(["creating a"]);
    rig.snapshot = { ...rig.snapshot, pendingOperations: [] };
    await rig.up([{ name: "a" }]);
    rig.snapshot = { ...rig.snapshot, pendingOperations: [creating("a", later)] };
    await rig.refresh();
    expect(pendingIn(rig)).toEqual(["creating a"]);
  });

  test("stays pending where its answer is lost", async () => {
    const rig = new Rig();
    rig.cloud.gates.set("create a", Promise.reject(new OutcomeUnknownError("the connection was lost")));
    await rig.up([{ name: "a" }]);
    expect(pendingIn(rig)).toEqual(["creating a"]);
  });

  test("stays pending where its provider reports that the outcome is unknown", async () => {
    const rig = new Rig();
    rig.cloud.gates.set("create a", Promise.reject(new Error("lost (docs/errors.md#the-outcome-is-unknown)")));
    await rig.up([{ name: "a" }]);
    expect(pendingIn(rig)).toEqual(["creating a"]);
  });
});

test("an operation of an unknown type is kept and named until the user clears it", async () => {
  const rig = await interrupted("a", "annealing");
  await rig.up([...both, { name: "c" }]);
  expect(pendingIn(rig)).toEqual(["annealing a"]);
  await rig.refresh();
  expect(pendingIn(rig)).toEqual(["annealing a"]);
  rig.assembly!.context.ledger.forgetPendingCreates();
  expect(rig.assembly!.context.ledger.snapshot().pendingOperations).toEqual([]);
});

const isOf = (name: string) => (urn: string) => urn === urnOf(name);

describe("the ledger answers about its state", () => {
  const ledgerOf = (rig: Rig) => rig.assembly!.context.ledger;
  const any = () => true;

  test("which entry holds an object, of those whose outputs and URN match", async () => {
    const rig = new Rig();
    await rig.up([{ name: "a" }]);
    const { id = "" } = rig.state("a");
    expect(ledgerOf(rig).holderOf(id, any)).toBe(urnOf("a"));
    expect(ledgerOf(rig).holderOf(id, (outputs) => outputs["label"] === "a")).toBe(urnOf("a"));
    expect(ledgerOf(rig).holderOf(id, (outputs) => outputs["label"] === "b")).toBeUndefined();
    expect(ledgerOf(rig).holderOf(id, (_, urn) => urn === urnOf("b"))).toBeUndefined();
    expect(ledgerOf(rig).holderOf("other", any)).toBeUndefined();
    await rig.up([]);
    expect(ledgerOf(rig).holderOf(id, any)).toBeUndefined();
  });

  test("what an earlier run began and did not record", async () => {
    const rig = await interrupted("a", "updating");
    await rig.up(both, { target: [urnOf("b")] });
    expect(ledgerOf(rig).mayBeChanged(isOf("a"))).toBe(true);
    expect(ledgerOf(rig).mayBeChanged(isOf("b"))).toBe(false);
    expect(ledgerOf(rig).creatingSince(isOf("a"))).toBeUndefined();
  });

  test.each([
    [new Date(90_000).toISOString(), 90_000],
    [undefined, Number.NaN],
  ])("since when a create is pending: %s", async (created, since) => {
    const rig = new Rig();
    rig.snapshot = {
      ...rig.snapshot,
      pendingOperations: [
        { type: "creating", resource: { urn: urnOf("a"), type: boxType, custom: true, ...(created && { created }) } },
      ],
    };
    await rig.up([]);
    expect(ledgerOf(rig).creatingSince(isOf("a"))).toBe(since);
    expect(ledgerOf(rig).creatingSince(isOf("b"))).toBeUndefined();
  });
});
