import { builtIn, pulumiCli } from "../../tests/e2e/engines";
import { Site } from "../../tests/e2e/site";
import { fiveKinds } from "../../tests/five-kinds";
import { struckAnswers } from "../../tests/struck-answers";
import { machine } from "./peers/results";

/**
 * `up` of 500 objects of five kinds at a service that answers a tenth of all requests with 500, 429, a reset or not at
 * all: everything is created once, or what is left is named, and the second `up`, without faults, makes the rest. Fails
 * where something is doubled, lost or not named. `COUNT`, `SEEDS` and `ENGINE=cli` change it.
 */

const { COUNT = "500", SEEDS = "1,2,3", ENGINE } = process.env;
/** A minute of the service takes six seconds: at more, a hang is longer than a create's window. */
const speed = 10;
const engine = ENGINE === "cli" ? pulumiCli : builtIn;
const kinds = fiveKinds("acme");
const each = Math.ceil(Number(COUNT) / Object.keys(kinds).length);

const resources = Object.fromEntries(
  Object.entries(kinds).flatMap(([kind, { inputs }]) =>
    Array.from({ length: each }, (_, index) => [`${kind}-${index}`.toLowerCase(), { kind, ...inputs(index) }]),
  ),
);
const total = Object.keys(resources).length;

async function play(seed: number): Promise<void> {
  const site = await Site.open(engine, { settings: { speed } });
  const live = (): string[] =>
    Object.values(kinds).flatMap(({ collection }) => site.live(`${collection}/`).map(({ name }) => String(name)));
  try {
    const before = new Set(live());
    const ours = (): string[] => live().filter((name) => !before.has(name));
    for (const { fault, skip } of struckAnswers(seed, { share: 0.1, requests: 40 * total }))
      await site.fault({}, fault, { skip });
    site.declare({ resources });
    const begun = performance.now();
    const first = await site.run("up");
    const seconds = (performance.now() - begun) / 1000;
    const struck = await site.faultHits();
    const requests = (await site.requests()).length;
    const recorded = new Set(site.resources().map(({ id }) => id));
    const unrecorded = ours().filter((name) => !recorded.has(name)).length;
    const created = ours().length;
    await site.clearFaults();
    const second = await site.run("up");
    const doubled = ours().length - total;
    console.log(
      `seed ${seed}: first up exit ${first.code} after ${seconds.toFixed(0)} s, ${created} of ${total} there (${unrecorded} not recorded), ` +
        `${requests} requests, ${struck} struck; second up exit ${second.code}, ${ours().length} there`,
    );
    if (first.code !== 0) console.log(first.output.slice(first.output.indexOf("Diagnostics")));
    if (second.code !== 0 || doubled !== 0) {
      process.exitCode = 1;
      console.log(second.output.slice(-3000));
    }
  } finally {
    await site.close();
  }
}

export async function main(): Promise<void> {
  console.log(`${machine()}\n`);
  for (const seed of SEEDS.split(",").map(Number)) await play(seed);
}
