import Table from "cli-table3";
import { recordedOutputs } from "../../provider/core/comparison/recorded";
import { managedSpecs } from "../../provider/resources/index";
import { createHarness } from "../../tests/lifecycle/harness";

/**
 * Own time of the provider per call of check and diff, for each kind's example. Neither asks the service anything,
 * and an engine calls them one after the other.
 */

const calls = Number(process.env["CALLS"] ?? 2000);
/** In milliseconds. */
const target = 0.5;

/** Processor time of a call, in milliseconds, whatever else the machine is doing. */
async function mean(work: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < calls / 10; count++) await work();
  const before = process.cpuUsage();
  for (let count = 0; count < calls; count++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

export async function main(): Promise<void> {
  const at = await createHarness();
  const provider = at.process();
  const table = new Table({
    head: ["", "check (ms)", "diff, a check before it included (ms)"],
    style: { head: [], border: [], compact: true },
  });
  for (const spec of managedSpecs) {
    const { kind, name } = spec;
    const given = spec.example as Record<string, unknown>;
    const inputs = await provider.check(kind, "example", given);
    const { account, origin } = provider.world.objects(kind, "acme");
    const message = {
      ...inputs,
      name: name.replace("{account}", account).replace(/\{\w+\}/, "example"),
      state: spec.lifecycle?.ready[0],
    };
    const outputs = recordedOutputs(spec, inputs, message, { accountId: account, endpoint: origin });
    const check = await mean(() => provider.check(kind, "example", given));
    const both = await mean(() => provider.diff(kind, "example", outputs, given));
    table.push([kind, check.toFixed(3), both.toFixed(3)]);
  }
  await at.close();
  console.log(table.toString());
  console.log(`mean of ${calls} calls (target: at most ${target})`);
}
