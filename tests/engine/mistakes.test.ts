import type { EngineEvent } from "../../engine/events";
import { Rig, urnOf } from "./rig";

/** Checks that fail: each fails its resource, and whatever does not depend on it is checked all the same. */

const box = (name: string, props: object = {}, more: object = {}) => ({
  name,
  properties: { label: name, ...props },
  ...more,
});
const bad = (name: string, more: object = {}) => box(name, { label: "bad" }, more);
const on = (...names: string[]) => ({ dependencies: names.map((name) => urnOf(name)) });

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

type Diagnostic = Extract<EngineEvent, { kind: "diagnostic" }>;

const unchecked = (): [string, string][] =>
  rig.events
    .filter((event): event is Diagnostic => event.kind === "diagnostic" && event.unchecked === true)
    .map(({ urn = "", message }) => [urn, message]);

/** The boxes that a check has been about. */
const checks = (): number => rig.cloud.calls.filter((call) => call.startsWith("check")).length;

describe("a preview", () => {
  test("lists the mistakes of all resources, and plans what has none", async () => {
    const boxes = Array.from({ length: 31 }, (_, index) => bad(`m${index}`));
    expect(await rig.up([...boxes, box("fine")], { preview: true })).toBe(false);
    expect(rig.errors()).toEqual(boxes.map(() => "label: must not be bad"));
    expect(rig.steps()).toContain("create fine");
  });

  test("does not check what depends on a mistake, and says so", async () => {
    const boxes = [bad("a"), box("b", {}, on("a")), box("c", {}, on("b")), box("d")];
    expect(await rig.up(boxes, { preview: true })).toBe(false);
    expect(unchecked()).toEqual([
      [urnOf("b"), "not checked: depends on a"],
      [urnOf("c"), "not checked: depends on b"],
    ]);
    expect(checks()).toBe(2);
    expect(rig.steps()).toEqual(["create d"]);
  });

  test("shows deletions behind a mistake, and none of what has one or depends on it", async () => {
    await rig.up([box("old"), box("a", {}, on("old")), box("b", {}, on("a"))]);
    expect(await rig.up([bad("a"), box("b", {}, on("a"))], { preview: true })).toBe(false);
    expect(rig.steps()).toEqual(["delete old"]);
  });

  test("shows a failed comparison as a mistake of its resource alone", async () => {
    await rig.up([box("a"), box("b")]);
    expect(await rig.up([box("a", { fail: "diff" }), box("b", { size: 2 })], { preview: true })).toBe(false);
    expect(rig.errors()).toEqual(["refused to diff"]);
    expect(rig.steps()).toEqual(["update b"]);
  });

  test("says of errors and warnings where the program declares the resource", async () => {
    const at = (place: string) => ({ sourcePosition: `project:///${place},14` });
    await rig.up([bad("a", at("index.ts#3")), box("b", {}, { ...on("a"), ...at("index.ts#4") })], { preview: true });
    const places = rig.events.flatMap((event) => (event.kind === "diagnostic" ? [event.place] : []));
    expect(places).toEqual(["index.ts:3", "index.ts:4"]);
  });
});

describe("an update", () => {
  test("writes nothing after a failed check, and checks the rest", async () => {
    await rig.up([box("same"), box("changed"), box("gone")]);
    const boxes = [box("first"), bad("a"), box("same"), box("changed", { size: 2 }), bad("b"), box("last")];
    expect(await rig.up(boxes)).toBe(false);
    expect(rig.deeds()).toEqual(["create first"]);
    expect(rig.errors()).toEqual(["label: must not be bad", "label: must not be bad"]);
    expect(checks()).toBe(6);
    expect(rig.names().sort()).toEqual(["changed", "first", "gone", "same"]);
    expect(rig.assembly!.executor.outcomes.outcomes()).toMatchObject({
      done: [urnOf("first")],
      failed: [urnOf("a"), urnOf("b")],
      notBegun: [urnOf("changed"), urnOf("last")],
    });
  });

  test("ends and records what is under way when a check fails", async () => {
    rig.cloud.gates.set(
      "check-new bad",
      rig.when((event) => event.kind === "stepStarted" && event.step.name === "a"),
    );
    rig.cloud.gates.set(
      "create a",
      rig.when((event) => event.kind === "diagnostic"),
    );
    expect(await rig.up([box("a"), bad("b")], { together: true, parallel: 2 })).toBe(false);
    expect(rig.names()).toEqual(["a"]);
  });

  test("begins to write once the checks that ask a service have ended", async () => {
    rig.cloud.gates.set("check-new bad", new Promise((resolve) => setImmediate(resolve)));
    expect(await rig.up([box("a"), bad("b")], { together: true, parallel: 2, asksAhead: () => true })).toBe(false);
    expect(rig.deeds()).toEqual([]);
    expect(rig.errors()).toEqual(["label: must not be bad"]);
  });

  test("does not wait for the checks of what follows from its first write", async () => {
    const boxes = [box("a"), bad("b", on("a")), box("c")];
    expect(await rig.up(boxes, { asksAhead: () => true })).toBe(false);
    expect(rig.deeds()).toEqual(["create a"]);
  });

  test("checks what depends on a resource that it no longer makes", async () => {
    expect(await rig.up([bad("a"), box("b"), bad("c", on("b")), box("d", {}, on("a"))])).toBe(false);
    expect(rig.errors()).toHaveLength(2);
    expect(unchecked()).toEqual([[urnOf("d"), "not checked: depends on a"]]);
    expect(rig.deeds()).toEqual([]);
  });

  test("that continues on errors makes everything else", async () => {
    const boxes = [bad("a"), box("b"), box("c", {}, on("a"))];
    expect(await rig.up(boxes, { continueOnError: true })).toBe(false);
    expect(rig.deeds()).toEqual(["create b"]);
  });
});
