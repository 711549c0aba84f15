import { Rig, urnOf } from "./rig";

/** What a run that does not succeed tells of each resource. */

const box = (name: string, props: object = {}, more: object = {}) => ({
  name,
  properties: { label: name, ...props },
  ...more,
});
const on = (...names: string[]) => ({ dependencies: names.map((name) => urnOf(name)) });

let rig: Rig;
beforeEach(() => void (rig = new Rig()));

const outcomes = () => {
  const { done, failed, unknown, notBegun } = rig.assembly!.executor.outcomes.outcomes();
  const named = (urns: readonly string[]): string[] => urns.map((urn) => urn.replace(/.*::/, ""));
  return { done: named(done), failed: named(failed), unknown: named(unknown), notBegun: named(notBegun) };
};

test("what was done, has failed and was not begun is told apart", async () => {
  const boxes = [box("a"), box("b", { fail: "create" }), box("c"), box("d", {}, on("c"))];
  expect(await rig.up(boxes, { parallel: 1, together: true })).toBe(false);
  expect(outcomes()).toEqual({ done: ["a"], failed: ["b"], unknown: [], notBegun: ["c", "d"] });
});

test("a lost answer is unknown, whichever process says so", async () => {
  const lost = "answered 503. See docs/errors.md#the-outcome-is-unknown";
  rig.cloud.gates.set("create b", Promise.reject(new Error(lost)));
  await rig.up([box("a"), box("b")]);
  expect(outcomes()).toEqual({ done: ["a"], failed: [], unknown: ["b"], notBegun: [] });
});

test("what depends on a failure is not begun where the others go on", async () => {
  const boxes = [box("a", { fail: "create" }), box("b", {}, on("a")), box("c")];
  await rig.up(boxes, { continueOnError: true });
  expect(outcomes()).toEqual({ done: ["c"], failed: ["a"], unknown: [], notBegun: ["b"] });
});

test("what exists and is not ready has failed", async () => {
  await rig.up([box("a", { fail: "init" })]);
  expect(outcomes()).toEqual({ done: [], failed: ["a"], unknown: [], notBegun: [] });
});

test("a destruction leaves what a failed one depends on", async () => {
  await rig.up([box("a"), box("b", { fail: "delete" }, on("a"))]);
  await rig.destroy();
  expect(outcomes()).toEqual({ done: [], failed: ["b"], unknown: [], notBegun: ["a"] });
});

test("what stays as it is, is not told", async () => {
  await rig.up([box("a"), box("b")]);
  await rig.up([box("a"), box("b", { size: 2 })]);
  expect(outcomes()).toEqual({ done: ["b"], failed: [], unknown: [], notBegun: [] });
});
