import { commands } from "../../cli/commands";
import { run } from "../../cli/program";
import { modelplatform } from "./terminal";

/** Every command and subcommand that there is. */
const lines = [
  ...commands.map(({ name }) => name),
  ...["show", "init", "ls", "select", "rename", "rm", "history", "output", "export", "import"].map(
    (name) => `stack ${name}`,
  ),
  ...["delete", "taint", "untaint", "protect", "unprotect", "rename", "move"].map((name) => `state ${name}`),
  ...["get", "set", "rm", "ls"].map((name) => `config ${name}`),
];

test.each(lines)("%s --help has an example", async (line) => {
  const { code, stdout, stderr } = await modelplatform(`${line} --help`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`Usage: npx pulumi-modelplatform ${line}`);
  expect(stdout).toMatch(new RegExp(`\nExample:\n {2}\\$ npx pulumi-modelplatform ${line}`));
});

test.each(lines)("help %s is the same as --help", async (line) => {
  const [group = "", ...rest] = line.split(" ");
  const asked = rest.length === 0 ? `help ${group}` : `${group} help ${rest.join(" ")}`;
  expect(await modelplatform(asked)).toEqual(await modelplatform(`${line} --help`));
});

test("the help of a command fits 80 columns and has the flag for the folder", async () => {
  for (const line of lines) {
    const { stdout } = await modelplatform(`${line} --help all`, { isTTY: true });
    // Calls and routes are not broken.
    const prose = stdout.split("\n").filter((text) => !text.startsWith("  $ ") && !text.includes("/v1/"));
    expect(prose.filter(({ length }) => length > 80)).toEqual([]);
    expect(stdout).toContain("-C, --cwd <folder>");
  }
});

test("the help lists every command with a line about it", async () => {
  const { code, stdout } = await modelplatform("--help");
  expect(code).toBe(0);
  for (const { name, summary } of commands)
    expect(stdout.replace(/\s+/g, " ")).toContain(` ${name} `), expect(stdout.replace(/\s+/g, " ")).toContain(summary);
});

test("help reads no command's file", async () => {
  const read: string[] = [];
  const entries = commands.map((entry) => ({ ...entry, load: () => (read.push(entry.name), entry.load()) }));
  const output = { write: () => {}, isTTY: false, columns: 80, rows: 24 };
  await run(["--help"], { stdout: output, stderr: output, env: {}, exitCode: 0 } as never, "1.2.3", entries);
  expect(read).toEqual([]);
});

test("the folder may stand before the command and be spelt with an equals sign", async () => {
  for (const line of ["-C / up --help", "--cwd=/ up --help", "-C/ up --help", "up -C / --help"])
    expect(await modelplatform(line)).toEqual(await modelplatform("up --help"));
});

test("the version is printed", async () =>
  expect(await modelplatform("--version")).toMatchObject({ code: 0, stdout: "1.2.3\n" }));

test.each(["", "state", "call"])("'%s' alone is a usage error that shows the help", async (line) => {
  const { code, stdout, stderr } = await modelplatform(line);
  expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
  expect(stderr).toContain(`Usage: npx pulumi-modelplatform ${line}`);
});

test("a missing folder is a usage error", async () => {
  const { code, stderr } = await modelplatform("-C nowhere preview", { cwd: "/" });
  expect({ code, stderr }).toEqual({ code: 64, stderr: "error: --cwd: there is no folder /nowhere\n" });
});

/** What stands below a heading of a help, by its first word. */
const flagsIn = (help: string): string[] =>
  [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag!).filter((flag) => flag !== "--help");

test.each(lines)("%s --help shows eight flags at most, and --help all the rest", async (line) => {
  const short = flagsIn((await modelplatform(`${line} --help`)).stdout);
  const { stdout } = await modelplatform(`${line} --help all`);
  expect(short.length).toBeLessThanOrEqual(8);
  expect(flagsIn(stdout)).toEqual(expect.arrayContaining([...short, "--cwd", "--color"]));
  expect(await modelplatform(`help ${line.split(" ").slice(0, 1).join(" ")} all`)).toMatchObject({ code: 0 });
});

test("a short help says how many flags there are besides, and how to see them", async () => {
  const { stdout } = await modelplatform("drift --help");
  expect(flagsIn(stdout)).toEqual(
    ["stack", "backend", "account", "all-accounts", "unmanaged", "fail-on", "format", "output"].map(
      (name) => `--${name}`,
    ),
  );
  const [, more] = /\n(\d+) more flags: npx pulumi-modelplatform drift --help all\n/.exec(stdout) ?? [];
  const all = flagsIn((await modelplatform("drift --help all")).stdout);
  expect(Number(more)).toBe(all.length - 8);
});

test("commands are in four groups", async () => {
  const { stdout } = await modelplatform("--help");
  expect([...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)).toEqual(
    expect.arrayContaining(["Your stack", "What is live", "The service", "For developers"]),
  );
});

test("a subcommand shows what it takes of its group's flags, and refuses others", async () => {
  expect(flagsIn((await modelplatform("drift history --help")).stdout).sort()).toEqual([
    "--format",
    "--history",
    "--json",
    "--output",
  ]);
  expect(await modelplatform("drift history --stack dev --history h")).toMatchObject({
    code: 64,
    stderr: "error: `drift history` does not take --stack. It takes --history, --format, --output, --json.\n",
  });
});
