import { EventEmitter } from "node:events";
import { interruptions, signalsOf } from "../../cli/start";
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
  return Object.assign(at, { signalled: heed });
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

describe("signals of a process", () => {
  /** What hears signals of a process, and what has come of them. */
  function signalled(pid = 9) {
    const source = Object.assign(new EventEmitter(), { pid, ppid: 7, env: {} });
    const heard: string[] = [];
    const signals = signalsOf(
      source,
      () => heard.push("end"),
      () => () => undefined,
    );
    return { source, heard, signals, listen: (name: string) => signals.listen(() => heard.push(name)) };
  }

  test.each(["SIGINT", "SIGTERM"])("%s ends what does not listen, before and after", (signal) => {
    const { source, heard, listen } = signalled();
    source.emit(signal);
    const silence = listen("command");
    source.emit(signal);
    silence();
    source.emit(signal);
    expect(heard).toEqual(["end", "command", "end"]);
  });

  test("signals are the system's during work that only reads", async () => {
    const { source, heard, signals } = signalled();
    const counts = () => ["SIGINT", "SIGTERM"].map((signal) => source.listenerCount(signal));
    const during = () => signals.leave(() => signals.leave(async () => counts()));
    expect([await during(), counts()]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    await expect(signals.leave(() => Promise.reject(new Error("unreadable")))).rejects.toThrow("unreadable");
    source.emit("SIGTERM");
    expect([counts(), heard]).toEqual([[1, 1], ["end"]]);
  });

  test("process 1 of a container, and what has listeners, hear signals during it", async () => {
    const first = signalled(1);
    expect(await first.signals.leave(async () => first.source.listenerCount("SIGINT"))).toBe(1);
    const { source, listen, signals } = signalled();
    listen("command");
    expect(await signals.leave(async () => source.listenerCount("SIGINT"))).toBe(1);
  });

  test("SIGHUP is the system's where nobody listens", () => {
    const { source, heard, listen } = signalled();
    const silence = listen("command");
    source.emit("SIGHUP");
    silence();
    expect([heard, source.listenerCount("SIGHUP")]).toEqual([["command"], 0]);
  });
});
