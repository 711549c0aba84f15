import { createLiveDisplay } from "../../../engine/display/live";
import { columns, createPalette } from "../../../engine/display/text";
import type { EngineEvent } from "../../../engine/events";
import {
  dynamicType,
  failed,
  finished,
  ManualClock,
  phase,
  prelude,
  said,
  secret,
  started,
  step,
  summary,
  text,
  urnOf,
} from "./script";

function terminal({ width = 80, height = 24, diff = false } = {}) {
  const clock = new ManualClock();
  const screen = { shown: "", left: "", draws: 0, width, height };
  const canvas = {
    draw: (drawn: string) => {
      screen.shown = drawn;
      screen.draws += 1;
    },
    erase: () => {
      screen.shown = "";
    },
  };
  const display = createLiveDisplay(
    {
      write: (written) => (screen.left += written),
      palette: createPalette(false),
      size: () => ({ width: screen.width, height: screen.height }),
      clock,
      diff,
    },
    canvas,
  );
  /** Sends the events at their own times, then lets the rest of the seconds pass. */
  const play = (events: EngineEvent[], until?: number) => {
    for (const event of events) {
      clock.advance(Math.max(0, event.time - clock.now()));
      display.onEvent(event);
    }
    if (until !== undefined) clock.advance(Math.max(0, prelude().time + until * 1000 - clock.now()));
  };
  return { screen, clock, display, play };
}

const chat = { type: dynamicType("Deployment") };
const phaseOf = (seconds: number, name: string, message: string) =>
  said(seconds, message, { urn: urnOf(name, chat.type), ephemeral: true });

const underway = [
  prelude(),
  started(0, step("create", "shop-dev", { type: "pulumi:pulumi:Stack" })),
  finished(0, step("same", "default", { type: "pulumi:providers:pulumi-nodejs" })),
  finished(1, step("same", "old")),
  started(1, step("create", "ada", { type: dynamicType("User") })),
  finished(2.2, step("create", "ada", { type: dynamicType("User") })),
  started(2, step("create", "chat", chat)),
  phaseOf(30, "chat", "CREATING, 2 of 4 replicas"),
  started(47, step("update", "token", { diffs: [{ path: "keyName", kind: "update", old: "A", new: "B" }] })),
];

test("a running operation is a table with phase and time, without what does not change", () => {
  const { screen, play } = terminal();
  play(underway, 48);
  expect(`${screen.shown}\n`).toBe(text`
    Updating dev                                                                 48s

         Type        Name   Status                               Time
     +   User        ada    created                              1.2s
     +   Deployment  chat   creating: CREATING, 2 of 4 replicas   46s
     ~   Box         token  updating                               1s

    1 done, 2 running, 1 unchanged
  `);
});

test("a narrow terminal loses the type and the end of the phase", () => {
  const { screen, play } = terminal({ width: 40 });
  play(underway, 48);
  expect(`${screen.shown}\n`).toBe(text`
    Updating dev                         48s

         Name   Status                  Time
     +   ada    created                 1.2s
     +   chat   creating: CREATING, 2…   46s
     ~   token  updating                  1s

    1 done, 2 running, 1 unchanged
  `);
});

test("children stand below their parents", () => {
  const { screen, play } = terminal();
  const web = urnOf("web", "my:index:Platform");
  play(
    [
      prelude(),
      finished(0, step("same", "web", { type: "my:index:Platform" })),
      started(0, step("create", "one", { parent: web })),
      started(0, step("create", "inner", { type: "my:nested/group:Group", parent: web })),
      started(1, step("create", "two", { parent: urnOf("inner", "my:nested/group:Group") })),
    ],
    4,
  );
  expect(`${screen.shown}\n`).toBe(text`
    Updating dev                                                                  4s

         Type                Name   Status    Time
         my:Platform         web
     +   ├─ acme:Box         one    creating    4s
     +   └─ my:nested:Group  inner  creating    4s
     +      └─ acme:Box      two    creating    3s

    3 running, 1 unchanged
  `);
});

test("of a thousand resources, failures and the longest are shown, the rest is counted", () => {
  const { screen, play } = terminal({ height: 16 });
  const names = Array.from({ length: 1000 }, (_, index) => `box-${String(index).padStart(3, "0")}`);
  const events: EngineEvent[] = [prelude()];
  for (const name of names) events.push(started(0, step("create", name)));
  for (const name of names.slice(0, 400)) events.push(finished(1, step("create", name)));
  events.push(failed(2, step("create", "box-500"), "no room"));
  play(events, 65);
  expect(`${screen.shown}\n`).toBe(text`
    Updating dev                                                              1m 05s

         Type  Name     Status             Time
     +   Box   box-500  creating failed    2.0s
     +   Box   box-400  creating         1m 05s
     +   Box   box-401  creating         1m 05s
     +   Box   box-402  creating         1m 05s
     +   Box   box-403  creating         1m 05s
     +   Box   box-404  creating         1m 05s
     +   Box   box-405  creating         1m 05s
     +   Box   box-406  creating         1m 05s
     +   Box   box-407  creating         1m 05s
         … and 591 more running

    400 done, 599 running, 1 failed
  `);
});

