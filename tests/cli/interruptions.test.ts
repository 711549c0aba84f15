import { interruptions } from "../../cli/process-context";
import { ManualClock } from "../engine/display/script";

/** A process whose parent can end, and how often it has been asked to end. */
function child(env: { [name: string]: string } = { npm_command: "exec" }) {
  const clock = new ManualClock();
  const at = { parent: 7, asked: 0, clock };
  const heed = interruptions(() => (at.asked += 1), {
    parent: () => at.parent,
    env,
    every: (ms, call) => clock.every(ms, call),
  });
  return Object.assign(at, heed);
}

test("what npx started ends with the shell between them, which a SIGTERM ends alone", () => {
  const it = child();
  it.clock.advance(5000);
  expect(it.asked).toBe(0);
  it.parent = 1;
  it.clock.advance(1000);
  expect(it.asked).toBe(1);
  it.clock.advance(5000);
  expect(it.asked).toBe(1);
});

test("a signal that the shell has had, too, counts once", () => {
  const it = child();
  it.signalled();
  it.parent = 1;
  it.clock.advance(5000);
  expect(it.asked).toBe(1);
  it.signalled();
  expect(it.asked).toBe(2);
});

test("what nobody's package runner has started outlives its parent", () => {
  const it = child({});
  it.parent = 1;
  it.clock.advance(5000);
  expect(it.asked).toBe(0);
});

test("whoever no longer listens is not asked", () => {
  const it = child();
  it.end();
  it.parent = 1;
  it.clock.advance(5000);
  expect(it.asked).toBe(0);
});
