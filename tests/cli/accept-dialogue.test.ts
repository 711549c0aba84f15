import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accept, drift, engine, program, shop, textIn } from "./accepting";

const time = { now: () => Date.parse("2026-01-15T00:00:00Z"), sleep: () => Promise.resolve(), random: () => 0 };
const unmanaged = { stack: "dev", kind: "Secret", name: "key", what: "unmanaged" as const, path: "", live: {} };

test("whoever stops answering leaves what is left, and ignores nothing", async () => {
  const cwd = await shop();
  const { code, questions } = await accept(cwd, "--interactive", {
    isTTY: true,
    answers: ["i", "team", undefined],
    time,
  });
  expect([code, questions.length]).toEqual([2, 3]);
  expect(() => textIn(cwd, "drift-baseline.json")).toThrow(/ENOENT/);
  expect(textIn(cwd)).toBe(program);
});

test("nothing is ignored until a day that does not exist, or is over", async () => {
  const cwd = await shop();
  const answers = ["i", "team", "load test", "2026-02-31", "2026-01-14", "2026-01-15"];
  expect(await accept(cwd, "--interactive", { isTTY: true, answers, time })).toMatchObject({ code: 0 });
  expect(JSON.parse(textIn(cwd, "drift-baseline.json"))).toMatchObject({ entries: [{ expires: "2026-01-15" }] });
});

test("an unreadable baseline is reported before any request", async () => {
  const cwd = await shop();
  writeFileSync(join(cwd, "drift-baseline.json"), '{"version":1');
  const { code, stderr, questions } = await accept(cwd, "--interactive", { isTTY: true, answers: ["a"], time });
  expect([code, questions]).toEqual([1, []]);
  expect(stderr).toContain("drift-baseline.json is not a baseline");
  expect(readFileSync(join(cwd, "drift-baseline.json"), "utf8")).toBe('{"version":1');
});

test("what no stack manages cannot be set back", async () => {
  const cwd = await shop([...drift, unmanaged]);
  const { questions } = await accept(cwd, "--interactive", {
    isTTY: true,
    answers: ["l", "r", "l"],
    time,
    engine: engine([], []),
  });
  const question = "(i)gnore for a time, (l)eave? ";
  expect(questions.slice(1)).toEqual([question, question]);
});