test.each([
  [80, 24],
  [40, 10],
  [40, 3],
  [20, 24],
  [1, 1],
])("a frame fits %i columns and %i rows", (width, height) => {
  const { screen, play } = terminal({ width, height });
  const events = Array.from({ length: 60 }, (_, index) =>
    started(0, step("create", `名前-${index}-of-a-rather-long-name`)),
  );
  play(
    [
      prelude(),
      ...events,
      phase(1, "名前-1-of-a-rather-long-name", "waiting\nfor \u001b[31mall\u0007 of it ".repeat(20)),
    ],
    2,
  );
  const lines = screen.shown.split("\n");
  expect(lines.length).toBeLessThanOrEqual(Math.max(1, height - 1));
  if (width >= 20) expect(Math.max(...lines.map(columns))).toBeLessThanOrEqual(width);
  expect(screen.shown).not.toMatch(/[\u0007\u001b]/);
});

test("the table is drawn ten times a second at most, and once when only time passes", () => {
  const { screen, play, clock } = terminal();
  play([prelude()]);
  play(Array.from({ length: 50 }, (_, index) => phase(index / 100, "a", `message ${index}`)));
  expect(screen.draws).toBeLessThanOrEqual(6);
  const before = screen.draws;
  clock.advance(500);
  const settled = screen.draws;
  clock.advance(10_000);
  expect(settled - before).toBeLessThanOrEqual(1);
  expect(screen.draws - settled).toBe(10);
});

test("a notice stays below the table until the end", () => {
  const { screen, play, display } = terminal();
  play(underway, 48);
  display.notice("ending and recording what has begun; press ^C again to stop immediately");
  expect(screen.shown.split("\n").slice(-2)).toEqual([
    "1 done, 2 running, 1 unchanged",
    "ending and recording what has begun; press ^C again to stop immediately",
  ]);
});

test("before the first resource the stack's own messages are shown", () => {
  const { screen, play } = terminal();
  play([prelude(), said(1, "loading the catalogue\n")], 2);
  expect(screen.shown.split("\n").at(-1)).toBe("loading the catalogue");
});

test("the report keeps the rows, then diagnostics, outputs and one sentence", () => {
  const { screen, play, display, clock } = terminal();
  const half = {
    type: dynamicType("Deployment"),
    id: "accounts/demo/deployments/chat-1",
    initErrors: ["still CREATING after 900 s"],
  };
  play([
    ...underway,
    said(50, "3 of 10 seats are used", { urn: urnOf("ada", dynamicType("User")), severity: "warning" }),
    said(50, "hello from the program"),
    finished(51, step("update", "token", { diffs: [{ path: "keyName", kind: "update", old: "A", new: "B" }] })),
    failed(
      72,
      step("create", "chat", half),
      "GET /v1/accounts/demo/deployments/chat-1 answered 200: still CREATING after 900 s. Raise `timeouts.create`, or look at the deployment's events.",
    ),
    said(72, "update failed"),
    summary(
      72,
      { create: 1, update: 1, same: 2 },
      {
        result: "failed",
        outputs: { endpoint: "https://chat.example.com", token: secret("hunter2"), size: { min: 1, max: 4 } },
      },
    ),
  ]);
  display.close();
  expect(screen.shown).toBe("");
  expect(clock.timersLeft).toBe(0);
  expect(screen.left).toBe(text`
    Updating dev

         Type        Name   Status              Time
     +   User        ada    created             1.2s
     +   Deployment  chat   creating failed   1m 10s
     ~   Box         token  updated: keyName    4.0s

    Diagnostics

      acme:User ada
        warning: 3 of 10 seats are used

      stack dev
        hello from the program
        update failed

      acme:Deployment chat
        error: GET /v1/accounts/demo/deployments/chat-1 answered 200: still
          CREATING after 900 s. Raise \`timeouts.create\`, or look at the deployment's
          events.

    Outputs

      endpoint  "https://chat.example.com"
      token     [secret]
      size      { min: 1, max: 4 }

    Failed after 1m 12s: 1 created, 1 updated, 1 failed, 2 unchanged.
  `);
});

