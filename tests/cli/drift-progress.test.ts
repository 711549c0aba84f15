import type { CliContext } from "../../cli/command/context";
import { frame, openProgress } from "../../cli/drift/scan";
import type { Progress } from "../../drift/scan/scan";
import { ManualClock } from "../engine/display/script";

const progress = (account: string, done: number, objects: number): Progress => ({ account, done, of: 8, objects });

test("progress shows how many accounts are done, and how far the others are", () => {
  expect(frame([progress("acme", 8, 1200), progress("beta", 3, 400), progress("gamma", 0, 0)], 80, 10, 65_000)).toEqual(
    [
      "Reading: 1 of 3 accounts done, 1600 objects  1m 05s",
      "  beta: 3 of 8 collections read, 400 objects",
      "  gamma: 0 of 8 collections read, 0 objects",
    ],
  );
});

test("what does not fit into the terminal is counted", () => {
  const many = Array.from({ length: 40 }, (_, index) => progress(`account-${index}`, 1, 1));
  const lines = frame(many, 40, 8, 0);
  expect(lines).toHaveLength(8);
  expect(lines.at(-1)).toBe("  … and 34 more");
  expect(lines.every((line) => line.length <= 40)).toBe(true);
});

test("a terminal is drawn over at most ten times a second, and left clean", async () => {
  const drawn: string[] = [];
  const clock = new ManualClock();
  let erased = 0;
  const stderr = { write: () => {}, isTTY: true, columns: 80, rows: 24 };
  const asked: unknown[] = [];
  const context = {
    stderr,
    env: {},
    clock,
    openCanvas: (on: unknown) => (
      asked.push(on),
      Promise.resolve({ draw: (text: string) => void drawn.push(text), erase: () => void (erased += 1) })
    ),
  } as unknown as CliContext;
  const shown = await openProgress(context);
  for (let count = 0; count < 1000; count++) shown.onProgress(progress("acme", 1, count));
  clock.advance(100);
  clock.advance(100);
  expect(drawn).toEqual([expect.stringContaining("acme: 1 of 8 collections read, 999 objects")]);
  shown.close();
  expect([asked, erased]).toEqual([["stderr"], 1]);
});
