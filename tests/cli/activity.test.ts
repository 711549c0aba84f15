import type { Command } from "commander";
import { Activity } from "../../cli/command/activity";
import type { CliContext } from "../../cli/command/context";
import { commands } from "../../cli/commands";
import { run } from "../../cli/program";
import { ManualClock } from "../engine/display/script";
import { modelplatform, project } from "./terminal";

const words = "Reading the project";

/** What reaches standard error of a terminal, or of a pipe, and the clock. */
function scene({ isTTY = true, env = {} }: { isTTY?: boolean; env?: Record<string, string> } = {}) {
  const written: string[] = [];
  const output = (name: string) => ({
    write: (text: string) => void written.push(`${name}${text}`),
    ...{ isTTY, columns: 80, rows: 24 },
  });
  const clock = new ManualClock();
  const openCanvas = async () => ({ draw: (text: string) => void written.push(`drawn: ${text}`), erase: () => {} });
  const outputs = { stdout: output("out: "), stderr: output("") };
  const context = { ...outputs, env, clock, openCanvas } as unknown as CliContext;
  const activity = new Activity(context);
  return { context, activity, clock, written, ended: activity.endedBy(context) };
}

const erased = "\r\u001b[K";

test("a terminal shows a line that moves, and its seconds from the second one on", () => {
  const { activity, clock, written } = scene();
  activity.begin(words);
  clock.advance(100);
  expect(written).toEqual([`${erased}⠋ ${words} …`, `${erased}⠙ ${words} …`]);
  clock.advance(1900);
  expect(written.at(-1)).toBe(`${erased}⠋ ${words} …  2s`);
});

test.each(["stdout", "stderr"] as const)("it is gone before anything is written to %s", (name) => {
  const { activity, ended, clock, written } = scene();
  activity.begin(words);
  written.length = 0;
  ended[name]!.write("plan\n");
  clock.advance(1000);
  expect(written).toEqual([erased, name === "stdout" ? "out: plan\n" : "plan\n"]);
  expect(clock.timersLeft).toBe(0);
});

test("it stays until something is drawn on a canvas", async () => {
  const { activity, ended, written } = scene();
  activity.begin(words);
  written.length = 0;
  const canvas = await ended.openCanvas!();
  expect(written).toEqual([]);
  canvas.draw("plan");
  expect(written).toEqual([erased, "drawn: plan"]);
});

test.each([
  ["where nobody looks", { isTTY: false }, {}],
  ["on a terminal that cannot draw", { env: { TERM: "dumb" } }, {}],
  ["with --non-interactive", {}, { nonInteractive: true }],
])("%s it is one line", (_, place, options) => {
  const { activity, clock, written } = scene(place);
  activity.begin(words, options);
  clock.advance(5000);
  activity.end();
  expect(written).toEqual([`${words} …\n`]);
});

test("a command says it before it looks for a program, and not with --json", async () => {
  const { cwd, env } = await project("dev");
  expect((await modelplatform("preview --stack dev", { cwd, env })).began).toBe(
    "Reading the project and the state of its stack …\n",
  );
  const data = await modelplatform("preview --stack dev --json", { cwd, env });
  expect(data.began).toBeUndefined();
  expect(data.stderr).toMatch(/^error: /);
});

test("a line that makes no sense is refused before anything begins", async () => {
  const { cwd, env } = await project("dev");
  const { began, stderr, code } = await modelplatform("import", { cwd, env });
  expect([began, stderr, code]).toEqual([undefined, "error: import needs a type, a name and an id, or --file.\n", 64]);
});

test.each([
  ["", true],
  ["--json", false],
  ["--non-interactive", false],
  ["--help", false],
])("on a terminal it is drawn before the command is loaded: slow %s", async (flag, isDrawn) => {
  const { written, context } = scene();
  let before: string[] = [];
  const load = () => {
    before = [...written];
    return {
      register: (program: Command) =>
        void program
          .command("slow")
          .option("--json")
          .action(() => {}),
    };
  };
  const slow = { name: "slow", summary: "takes its time", group: "Any:", startMessage: words, load };
  await run(["slow", flag].filter(Boolean), context, "1.2.3", [slow]);
  expect(before).toEqual(isDrawn ? [`${erased}⠋ ${words} …`] : []);
});

test("what neither compiles nor runs a program nor asks the service says nothing", () => {
  const silent = commands.filter(({ startMessage }) => startMessage === undefined).map(({ name }) => name);
  expect(silent.sort()).toEqual(["cancel", "config", "emulator", "new", "review", "stack", "state"]);
});

test.each([
  ["drift merge 1.json", "Reading the reports"],
  ["audit merge 1.json", "Reading the reports"],
  ["drift history --history nowhere", "Reading the history"],
])("`%s` says what it reads", async (line, words) => {
  expect((await modelplatform(line)).began).toBe(`${words} …\n`);
});

test("a wrong command line is answered by its error alone", async () => {
  const { began, stderr } = await modelplatform("preview --no-such-flag");
  expect(began).toBeUndefined();
  expect(stderr).toMatch(/^error: /);
});
