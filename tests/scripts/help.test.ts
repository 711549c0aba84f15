import { readdirSync } from "node:fs";
import { Checkout, lineOf, manifest } from "./checkout";
import { refusals } from "./refusals";

/** Scripts that run what is the same wherever it is started from, and are therefore not started here. */
const startedElsewhere: Readonly<Record<string, string>> = {
  test: "this very run has been through it",
  "test:nightly": "its suites are those of this run, at full length",
  build: "this run has been through it, by tools/bootstrap.mjs",
  prepack: "it is tools/bootstrap.mjs alone, which begins every other script",
  lint: "starts Biome alone, and this run has been through it",
  format: "starts Biome alone",
  "format:check": "starts Biome alone",
};

const scripts = Object.keys(manifest.scripts);
const ours = scripts.filter((script) => !(script in startedElsewhere));

let checkout: Checkout;
beforeAll(() => {
  checkout = new Checkout();
  checkout.prepare();
});
afterAll(() => checkout.close());

test("every script is started here, or has a reason why not", () => {
  expect(Object.keys(startedElsewhere).filter((script) => !scripts.includes(script))).toEqual([]);
  expect(ours).toEqual(expect.arrayContaining(["start", "release", "executables", "generate"]));
});

/** What may precede the program of a script, which is last and gets the flags. */
const preparations = ["node tools/bootstrap.mjs", "npm run --silent lint", "node tools/check-types.mjs"];

test.each(scripts)("`npm run %s` is one program, which gets all flags", (script) => {
  const programs = manifest.scripts[script]!.split(/&&|[;|&]/).map((command) => command.trim());
  expect(programs.slice(0, -1).filter((command) => !preparations.includes(command))).toEqual([]);
});

/** Flags and arguments that a usage explains, each on a line of its own. */
const explained = (usage: string): string[] =>
  [...usage.matchAll(/^ {2}(--[\w-]+|<[^>]+>)/gm)].map(([, name = ""]) => name).filter((name) => name !== "--help");

describe.each(ours)("`npm run %s`", (script) => {
  test("loads all that it needs for --help, prints its usage and writes nothing", () => {
    const { code, stdout, stderr } = checkout.run(lineOf(script, ["--help"]));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(script === "start" ? "Usage: npm start" : `Usage: npm run ${script}`);
    expect(checkout.changedFiles()).toEqual([]);
    expect(readdirSync(checkout.temporary)).toEqual([]);
    const refused = (refusals[script] ?? []).map(({ by }) => by);
    expect(refused).toEqual(expect.arrayContaining(explained(stdout)));
  });

  test("refuses a flag that it does not have, and writes nothing", () => {
    const { code, stdout, stderr } = checkout.run(lineOf(script, ["--no-such-flag"]));
    expect(stderr).toContain("--no-such-flag");
    expect(stderr).toContain("Usage: npm ");
    expect([code, stdout]).toEqual([64, ""]);
    expect(checkout.changedFiles()).toEqual([]);
  });
});
