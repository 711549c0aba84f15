import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";
import type { Values } from "../../tests/values";
import { MeasuredPlugin } from "./plugin/process";

/**
 * Processor time of the plugin's process: until it says its port, and for each resource of a stack that has not
 * changed, by the calls that an engine makes for it. Beside it the same of a plugin that knows nothing, which is what
 * the protocol costs in Node.js.
 */

const count = Number(process.env["COUNTS"] ?? "1000");
const targets = { start: 250, resource: 0.5 };
const root = join(__dirname, "..", "..");

interface Made {
  kind: string;
  name: string;
  id: string;
  inputs: Values;
  outputs: Values;
}

const templates = [
  { kind: "User", name: "ada", args: { userId: "ada", email: "ada@example.com", role: "user" } },
  {
    kind: "Deployment",
    name: "chat",
    args: { baseModel: "accounts/acme/models/base", deploymentId: "chat", acceptShapelessRisk: true },
  },
];

/** One object of each kind is made; the others are copies of it by another name. */
async function make(plugin: MeasuredPlugin): Promise<Made[]> {
  const originals: Made[] = [];
  for (const { kind, name, args } of templates) {
    const { inputs } = await plugin.check(kind, name, args);
    originals.push({ kind, name, inputs, ...(await plugin.create(kind, name, inputs)) });
  }
  const made: Made[] = [];
  for (let index = 0; index < count; index += 1) {
    const original = originals[index % originals.length]!;
    const named = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value).replaceAll(original.name, `${original.name}-${index}`)) as T;
    made.push({ ...named(original), kind: original.kind });
  }
  return made;
}

/** What an engine asks for resources that are as they were, one after the other as it does. */
async function compare(plugin: MeasuredPlugin, made: readonly Made[]): Promise<void> {
  for (const { kind, name, id, inputs, outputs } of made) {
    const { inputs: news } = await plugin.check(kind, name, inputs, inputs);
    const { changes } = await plugin.diff(kind, name, id, { olds: outputs, oldInputs: inputs, news });
    if (changes !== "none") throw new Error(`${id} is to have changed: ${changes}`);
  }
}
type Command = readonly string[];

const commands: Readonly<Record<string, Command>> = {
  "this plugin": [join(root, "plugin", "pulumi-resource-modelplatform")],
  "a plugin that knows nothing": [
    ...["--require", join(root, "tests", "compiled.cjs")],
    join(__dirname, "plugin", "bare.ts"),
  ],
};

/** Milliseconds until the port is said, and per resource, of a new process. */
async function measure(command: Command, env: NodeJS.ProcessEnv, config: Values, made: readonly Made[]) {
  const plugin = await MeasuredPlugin.start(command, env);
  const start = await plugin.used();
  await plugin.configure(config);
  const configured = await plugin.used();
  await compare(plugin, made);
  const each = ((await plugin.used()) - configured) / count;
  await plugin.end();
  return { start, each };
}

async function compareIn(folder: string): Promise<void> {
  const emulator = createEmulator({ accounts: { acme: "acme-key" }, settings: { speed: 3600 } });
  const { url } = await emulator.listen({ port: 0 });
  const config = { accountId: "acme", apiKey: "acme-key", baseUrl: url };
  const env = { XDG_STATE_HOME: folder };
  try {
    const first = await MeasuredPlugin.start(commands["this plugin"]!, env);
    await first.configure(config);
    const made = await make(first);
    await first.end();
    const used: number[] = [];
    for (const [title, command] of Object.entries(commands)) {
      const { start, each } = await measure(command, env, config, made);
      used.push(each);
      console.log(`${title}: start ${start.toFixed(0)} ms, ${each.toFixed(2)} ms for each of ${count} resources`);
    }
    const [whole = 0, protocol = 0] = used;
    console.log(
      `its own time: ${(whole - protocol).toFixed(2)} ms each, ${(whole / protocol).toFixed(2)} times the protocol's`,
    );
    console.log(`targets: start ${targets.start} ms, ${targets.resource} ms of its own for each`);
  } finally {
    await emulator.close();
  }
}

export async function main(): Promise<void> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "plugin-bench-"));
  try {
    await compareIn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
