import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { nightly } from "../nightly";

export const repository = resolve(__dirname, "../..");

const folders = (process.env["PATH"] ?? "").split(delimiter);
const cli = folders.map((folder) => join(folder, "pulumi")).find((path) => existsSync(path));

/** What runs programs. Both engines take the same commands and flags. */
export interface Engine {
  title: string;
  isBuiltIn: boolean;
  command: string;
  args: readonly string[];
}

export const builtIn: Engine = {
  title: "the built-in engine",
  isBuiltIn: true,
  command: process.execPath,
  args: [join(repository, "dist/cli/main.js")],
};

export const pulumiCli: Engine = { title: "the Pulumi CLI", isBuiltIn: false, command: cli ?? "pulumi", args: [] };

/** PATH for both: the launcher of dynamic providers, which the CLI looks for there, comes with the SDK. */
export const enginePath = [...folders, join(repository, "node_modules/@pulumi/pulumi")].join(delimiter);

/** Why tests on the Pulumi CLI are left out; empty where they are not. */
export const missingCli = cli === undefined ? "skipped: no `pulumi` on PATH" : "";

/** The same tests on the built-in engine, and on the Pulumi CLI where there is one. */
export function onEachEngine(tests: (engine: Engine) => void): void {
  describe(`on ${builtIn.title}`, () => tests(builtIn));
  onTheCli(() => tests(pulumiCli));
}

/** The same on each engine, for which every run of the built-in one says enough: on the Pulumi CLI at night alone. */
export function withCliAtNight(reason: string, tests: (engine: Engine) => void): void {
  describe(`on ${builtIn.title}`, () => tests(builtIn));
  nightly(reason, () => onTheCli(() => tests(pulumiCli)));
}

/** Tests that need the Pulumi CLI; skipped with the reason where there is none. */
export function onTheCli(tests: () => void): void {
  if (missingCli === "") describe(`on ${pulumiCli.title}`, tests);
  else describe.skip(`on ${pulumiCli.title} (${missingCli})`, tests);
}
