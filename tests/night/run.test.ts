import { spawnSync } from "node:child_process";
import { root } from "../rooms";

/** `npm run test:nightly` with these arguments, once everything is built. */
function night(...args: readonly string[]): { code: number | null; output: string; listed: string[] } {
  const { NIGHT_SEED: _, ...env } = process.env;
  const run = spawnSync(process.execPath, ["-r", "./tests/compiled.cjs", "tests/night/run.ts", ...args], {
    ...{ cwd: root, env, encoding: "utf8" },
  });
  const listed = run.stdout.split("\n").filter((line) => line.endsWith(".test.ts"));
  return { code: run.status, output: run.stderr, listed: listed.map((path) => path.slice(root.length + 1)) };
}

test.each([
  [["--part", "9/4"], "`--part 9/4` names no part"],
  [["--part", "x"], "`--part x` names no part"],
  [["--parts"], "Unknown option '--parts'"],
  [["no/such/suite"], "No suite of the night has a path with no/such/suite."],
])("%j is a mistake of usage", (args, message) => {
  expect(night(...args)).toMatchObject({ code: 64, output: expect.stringContaining(message) });
});

test("a part plays its suites alone, and says which it is", () => {
  const parts = ["1/2", "2/2"].map((part) => night("--part", part, "tests/core", "--", "--listTests"));
  expect(parts.map(({ output }) => output.split("\n")[0])).toEqual([
    expect.stringMatching(/^Part 1 of 2 of the night: \d+ suites?\.$/),
    expect.stringMatching(/^Part 2 of 2 of the night: \d+ suites?\.$/),
  ]);
  const suites = parts.flatMap(({ listed }) => listed);
  expect(new Set(suites)).toContain("tests/core/wire.property.test.ts");
  expect(suites.filter((suite) => !suite.startsWith("tests/core/"))).toEqual([]);
});

test("fresh seeds are drawn, and printed", () => {
  const seeds = [1, 2].map(() => {
    const { output } = night("--fresh", "tests/core/wire", "--", "--listTests");
    return /^Fresh seeds: NIGHT_SEED=(\d+) draws them again\.$/m.exec(output)?.[1];
  });
  expect(seeds).not.toContain(undefined);
  expect(new Set(seeds).size).toBe(2);
  expect(night("tests/core/wire", "--", "--listTests").output).not.toContain("NIGHT_SEED");
});
