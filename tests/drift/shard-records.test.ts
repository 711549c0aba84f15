import { writeFileSync } from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import { isIn, mayBeIn } from "../../drift/scan/accounts";
import type { DriftReport } from "../../drift/scan/document";
import { mergeReports } from "../../drift/scan/merge";
import type { Shard } from "../../drift/scan/shard";
import { readStacks, type Surroundings } from "../../drift/scan/stacks";
import { temporaryFolder } from "../cli/terminal";
import type { Values } from "../values";
import { createScene } from "./support/scene";
import { exported, type RecordedResource } from "./support/stacks";

/** A stack for each account: a model that has changed, and a deployment of the next account's model. */
const accounts = Array.from({ length: 9 }, (_, index) => `account-${index}`);
const nextOf = (account: string): string => accounts[(accounts.indexOf(account) + 1) % accounts.length]!;
const modelOf = (account: string): string => `accounts/${account}/models/own`;
const live = (account: string): Values[] => [
  { name: modelOf(account), displayName: "Own", state: "READY" },
  { name: `accounts/${account}/deployments/chat`, baseModel: modelOf(nextOf(account)), state: "READY" },
];
const recorded = (account: string): RecordedResource[] => {
  const [model, deployment] = live(account) as [Values, Values];
  return [
    { kind: "Model", inputs: { displayName: "Own", baseModel: "accounts/platform/models/open-8b" }, live: model },
    { kind: "Deployment", inputs: { baseModel: deployment["baseModel"] }, live: deployment },
  ];
};

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  for (const account of accounts)
    writeFileSync(
      join(folder, account),
      JSON.stringify(exported(recorded(account), { project: "fleet", stack: account })),
    );
});

const stacksFor = (isNeeded?: Surroundings["isNeeded"]) =>
  readStacks({ files: accounts }, { cwd: folder, env: {}, ...(isNeeded && { isNeeded }) });

function world() {
  const scene = createScene({ accounts });
  for (const account of accounts)
    for (const { name, ...fields } of live(account))
      scene.put(String(name), String(name) === modelOf(account) ? { ...fields, displayName: "Mine" } : fields);
  return scene;
}

async function scanOf(shard: Shard): Promise<DriftReport> {
  const scene = world();
  return scene.scan(await stacksFor(mayBeIn(shard, scene.client, { all: false })), { shard });
}

const shards = [1, 2, 3].map((index): Shard => ({ index, count: 3 }));

test("shards that read only stacks of their own accounts are together the whole", async () => {
  const whole = await world().scan(await stacksFor());
  const parts = await Promise.all(shards.map(async (shard, at) => ({ file: `${at}`, report: await scanOf(shard) })));
  const merged = mergeReports(parts);
  if ("problem" in merged) throw new Error(merged.problem);
  expect(whole.findings.filter(({ dependents }) => dependents?.length)).toHaveLength(accounts.length);
  expect(merged.report.findings).toEqual(whole.findings);
  expect(merged.report.scope).toEqual(whole.scope);
  expect(merged.report.summary).toEqual(whole.summary);
});

test("each stack is unpacked in the shard of its account, and once", async () => {
  const inflate = jest.spyOn(zlib, "inflateRawSync");
  for (const shard of shards) await scanOf(shard);
  expect(inflate).toHaveBeenCalledTimes(accounts.length);
  inflate.mockRestore();
});

test("an account whose records were left out is not scanned without them", async () => {
  const stacks = await stacksFor((account) => account !== "account-3");
  await expect(world().scan(stacks)).rejects.toThrow("The stack fleet/account-3 was read without its objects");
});

test("an account that any key may list is kept where one of them would have it", () => {
  const origins = ["https://one.example.com", "https://two.example.com"];
  const credentials = origins.map((baseUrl, index) => ({ account: `key-${index}`, apiKey: "k", baseUrl }));
  const env = {
    MODELPLATFORM_ACCOUNTS: JSON.stringify(Object.fromEntries(credentials.map(({ account, ...of }) => [account, of]))),
  };
  const { client } = createScene({ accounts: [], env });
  const keeping = shards.filter((shard) => mayBeIn(shard, client, { all: true })("listed"));
  const possible = shards.filter((shard) => origins.some((origin) => isIn(shard, { origin, account: "listed" })));
  expect(keeping).toEqual(expect.arrayContaining(possible));
  expect(shards.filter((shard) => mayBeIn(shard, client, { all: true })("key-0"))).toHaveLength(1);
});
