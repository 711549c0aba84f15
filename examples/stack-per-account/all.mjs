// node all.mjs preview|up|refresh|destroy [--engine built-in|pulumi] [--at-once 4] [--shard 1/3]
//
// Every account of accounts.json, each in a stack of its own. One that fails costs only itself.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: "string", default: "built-in" },
    "at-once": { type: "string", default: "4" },
    shard: { type: "string", default: "1/1" },
  },
});
const [command] = positionals;
if (!["preview", "up", "refresh", "destroy"].includes(command)) {
  console.error("Say what to do: preview, up, refresh or destroy.");
  process.exit(64);
}

const workDir = import.meta.dirname;

// Both engines have the Automation API's names. Pulumi's own runs the Pulumi CLI, with any backend.
const engines = {
  "built-in": async () => (await import("pulumi-modelplatform/engine")).EmbeddedStack.createOrSelect,
  pulumi: async () => {
    const { LocalWorkspace } = await import("@pulumi/pulumi/automation/index.js");
    return ({ stackName }) => LocalWorkspace.createOrSelectStack({ stackName, workDir });
  },
};
const open = await engines[values.engine]();

// Shards are 1-based, as those of `npx pulumi-modelplatform drift`; every account is in one of them.
const [shard, shards] = values.shard.split("/").map(Number);
const accounts = Object.entries(JSON.parse(readFileSync(new URL("accounts.json", import.meta.url), "utf8")));
const queue = accounts.filter((_, index) => index % shards === shard - 1);

async function run(account, { residency }) {
  const lines = [];
  try {
    const stack = await open({ stackName: account, workDir });
    await stack.setConfig("modelplatform:accountId", { value: account });
    await stack.setConfig("modelplatform-stack-per-account:residency", { value: residency });
    // Pulumi's own counts under other names.
    const { changes, changeSummary, summary } = await stack[command]({ onOutput: (text) => void lines.push(text) });
    const counts = Object.entries(changes ?? changeSummary ?? summary.resourceChanges).filter(([, count]) => count > 0);
    console.log(`${account}: ${command} succeeded: ${counts.map(([what, count]) => `${count} ${what}`).join(", ")}`);
    return true;
  } catch (error) {
    console.error(`${account}: ${command} failed\n${lines.join("") || error.message}`);
    return false;
  }
}

const outcomes = [];
const worker = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) outcomes.push(await run(...next));
};
await Promise.all(Array.from({ length: Number(values["at-once"]) }, worker));

const failed = outcomes.filter((ok) => !ok).length;
console.log(`${outcomes.length - failed} of ${outcomes.length} accounts done`);
process.exit(failed > 0 ? 1 : 0);
