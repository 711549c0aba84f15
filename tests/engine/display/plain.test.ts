import type { StepSummary } from "../../../engine/events";
import { waitsUntil } from "../../../io/text/time-of-day";
import { log } from "./plain-log";
import {
  dynamicType,
  failed,
  finished,
  noon,
  phase,
  prelude,
  said,
  started,
  step,
  summary,
  text,
  urnOf,
} from "./script";

test("a log has a line for a long wait when it begins", () => {
  const { out, play } = log();
  play([
    prelude(),
    started(3, step("create", "chat")),
    phase(4, "chat", `${waitsUntil(noon + 24_000)} (20 s): createBox answered 429`),
  ]);
  expect(out.text.split("\n").slice(-2)).toEqual([
    "12:00:04Z   + acme:Box chat: waits until 12:00:24Z (20 s): createBox answered 429",
    "",
  ]);
});

test("a log has a line for each start and end, and a sign of life every 30 seconds", () => {
  const { out, play, display } = log();
  play([
    prelude(),
    started(0, step("create", "shop-dev", { type: "pulumi:pulumi:Stack" })),
    started(0, step("create", "default", { type: "pulumi:providers:pulumi-nodejs" })),
    finished(0, step("create", "default", { type: "pulumi:providers:pulumi-nodejs" })),
    finished(1, step("same", "old")),
    started(1, step("create", "ada", { type: dynamicType("User") })),
    finished(2.2, step("create", "ada", { type: dynamicType("User") })),
    started(3, step("create", "chat")),
    phase(4, "chat", "CREATING, 0 of 4 replicas"),
    phase(20, "chat", "CREATING,\n1 of 4 replicas"),
    phase(40, "chat", "CREATING, 3 of 4 replicas"),
    said(50, "seats are scarce", { urn: urnOf("ada", dynamicType("User")), severity: "warning" }),
    said(51, "hello\nworld\n"),
    said(52, "never shown", { severity: "debug" }),
    finished(73, step("create", "chat")),
    finished(73, step("create", "shop-dev", { type: "pulumi:pulumi:Stack" })),
    summary(73, { create: 3, same: 1 }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Updating dev
    12:00:01Z   + acme:User ada: creating
    12:00:02Z   + acme:User ada: created (1.2s)
    12:00:03Z   + acme:Box chat: creating
    12:00:33Z   + acme:Box chat: creating for 30s, CREATING, 1 of 4 replicas
    12:00:50Z  warning: acme:User ada: seats are scarce
    12:00:51Z  info: hello
    12:00:51Z  info: world
    12:01:03Z   + acme:Box chat: creating for 1m 00s, CREATING, 3 of 4 replicas
    12:01:13Z   + acme:Box chat: created (1m 10s)

    Done in 1m 13s: 2 created, 1 unchanged.
  `);
});

test("what an interrupt ends is interrupted, and what failed before it has failed", () => {
  const { out, play, display } = log();
  play([
    prelude("destroy"),
    started(0, step("delete", "a")),
    started(0, step("delete", "b")),
    failed(1, step("delete", "a"), "it is in use"),
    failed(2, step("delete", "b"), "interrupted while DELETING", { interrupted: true }),
    summary(2, {}, { operation: "destroy", result: "interrupted" }),
  ]);
  display.close();
  expect(out.text).toContain("acme:Box a: deleting failed (1.0s)\n");
  expect(out.text).toContain("acme:Box b: deleting interrupted (2.0s)\n");
  expect(out.text.replace(/\s+/g, " ")).toContain(
    "Interrupted after 2.0s: 1 failed, 1 interrupted. Run `destroy` again: it finds what was begun.",
  );
});

test("an interrupt before anything has begun says what to run", () => {
  const { out, play, display } = log();
  play([prelude(), summary(2, {}, { result: "interrupted" })]);
  display.close();
  expect(out.text).toContain("Interrupted after 2.0s: nothing was started. Run `up` again for the rest.\n");
});

test("a rejected declaration is reported once, counted, and shared by its resources", () => {
  const { out, play, display } = log();
  const refusal = "no account is given.\nSet `modelplatform:accountId`.";
  play([
    prelude("up", true),
    ...["a", "b"].map((name) => said(1, refusal, { urn: urnOf(name), severity: "error" })),
    said(1, "`size` is not a property", { urn: urnOf("c"), severity: "error", place: "index.ts:3" }),
    said(2, "the program exited with code 1", { severity: "error" }),
    summary(2, {}, { preview: true, result: "failed" }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Previewing dev
    12:00:01Z   ! acme:Box a: failed
    12:00:01Z   ! acme:Box b: failed
    12:00:01Z   ! acme:Box c: failed

    Diagnostics: 3 of 3 resources have errors

      acme:Box a
      acme:Box b
        error: no account is given.
          Set \`modelplatform:accountId\`.

      acme:Box c (index.ts:3)
        error: \`size\` is not a property

      stack dev
        error: the program exited with code 1

    Preview failed after 2.0s: 3 failed.
  `);
});

test("a preview's mistakes follow the program's lines, with what they leave unchecked", () => {
  const { out, play, display } = log();
  const at = (name: string, place: string) => ({ urn: urnOf(name), place });
  play([
    prelude("up", true),
    said(1, "size: must be a number", { ...at("b", "index.ts:10"), severity: "error" }),
    said(1, "colour: is not a property", { ...at("b", "index.ts:10"), severity: "error" }),
    said(1, "not checked: depends on b", { ...at("c", "index.ts:12"), severity: "warning", unchecked: true }),
    said(1, "size: must be a number", { ...at("a", "index.ts:9"), severity: "error" }),
    said(1, "name: is deprecated", { ...at("d", "index.ts:20"), severity: "warning" }),
    summary(2, {}, { preview: true, result: "failed" }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Previewing dev
    12:00:01Z   ! acme:Box b: failed
    12:00:01Z   ! acme:Box c: not checked: depends on b
    12:00:01Z   ! acme:Box a: failed
    12:00:01Z  warning: acme:Box d (index.ts:20): name: is deprecated

    Diagnostics: 2 of 3 resources have errors, 1 not checked

      acme:Box a (index.ts:9)
        error: size: must be a number

      acme:Box b (index.ts:10)
        error: size: must be a number
        error: colour: is not a property

      acme:Box c (index.ts:12)
        warning: not checked: depends on b

    Preview failed after 2.0s: 2 failed, 1 not checked.
  `);
});

test("of many resources that fail for one reason, some are named and the rest counted", () => {
  const { out, play, display } = log();
  const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
  play([
    prelude(),
    ...names.map((name) => said(1, "the key is not known", { urn: urnOf(name), severity: "error" })),
    summary(2, {}, { result: "failed" }),
  ]);
  display.close();
  expect(out.text.split("the key is not known")).toHaveLength(2);
  expect(out.text).toContain("  acme:Box n4\n  and 195 more\n    error: the key is not known\n");
  expect(out.text).toContain("Failed after 2.0s: 200 failed.");
});

test("a failed step is reported when it happens and explained at the end", () => {
  const { out, play, display } = log();
  play([
    prelude(),
    started(0, step("update", "a", { diffs: [{ path: "size", kind: "update", old: 1, new: 2 }] })),
    failed(
      1,
      step("update", "a", { diffs: [{ path: "size", kind: "update", old: 1, new: 2 }] }),
      "the cloud refuses:\n  * too big\n  * too heavy",
    ),
    said(1, "the cloud refuses:\n  * too big\n  * too heavy", { urn: urnOf("a"), severity: "error" }),
    summary(1, { same: 2 }, { result: "failed" }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Updating dev
    12:00:00Z   ~ acme:Box a: updating
    12:00:01Z   ~ acme:Box a: updating failed (1.0s)

    Diagnostics

      acme:Box a
        error: the cloud refuses:
            * too big
            * too heavy

    Failed after 1.0s: 1 failed, 2 unchanged.
  `);
});

test("an update names what it changed, not what the object keeps", () => {
  const { out, play, display } = log({ diff: true });
  const removed = { kind: "delete" as const, new: undefined };
  const diffs = [
    { ...removed, path: "size", old: 3 },
    { ...removed, path: "note", old: "x" },
    { ...removed, path: "policy.window", old: "15m" },
  ];
  const update = step("update", "a", { diffs });
  const finishedUpdate: StepSummary = {
    ...update,
    old: { ...update.old!, outputs: { size: 3, note: "x", policy: { window: "15m", most: 2 } } },
    new: { ...update.new!, outputs: { size: 3, note: "", policy: { window: "15m", most: 1 } } },
  };
  play([prelude(), started(0, update), finished(1, finishedUpdate), summary(1, { update: 1 })]);
  display.close();
  expect(out.text).toContain("acme:Box a: updated: note (1.0s)");
  expect(out.text).toContain('- note  "x"');
  expect(out.text).not.toMatch(/- (size|policy)/);
});

test("an update that changed nothing at the object names no field", () => {
  const { out, play, display } = log();
  const update = step("update", "a", { diffs: [{ path: "size", kind: "delete", old: 3, new: undefined }] });
  const outputs = { size: 3 };
  const done: StepSummary = { ...update, old: { ...update.old!, outputs }, new: { ...update.new!, outputs } };
  play([prelude(), started(0, update), finished(1, done), summary(1, { update: 1 })]);
  display.close();
  expect(out.text).toContain("acme:Box a: updated (1.0s)");
});

const zone = { diffs: [{ path: "zone", kind: "update" as const, old: "a", new: "b", replaces: true }] };

test("what a delete leaves live is called left, and counted so", () => {
  const { out, play, display } = log();
  play([
    prelude("destroy"),
    started(0, step("delete", "a")),
    finished(1, { ...step("delete", "a"), left: true }),
    started(1, step("delete", "b")),
    finished(2, step("delete", "b")),
    summary(2, { delete: 1 }, { operation: "destroy", left: ["a-1"] }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Destroying dev
    12:00:00Z   - acme:Box a: deleting
    12:00:01Z   - acme:Box a: left (1.0s)
    12:00:01Z   - acme:Box b: deleting
    12:00:02Z   - acme:Box b: deleted (1.0s)

    Done in 2.0s: 1 deleted, 1 left.
  `);
});

test("a replacement is reported step by step", () => {
  const { out, play, display } = log({ diff: true });
  play([
    prelude(),
    started(0, step("delete-replaced", "c")),
    finished(1, step("delete-replaced", "c")),
    started(1, step("replace", "c", zone)),
    finished(1, step("replace", "c", zone)),
    started(1, step("create-replacement", "c", zone)),
    finished(3, step("create-replacement", "c", zone)),
    summary(3, { replace: 1 }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Updating dev
    12:00:00Z   - acme:Box c: deleting the old one
    12:00:01Z   - acme:Box c: old one deleted (1.0s)
    12:00:01Z  +- acme:Box c: creating the replacement
    12:00:03Z  +- acme:Box c: replacement created (2.0s)

    Changes

    +- acme:Box c: replaced, because of zone
      ~ zone  "a" => "b"  (replaces)

    Done in 3.0s: 1 replaced.
  `);
});

test("a preview reports a replacement once", () => {
  const { out, play, display } = log();
  const steps = [step("create-replacement", "c", zone), step("replace", "c", zone), step("delete-replaced", "c")];
  play([
    prelude("up", true),
    ...steps.flatMap((each) => [started(1, each), finished(1, each)]),
    summary(1, { replace: 1 }, { preview: true }),
  ]);
  display.close();
  expect(out.text.split("\n").slice(1, 3)).toEqual(["12:00:01Z  +- acme:Box c: replace: zone", ""]);
});

test("a notice is a line of its own", () => {
  const { out, play, display } = log();
  play([prelude()], 5);
  display.notice("ending and recording what has begun; press ^C again to stop immediately");
  expect(out.text).toBe(
    "12:00:00Z  Updating dev\n12:00:05Z  ending and recording what has begun; press ^C again to stop immediately\n",
  );
});

test("an operation that ended before it began leaves nothing behind", () => {
  const { out, clock, display } = log();
  display.close();
  expect(out.text).toBe("");
  expect(clock.timersLeft).toBe(0);
});

test("without a terminal values, messages and outputs stay on one line each, whole", () => {
  const { out, play, display } = log({ diff: true, width: Number.POSITIVE_INFINITY });
  const long = "accounts/acme/deployments/".repeat(20);
  const change = { diffs: [{ path: "description", kind: "update" as const, old: `${long}old`, new: `${long}new` }] };
  play([
    prelude(),
    finished(1, step("update", "a", change)),
    said(1, `refused  ${long}`, { urn: urnOf("b"), severity: "error" }),
    summary(2, { update: 1 }, { outputs: { endpoint: long } }),
  ]);
  display.close();
  const lines = out.text.split("\n");
  expect(lines).toContain(`  ~ description  ${JSON.stringify(`${long}old`)} => ${JSON.stringify(`${long}new`)}`);
  expect(lines).toContain(`    error: refused  ${long}`);
  expect(lines).toContain(`  endpoint  ${JSON.stringify(long)}`);
});

test("a run that fails ends with what became of each, by name", () => {
  const { out, play, display } = log();
  const many = Array.from({ length: 30 }, (_, index) => urnOf(`n${index}`));
  const outcomes = { done: [urnOf("a")], failed: [urnOf("b")], unknown: [urnOf("c"), urnOf("d")], notBegun: many };
  play([prelude(), summary(2, { create: 1 }, { result: "failed", outcomes })]);
  display.close();
  expect(out.text).toContain(text`
    Outcome by resource

      done         acme:Box a
      failed       acme:Box b
      not begun    acme:Box n0, acme:Box n1, acme:Box n2, acme:Box n3, acme:Box n4,
  `);
  expect(out.text).toContain("acme:Box n19 and 10 more\n");
  expect(out.text).toContain("  unknown      acme:Box c, acme:Box d\n");
  const told = out.text.replaceAll("\n", " ");
  expect(told).toContain("The next `up` continues with resources that failed, were not begun or are not declared yet.");
  expect(told).toContain("It checks the unknown ones before it sends anything, and creates nothing twice.");
});

test("a run in which all has failed or is done says no more than its count", () => {
  const { out, play, display } = log();
  const outcomes = { done: [urnOf("a")], failed: [urnOf("b")], unknown: [], notBegun: [] };
  play([prelude(), summary(2, { create: 1 }, { result: "failed", outcomes })]);
  display.close();
  expect(out.text).not.toContain("Outcome by resource");
});
