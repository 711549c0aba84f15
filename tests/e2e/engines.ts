import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { isExecutable, placesOf } from "../executables";
import { nightly } from "../nightly";

export const repository = resolve(__dirname, "../..");

const cli = placesOf(["pulumi"]).find(isExecutable);

/** What runs programs. Both engines take the same commands and flags. */
export interface Engine {
  title: string;
  isBuiltIn: boolean;
  command: string;
  args: readonly string[];
  /** Folder of the packages that programs find. Default: the repository's. */
  packages?: string;
}

export const builtIn: Engine = {
  title: "the built-in engine",
  isBuiltIn: true,
  command: process.execPath,
  args: [join(repository, "dist/cli/main.js")],
};

/** The engine on packages that are installed elsewhere, this one among them. */
export const withPackages = (engine: Engine, packages: string): Engine => ({
  ...engine,
  packages,
  args: engine.isBuiltIn ? [join(packages, "pulumi-modelplatform/dist/cli/main.js")] : engine.args,
});

export const pulumiCli: Engine = { title: "the Pulumi CLI", isBuiltIn: false, command: cli ?? "pulumi", args: [] };

/** PATH for both: the launcher of dynamic providers, which the CLI looks for there, comes with the SDK. */
export const enginePath = [process.env["PATH"] ?? "", join(repository, "node_modules/@pulumi/pulumi")].join(delimiter);

/** Where an engine and its processes run, and the service that they speak to. */
export interface Surroundings {
  /** Has `home`, `state`, `intents` and `plugins`. */
  folder: string;
  url: string;
  account: string;
  apiKey: string;
  passphrase: string;
}

const { NODE_COMPILE_CACHE } = process.env;
/** Where Node.js keeps what it has compiled, if this run has such a folder: a start takes two thirds of its time. */
const codeCache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** A user's home. The Pulumi CLI asks the system for its own, unless it is told. */
export const homeIn = (folder: string): { HOME: string; PULUMI_HOME: string } => ({
  HOME: folder,
  PULUMI_HOME: join(folder, ".pulumi"),
});

/** What both engines and their processes run with: nothing of this process's own surroundings. */
export const environmentIn = ({ folder, url, account, apiKey, passphrase }: Surroundings): Record<string, string> => ({
  PATH: enginePath,
  ...codeCache,
  ...homeIn(join(folder, "home")),
  PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
  PULUMI_CONFIG_PASSPHRASE: passphrase,
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  MODELPLATFORM_ACCOUNT_ID: account,
  MODELPLATFORM_API_KEY: apiKey,
  MODELPLATFORM_BASE_URL: url,
  MODELPLATFORM_INTENTS: join(folder, "intents"),
});

/** Puts the plugin that is compiled in `dist` where a project of the folder names it. */
export function installPlugin(folder: string): void {
  mkdirSync(join(folder, "plugins"), { recursive: true });
  const plugin = `#!/usr/bin/env node\nrequire(${JSON.stringify(join(repository, "dist/provider/plugin/main.js"))});\n`;
  writeFileSync(join(folder, "plugins", "pulumi-resource-modelplatform"), plugin, { mode: 0o755 });
}

/** Why tests on the Pulumi CLI are left out; empty where they are not. */
export const missingCli = cli === undefined ? "skipped: no `pulumi` on PATH" : "";

/** The same tests on the built-in engine, and on the Pulumi CLI where there is one. */
export function onEachEngine(tests: (engine: Engine) => void): void {
  describe(`on ${builtIn.title}`, () => tests(builtIn));
  onTheCli(() => tests(pulumiCli));
}

/** The same on each engine, for which the built-in one says enough: on the Pulumi CLI in the nightly run alone. */
export function withCliAtNight(reason: string, tests: (engine: Engine) => void): void {
  describe(`on ${builtIn.title}`, () => tests(builtIn));
  nightly(reason, () => onTheCli(() => tests(pulumiCli)));
}

/** Tests that need the Pulumi CLI; skipped with the reason where there is none. */
export function onTheCli(tests: () => void): void {
  if (missingCli === "") describe(`on ${pulumiCli.title}`, tests);
  else describe.skip(`on ${pulumiCli.title} (${missingCli})`, tests);
}
