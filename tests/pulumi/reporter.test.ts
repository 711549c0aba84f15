import type { EngineLink, EngineLogEntry } from "../../provider/pulumi/engine-link";
import { engineAddress } from "../../provider/pulumi/engine-link";
import { createReporter, type ReporterTime } from "../../provider/pulumi/reporter";

function world() {
  const entries: EngineLogEntry[] = [];
  const link: EngineLink = {
    log: async (entry) => void entries.push(entry),
    watch: () => undefined,
    close: () => undefined,
  };
  const beats = new Set<() => void>();
  let now = 0;
  const time: ReporterTime = {
    now: () => now,
    every(ms, beat) {
      let next = now + ms;
      const tick = () => void (now >= next && ((next += ms), beat()));
      beats.add(tick);
      return () => void beats.delete(tick);
    },
  };
  const pass = (ms: number): void => {
    for (const end = now + ms; now < end; ) {
      now = Math.min(end, now + 100);
      for (const tick of [...beats]) tick();
    }
  };
  const texts = (): string[] => entries.map(({ text }) => text);
  return { entries, texts, beats, pass, reporter: createReporter(link, "urn:a", time) };
}

test("passing states come at most once a second, and the last one always comes", async () => {
  const { entries, texts, reporter, pass } = world();
  await reporter.during(async () => {
    for (const text of ["one", "two", "three", "three"]) {
      reporter.status(text);
      pass(300);
    }
    reporter.status("four");
    reporter.status("five");
  });
  expect(texts()).toEqual(["one", "three", "five"]);
  expect(entries.every(({ ephemeral, severity, urn }) => ephemeral && severity === "info" && urn === "urn:a")).toBe(
    true,
  );
});

test("an unchanged state is reported once a minute, and no oftener", async () => {
  const { texts, reporter, pass } = world();
  await reporter.during(async () => {
    for (let second = 0; second < 170; second += 5) {
      reporter.status(second < 100 ? "RUNNING, 1 %" : "RUNNING, 2 %");
      pass(5000);
    }
  });
  expect(texts()).toEqual(["RUNNING, 1 %", "RUNNING, 1 %", "RUNNING, 2 %", "RUNNING, 2 %"]);
});

test("an operation without news is never silent for more than a minute", async () => {
  const { texts, beats, reporter, pass } = world();
  await reporter.during(async () => {
    pass(45_000);
    reporter.warn("tried again");
    pass(121_000);
  });
  expect(texts()).toEqual(["tried again", "waiting for an answer", "waiting for an answer"]);
  expect(beats.size).toBe(0);
});

test("beats end with an operation that fails", async () => {
  const { beats, reporter } = world();
  await expect(reporter.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(beats.size).toBe(0);
});

test("warnings and information are never held back, and come in order", async () => {
  const { entries, reporter } = world();
  await reporter.during(async () => {
    reporter.warn("a");
    reporter.info("b");
    reporter.warn("c");
  });
  expect(entries.map(({ text, severity, ephemeral }) => [text, severity, ephemeral])).toEqual([
    ["a", "warning", false],
    ["b", "info", false],
    ["c", "warning", false],
  ]);
});

test.each([
  [["node", "dynamic-provider", "127.0.0.1:4711"], "127.0.0.1:4711"],
  [["node", "dynamic-provider", "--logtostderr", "localhost:1"], "localhost:1"],
  [["node", "jest", "tests/pulumi"], undefined],
  [["node", "127.0.0.1:1"], undefined],
])("the engine's address among %j is %j", (args, address) => {
  expect(engineAddress(args)).toBe(address);
});
