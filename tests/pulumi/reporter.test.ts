import type { EngineLink, LogEntry } from "../../provider/pulumi/engine-link";
import { engineAddress } from "../../provider/pulumi/engine-link";
import { createReporter } from "../../provider/pulumi/reporter";

function world() {
  const entries: LogEntry[] = [];
  const link: EngineLink = { log: async (entry) => void entries.push(entry), watch: () => undefined, close: () => undefined };
  let time = 0;
  const reporter = createReporter(link, "urn:a", () => time);
  return { entries, reporter, pass: (ms: number) => void (time += ms) };
}

test("passing states come at most once a second, and the last one always comes", async () => {
  const { entries, reporter, pass } = world();
  for (const text of ["one", "two", "three"]) {
    reporter.status(text);
    pass(400);
  }
  pass(400);
  reporter.status("four");
  reporter.status("five");
  await reporter.delivered();
  expect(entries.map(({ text }) => text)).toEqual(["one", "four", "five"]);
  expect(entries.every(({ ephemeral, severity, urn }) => ephemeral && severity === "info" && urn === "urn:a")).toBe(true);
});

test("warnings and information are never held back, and come in order", async () => {
  const { entries, reporter } = world();
  reporter.warn("a");
  reporter.info("b");
  reporter.warn("c");
  await reporter.delivered();
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