test("a replacement is one row from its first step to its last", () => {
  const { screen, play } = terminal();
  const because = {
    diffs: [
      { path: "zone", kind: "update" as const, old: "a", new: "b", replaces: true },
      { path: "size", kind: "update" as const, old: 1, new: 2 },
    ],
  };
  const status = () =>
    screen.shown
      .split("\n")
      .find((line) => line.includes(" Box "))
      ?.replace(/ +/g, " ")
      .trim();
  play([prelude(), started(0, step("create-replacement", "base", because))], 3);
  expect(status()).toBe("+- Box base creating the replacement 3s");
  play([finished(4, step("create-replacement", "base", because)), finished(4, step("replace", "base", because))], 9);
  expect(status()).toBe("+- Box base replaced: zone 4.0s");
  play([started(10, step("delete-replaced", "base"))], 12);
  expect(status()).toBe("+- Box base deleting the old one 6s");
  play([finished(13, step("delete-replaced", "base"))], 14);
  expect(status()).toBe("+- Box base replaced: zone 7.0s");
});

test("a preview says what would be done and why", () => {
  const { screen, play, display } = terminal();
  play([
    prelude("up", true),
    finished(1, step("create", "a", { inputs: { size: 1 } })),
    finished(
      1,
      step("update", "b", {
        diffs: [
          { path: "size", kind: "update", old: 1, new: 2 },
          { path: "color", kind: "add", new: "red" },
          { path: "__provider", kind: "update", old: "x", new: "y" },
        ],
      }),
    ),
    finished(
      1,
      step("replace", "c", { diffs: [{ path: "zone", kind: "update", old: "a", new: "b", replaces: true }] }),
    ),
    finished(1, step("delete", "d")),
    finished(1, step("same", "e")),
    summary(2.4, { create: 1, update: 1, replace: 1, delete: 1, same: 1 }, { preview: true }),
  ]);
  display.close();
  expect(screen.left).toBe(text`
    Previewing dev

         Type  Name  Plan
     +   Box   a     create
     ~   Box   b     update: size, color
     +-  Box   c     replace: zone
     -   Box   d     delete

    Preview done in 2.4s: 1 to create, 1 to update, 1 to replace, 1 to delete,
    1 unchanged.
  `);
});

test("a refresh shows what it reads, and keeps what it found", () => {
  const { screen, play, display } = terminal();
  const size = { diffs: [{ path: "size", kind: "update" as const, old: 4, new: 9 }] };
  play(
    [
      prelude("refresh", true),
      ...["a", "b", "c"].map((name) => started(0, step("refresh", name))),
      finished(1, step("same", "a")),
      finished(1, step("update", "b", size)),
    ],
    3,
  );
  expect(`${screen.shown}\n`).toBe(text`
    Comparing with live state: dev                                                3s

         Type  Name  Found                  Time
     ~   Box   b     changed outside: size
     >   Box   c     reading                  3s

    1 changed, 1 running, 1 unchanged
  `);
  play([
    finished(4, step("delete", "c")),
    summary(4, { update: 1, delete: 1, same: 1 }, { operation: "refresh", preview: true }),
  ]);
  display.close();
  expect(screen.left).toBe(text`
    Comparing with live state: dev

         Type  Name  Found
     ~   Box   b     changed outside: size
     -   Box   c     gone

    Preview done in 4.0s: 1 changed outside, 1 gone, 1 as recorded.
  `);
});

test.each([
  [true, "Preview done in 1.1s: 1 to create, 1 to import."],
  [false, "Done in 1.1s: 1 created, 1 imported."],
])("what is imported is not counted as created (preview: %s)", (preview, line) => {
  const { screen, play, display } = terminal();
  const steps = [finished(1, step("import", "a")), finished(1, step("create", "b"))];
  play([prelude("import", preview), ...steps, summary(1.1, { create: 2 }, { operation: "import", preview })]);
  display.close();
  expect(screen.left).toContain(`\n${line}\n`);
});

test("a preview without changes is two lines and a blank one", () => {
  const { screen, play, display } = terminal();
  play([prelude("up", true), finished(1, step("same", "e")), summary(1.1, { same: 16 }, { preview: true })]);
  display.close();
  expect(screen.left).toBe("Previewing dev\n\nPreview done in 1.1s: nothing to do, 16 unchanged.\n");
});

test("an interrupted operation counts unfinished resources", () => {
  const { screen, play, display } = terminal();
  play([
    prelude(),
    started(0, step("create", "a")),
    started(0, step("create", "b")),
    finished(3, step("create", "a")),
    summary(12, { create: 1 }, { result: "interrupted" }),
  ]);
  display.close();
  const [outcome] = screen.left.match(/^Interrupted after .*(\n.*)?$/m)!;
  expect(outcome.replace(/\s+/g, " ").trim()).toBe(
    "Interrupted after 12s: 1 created, 1 unfinished. Run `up` again: it finds what was begun.",
  );
});
