import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { commands } from "../../cli/commands";
import { modelplatform, temporaryFolder } from "./terminal";

const manifest = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
  bin: Record<string, string>;
};

/** What bash offers for a command line whose last word is being typed, as when the tab key is pressed. */
async function offered(...typed: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await modelplatform("completion bash --alias mp");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const file = join(temporaryFolder(), "completion.bash");
  writeFileSync(file, stdout);
  const press = `
    source "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    completer=$(complete -p "$1"); completer="\${completer#*-F }"
    "\${completer%% *}"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const bash = spawnSync("bash", ["--noprofile", "--norc", "-c", press, "bash", file, ...typed], { encoding: "utf8" });
  expect({ status: bash.status, stderr: bash.stderr }).toEqual({ status: 0, stderr: "" });
  return bash.stdout.split("\n").filter((word) => word !== "");
}

const names = [...Object.keys(manifest.bin).filter((name) => !name.startsWith("pulumi-resource-")), "mp"];

test.each(names)("bash completes the commands of %s", async (name) => {
  expect(await offered(name, "")).toEqual(expect.arrayContaining(commands.map((entry) => entry.name)));
  expect(await offered(name, "pre")).toEqual(["preview"]);
});

test.each<[string[], string[]]>([
  [
    ["stack", "i"],
    ["init", "import"],
  ],
  [["stack", "export", "--sh"], ["--show-secrets"]],
  [
    ["up", "--target-"],
    ["--target-dependents", "--target-replace"],
  ],
  [["-C", "up", "destroy", "--exclude-p"], ["--exclude-protected"]],
  [["up", "--stack", "destroy", "--exclude-p"], []],
  [["up", "--non"], ["--non-interactive"]],
  [
    ["--color", "a"],
    ["always", "auto"],
  ],
  [
    ["up", "--color", ""],
    ["always", "never", "raw", "auto"],
  ],
  [["drift", "--format", "m"], ["markdown"]],
  [["audit", "--format", "i"], ["ics"]],
  [
    ["cost", "--format", ""],
    ["text", "markdown", "json", "csv", "html"],
  ],
  [["up", "--stack", ""], []],
  [["completion", "--al"], ["--alias"]],
  [["call", "getPolicy"], ["getPolicySettings"]],
])("bash completes %j to %j", async (typed, expected) => {
  expect(await offered("modelplatform", ...typed)).toEqual(expected);
});

test("every command and every flag that there is can be completed", async () => {
  const program = new Command();
  for (const { load } of commands) load().register(program, { env: {}, stdout: {}, stderr: {} } as never);
  const { stdout } = await modelplatform("completion bash");
  const missing = (command: Command, path: string): string[] => {
    const line = stdout.split("\n").find((text) => text.trimStart().startsWith(`'${path}') known=`)) ?? "";
    const words = line.split(/[' ]/);
    const own = [...command.commands.map((each) => each.name()), ...command.options.flatMap(({ long }) => long ?? [])];
    return [
      ...own.filter((word) => !words.includes(word)).map((word) => `${path} ${word}`),
      ...command.commands.flatMap((each) => missing(each, `${path} ${each.name()}`.trim())),
    ];
  };
  expect(missing(program, "")).toEqual([]);
});

test("zsh gets the same by its own means, and fish a line for each command and flag", async () => {
  const bash = (await modelplatform("completion bash")).stdout;
  expect((await modelplatform("completion zsh")).stdout).toMatch(/^autoload -U \+X compinit && compinit\n/);
  expect((await modelplatform("completion zsh")).stdout.endsWith(bash)).toBe(true);
  const fish = (await modelplatform("completion fish")).stdout.split("\n");
  expect(fish).toContain(
    "complete -c modelplatform -n '__pulumi_modelplatform_at '\\''stack'\\''' -f -a 'init' -d 'make a stack and select it'",
  );
  expect(fish.filter((line) => line.includes("-l color -r -f -a 'always never raw auto'")).length).toBeGreaterThan(20);
});

test("another shell is a usage error that names those that there are", async () => {
  expect(await modelplatform("completion powershell")).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("Allowed choices are bash, zsh, fish."),
  });
});
