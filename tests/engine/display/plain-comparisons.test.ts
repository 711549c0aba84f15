import { log } from "./plain-log";
import { finished, prelude, started, step, summary, text } from "./script";

test("a preview is a list of what would be done", () => {
  const { out, play, display } = log();
  play([
    prelude("up", true),
    started(1, step("create", "a")),
    finished(1, step("create", "a")),
    finished(
      1,
      step("replace", "c", { diffs: [{ path: "zone", kind: "update", old: "a", new: "b", replaces: true }] }),
    ),
    finished(1, step("same", "e")),
    summary(2, { create: 1, replace: 1, same: 1 }, { preview: true }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Previewing dev
    12:00:01Z   + acme:Box a: create
    12:00:01Z  +- acme:Box c: replace: zone

    Preview done in 2.0s: 1 to create, 1 to replace, 1 unchanged.
  `);
});

test("a preview of a refresh shows the live value beside the recorded one", () => {
  const { out, play, display } = log({ diff: true });
  const role = { diffs: [{ path: "role", kind: "update" as const, old: "user", new: "admin" }] };
  play(
    [
      prelude("refresh", true),
      ...["a", "b", "c"].map((name) => started(0, step("refresh", name))),
      finished(1, step("same", "a")),
      finished(1, step("update", "b", role)),
      finished(2, step("delete", "c")),
      summary(2, { update: 1, delete: 1, same: 1 }, { operation: "refresh", preview: true }),
    ],
    2,
  );
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Comparing with live state: dev
    12:00:01Z   ~ acme:Box b: changed outside: role
    12:00:02Z   - acme:Box c: gone

    Changed outside (recorded => live)

    ~ acme:Box b: changed outside
      ~ role  "user" => "admin"

    - acme:Box c: gone

    Preview done in 2.0s: 1 changed outside, 1 gone, 1 as recorded.
  `);
});

test("a provider's new key is not called a change from outside", () => {
  const { out, play, display } = log();
  play(
    [
      prelude("refresh"),
      finished(0, step("update", "eu", { type: "pulumi:providers:acme" })),
      started(0, step("refresh", "a")),
      finished(1, step("same", "a")),
      summary(1, { update: 1, same: 1 }, { operation: "refresh" }),
    ],
    1,
  );
  display.close();
  expect(out.text).toContain("Done in 1.0s: 1 updated, 1 as recorded.");
});

test("a difference after an interrupted run is not called a change from outside", () => {
  const { out, play, display } = log({ diff: true });
  const size = { diffs: [{ path: "size", kind: "update" as const, old: 1, new: 8 }] };
  const own = { ...size, mayBeOwn: true as const };
  play(
    [
      prelude("refresh"),
      started(0, step("refresh", "a", { mayBeOwn: true })),
      ...["b", "c"].map((name) => started(0, step("refresh", name))),
      finished(1, step("update", "a", own)),
      finished(1, step("update", "b", size)),
      finished(1, step("same", "c")),
      summary(2, { update: 2, same: 1 }, { operation: "refresh" }),
    ],
    2,
  );
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Refreshing dev
    12:00:01Z   ~ acme:Box a: differs after an interrupted run: size (1.0s)
    12:00:01Z   ~ acme:Box b: changed outside: size (1.0s)

    Changed outside (recorded => live)

    ~ acme:Box b: changed outside
      ~ size  1 => 8

    Differs after an interrupted run (recorded => live)

    ~ acme:Box a: differs after an interrupted run
      ~ size  1 => 8

    Done in 2.0s: 1 changed outside, 1 differing after an interrupted run,
    1 as recorded.
  `);
});

test("an `up` does not call outside what it puts back after an interrupted run", () => {
  const { out, play, display } = log();
  const own = { diffs: [{ path: "size", kind: "update" as const, old: 1, new: 8 }], mayBeOwn: true as const };
  const back = { diffs: [{ path: "size", kind: "update" as const, old: 8, new: 1 }] };
  play([
    prelude(),
    started(0, step("refresh", "a", { mayBeOwn: true })),
    finished(1, step("refresh", "a", own)),
    started(2, step("update", "a", back)),
    finished(3, step("update", "a", back)),
    summary(3, { update: 1 }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Updating dev
    12:00:01Z   ~ acme:Box a: differs after an interrupted run: size (1.0s)
    12:00:02Z   ~ acme:Box a: updating
    12:00:03Z   ~ acme:Box a: updated: size (1.0s)

    Done in 3.0s: 1 updated.
  `);
});

test("a refresh that finds the record right says so", () => {
  const { out, play, display } = log();
  play([
    prelude("refresh"),
    started(0, step("refresh", "a")),
    finished(1, step("same", "a")),
    summary(2, { same: 1 }, { operation: "refresh" }),
  ]);
  display.close();
  expect(out.text).toBe("12:00:00Z  Refreshing dev\n\nDone in 2.0s: nothing to change, 1 as recorded.\n");
});

test("a change found by a refresh and reverted by the same run is reported twice", () => {
  const { out, play, display } = log();
  const drift = { diffs: [{ path: "role", kind: "update" as const, old: "user", new: "admin" }] };
  const heal = { diffs: [{ path: "role", kind: "update" as const, old: "admin", new: "user" }] };
  play([
    prelude(),
    started(0, step("refresh", "a")),
    finished(1, step("refresh", "a", drift)),
    started(2, step("update", "a", heal)),
    finished(3, step("update", "a", heal)),
    summary(3, { update: 1 }),
  ]);
  display.close();
  expect(out.text).toBe(text`
    12:00:00Z  Updating dev
    12:00:01Z   ~ acme:Box a: changed outside: role (1.0s)
    12:00:02Z   ~ acme:Box a: updating
    12:00:03Z   ~ acme:Box a: updated: role (1.0s)

    Done in 3.0s: 1 updated.
  `);
});
