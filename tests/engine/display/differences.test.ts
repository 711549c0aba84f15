import { Board } from "../../../engine/display/board";
import { differences } from "../../../engine/display/differences";
import { columns, createPalette } from "../../../engine/display/text";
import type { EngineEvent, PropertyDiff } from "../../../engine/events";
import { failed, finished, prelude, secret, step, text, unknown } from "./script";

function shown(events: EngineEvent[], width = 80): string {
  const board = new Board();
  for (const event of [prelude("up", true), ...events]) board.apply(event);
  return `${differences(board, createPalette(false), width).join("\n")}\n`;
}

test("an update lists each field as changed, added or removed", () => {
  const diffs: PropertyDiff[] = [
    { path: "role", kind: "update", old: "user", new: "admin" },
    { path: "displayName", kind: "add", new: "Ada" },
    { path: "email", kind: "delete", old: "a@example.com" },
    { path: 'labels["a.b"]', kind: "update", old: 1, new: null },
    { path: "key", kind: "update", old: "[secret]", new: "[secret]" },
    { path: "model", kind: "update", old: "m1", new: unknown },
    { path: "__provider", kind: "update", old: "x", new: "y" },
  ];
  expect(shown([finished(1, step("update", "ada", { diffs }))])).toBe(text`
    Changes

    ~ acme:Box ada: update
      ~ role           "user" => "admin"
      + displayName    "Ada"
      - email          "a@example.com"
      ~ labels["a.b"]  1 => null
      ~ key            [secret] => [secret]
      ~ model          "m1" => <computed>

  `);
});

test("a replacement names the fields that force it, once for all its steps", () => {
  const diffs: PropertyDiff[] = [
    { path: "baseModel", kind: "update", old: "m1", new: "m2", replaces: true },
    { path: "size", kind: "update", old: 1, new: 2 },
  ];
  const steps = [
    step("create-replacement", "chat", { diffs }),
    step("replace", "chat", { diffs }),
    step("delete-replaced", "chat"),
  ];
  expect(shown(steps.map((each) => finished(1, each)))).toBe(text`
    Changes

    +- acme:Box chat: replace, because of baseModel
      ~ baseModel  "m1" => "m2"  (replaces)
      ~ size       1 => 2

  `);
});

test("a new resource lists its inputs down to the leaves, a deleted one its id too", () => {
  const inputs = {
    model: "m1",
    policy: { window: "30s", targets: { default: 0.8 } },
    rules: [{ model: unknown }],
    none: [],
    key: secret("hunter2"),
    __provider: "code",
  };
  const events = [
    finished(1, step("create", "new", { inputs })),
    finished(1, step("delete", "old", { id: "box-1", inputs: { model: "m1", key: secret("hunter2") } })),
  ];
  expect(shown(events)).toBe(text`
    Changes

    + acme:Box new: create
      + model                   "m1"
      + policy.window           "30s"
      + policy.targets.default  0.8
      + rules[0].model          <computed>
      + none                    []
      + key                     [secret]

    - acme:Box old: delete
      - id     "box-1"
      - model  "m1"
      - key    [secret]

  `);
});

test("a difference between collections lists the members that differ", () => {
  const diffs: PropertyDiff[] = [
    {
      path: "policy",
      kind: "update",
      old: { window: "30s", max: 4, gone: true },
      new: { window: "60s", max: 4, fresh: [1] },
    },
    { path: "tags", kind: "update", old: ["a"], new: ["a", "b"] },
  ];
  expect(shown([finished(1, step("update", "ada", { diffs }))])).toBe(text`
    Changes

    ~ acme:Box ada: update
      ~ policy.window    "30s" => "60s"
      - policy.gone      true
      + policy.fresh[0]  1
      + tags[1]          "b"

  `);
});

test("what does not fit one line gets lines of its own", () => {
  const diffs: PropertyDiff[] = [
    {
      path: "baseModel",
      kind: "update",
      old: "accounts/acme/models/first",
      new: "accounts/acme/models/second",
      replaces: true,
    },
    { path: "note", kind: "add", new: "one two three four five six seven" },
  ];
  expect(shown([finished(1, step("replace", "chat", { diffs }))], 40)).toBe(text`
    Changes

    +- acme:Box chat: replace, because
          of baseModel
      ~ baseModel  (replaces)
          - "accounts/acme/models/first"
          + "accounts/acme/models/second"
      + note
          "one two three four five six
          seven"

  `);
});

test("two long texts are shown where they differ", () => {
  const common = "the quick brown fox ".repeat(30);
  const [, ...lines] = shown(
    [
      finished(
        1,
        step("update", "a", {
          diffs: [{ path: "prompt", kind: "update", old: `${common}jumps`, new: `${common}sleeps` }],
        }),
      ),
    ],
    60,
  )
    .trimEnd()
    .split("\n")
    .slice(2);
  expect(lines[0]).toBe("  ~ prompt");
  expect(lines[1]).toMatch(/^ {6}- ….*jumps"$/);
  expect(lines[2]).toMatch(/^ {6}\+ ….*sleeps"$/);
  expect(Math.max(...lines.map(columns))).toBeLessThanOrEqual(60);
});

test("a very long new text is cut after four lines, with its length", () => {
  const lines = shown([finished(1, step("create", "a", { inputs: { prompt: "x".repeat(5118) } }))])
    .trimEnd()
    .split("\n");
  expect(lines.length).toBe(2 + 1 + 1 + 4 + 1);
  expect(lines.at(-1)).toBe("      … 5,120 characters");
});

test("an update that repairs an earlier failure says why", () => {
  expect(shown([finished(1, step("update", "a", { initErrors: ["no answer"] }))])).toContain(
    "~ acme:Box a: update, because an earlier operation on it failed: no answer\n",
  );
});

test("a failed change is listed as failed", () => {
  expect(
    shown([failed(1, step("update", "a", { diffs: [{ path: "size", kind: "update", old: 1, new: 2 }] }), "no")]),
  ).toContain("~ acme:Box a: updating failed\n  ~ size  1 => 2\n");
});
