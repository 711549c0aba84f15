import { createJsonDisplay, resultLine } from "../../../engine/display/display";
import { finished, noon, prelude, secret, step, summary, unknown } from "./script";

function lines(write: (display: ReturnType<typeof createJsonDisplay>) => void): unknown[] {
  let out = "";
  const display = createJsonDisplay((text) => (out += text), { now: () => noon });
  write(display);
  display.close();
  expect(out.endsWith("\n")).toBe(true);
  return out
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
}

test("every event is one line, in order", () => {
  const documents = lines((display) => {
    display.onEvent(prelude());
    display.notice("wait");
    display.onEvent(summary(1, { same: 1 }));
  });
  expect(documents).toEqual([
    { kind: "prelude", operation: "up", stack: "dev", preview: false, time: noon },
    { kind: "diagnostic", severity: "info", message: "wait", ephemeral: true, time: noon },
    {
      kind: "summary",
      operation: "up",
      preview: false,
      changes: { create: 0, update: 0, replace: 0, delete: 0, same: 1 },
      left: [],
      outputs: {},
      result: "succeeded",
      durationMs: 1000,
      time: noon + 1000,
    },
  ]);
});

test("a step's states show no secret, no unknown in its wire form and nothing hidden", () => {
  const state = {
    id: "box-1",
    inputs: { key: secret("hunter2"), model: unknown, __provider: "code" },
    outputs: { list: [{ key: secret("hunter2") }], __provider: "code" },
  };
  const diffs = [
    { path: "model", kind: "update" as const, old: "m1", new: unknown },
    { path: "__provider", kind: "update" as const },
  ];
  const [document] = lines((display) => display.onEvent(finished(1, step("update", "a", { ...state, diffs }))));
  expect(JSON.stringify(document)).not.toContain("hunter2");
  expect(document).toMatchObject({
    kind: "stepFinished",
    step: {
      op: "update",
      name: "a",
      new: { id: "box-1", inputs: { key: "[secret]", model: "<computed>" }, outputs: { list: [{ key: "[secret]" }] } },
      diffs: [{ path: "model", kind: "update", old: "m1", new: "<computed>" }],
    },
  });
  expect(JSON.stringify(document)).not.toContain("__provider");
});

test("a state says where it is declared, and whether its object stays", () => {
  const state = { inputs: {}, outputs: {}, retainOnDelete: true };
  const at = (sourcePosition: string) =>
    lines((display) => display.onEvent(finished(1, step("update", "a", { ...state, sourcePosition }))))[0];
  expect(at("project:///index.ts#7,14")).toMatchObject({
    step: { new: { place: "index.ts:7", retainOnDelete: true } },
  });
  expect(at("project:///node_modules/a/b.js#7,1")).not.toHaveProperty("step.new.place");
});

test("the last line has the result, the five counts, what is left and the outputs", () => {
  const changes = { create: 1, update: 0, replace: 2, delete: 0, same: 3 };
  expect(
    JSON.parse(
      resultLine({
        ...{ result: "succeeded", changes, left: ["users/ada"] },
        outputs: { url: "https://example.com", token: secret("hunter2") },
      }),
    ),
  ).toEqual({
    result: "succeeded",
    changes,
    left: ["users/ada"],
    outputs: { url: "https://example.com", token: "[secret]" },
  });
});

test("what never began has failed and changed nothing", () => {
  expect(resultLine(undefined)).toBe(
    '{"result":"failed","changes":{"create":0,"update":0,"replace":0,"delete":0,"same":0},"left":[],"outputs":{}}\n',
  );
});

test("what became of each resource stands whole in the summary and in the last line", () => {
  const outcomes = { done: [], failed: [], unknown: ["urn:a"], notBegun: ["urn:b"] };
  const [document] = lines((display) => display.onEvent(summary(1, {}, { result: "failed", outcomes })));
  expect(document).toMatchObject({ outcomes });
  const changes = { create: 0, update: 0, replace: 0, delete: 0, same: 0 };
  expect(JSON.parse(resultLine({ result: "failed", changes, left: [], outputs: {}, outcomes }))).toMatchObject({
    outcomes,
  });
});
