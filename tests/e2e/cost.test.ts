import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "undici";
import { costReport } from "../../governance/cost/estimate";
import { previewSteps, subjectsOf } from "../../governance/cost/preview";
import { readPrices } from "../../governance/cost/read-prices";
import { serviceCatalogue } from "../../governance/cost/service";
import { createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import type { Client } from "../../provider/api/types";
import { allSpecs } from "../../provider/resources/index";
import { expectCost, usualDay, type WorkedExample, workedExamples } from "../cost/worked-examples";
import { InlineSite } from "../inline/site";
import { address, arriving } from "../lifecycle/in-process";
import type { Values } from "../values";
import { onTheCli, pulumiCli } from "./engines";
import { account, apiKey, type DeclaredProgram, Site } from "./site";

jest.setTimeout(300_000);

/** The examples as a program of the sites' account declares them. */
const examples = JSON.parse(JSON.stringify(workedExamples).replaceAll("acme", account)) as WorkedExample[];
for (const [index, example] of examples.entries()) example.expect = workedExamples[index]!.expect;

const declaredOf = (of: (example: WorkedExample) => Values | null | undefined): DeclaredProgram => ({
  resources: Object.fromEntries(
    examples.flatMap((example) => {
      const inputs = of(example);
      return inputs ? [[example.id, { kind: example.kind ?? "Deployment", ...inputs }]] : [];
    }),
  ),
});

const clientOf = ({ emulator }: Site): Client => {
  const given: Record<string, string> = { accountId: account, apiKey, baseUrl: address };
  return createClient({
    settings: resolveSettings({ config: { get: (key) => given[key.replace("modelplatform:", "")] }, env: {} }),
    catalogue: createCatalogue(allSpecs, {}),
    env: {},
    dispatcher: new Agent().compose(arriving(emulator)),
  });
};

/** One preview of all examples, each of which is then costed by itself. */
async function expectEach(site: Site): Promise<void> {
  await site.up(declaredOf(({ before }) => before?.inputs));
  site.declare(declaredOf(({ inputs }) => inputs));
  await site.requests();
  const steps = previewSteps((await site.expect(0, "preview --json")).stdout);
  const client = clientOf(site);
  try {
    const catalogue = serviceCatalogue(client, new AbortController().signal);
    for (const example of examples) {
      const own = steps.filter(({ urn }) => urn.endsWith(`::${example.id}`));
      const prices = readPrices(`currency: USD\n${example.prices}`, "prices.yaml");
      const report = await costReport(subjectsOf(own), { prices, day: example.day ?? usualDay, catalogue });
      try {
        expectCost(example, report);
      } catch (error) {
        throw new Error(`${example.title}: ${(error as Error).message}\n${JSON.stringify(report)}`, { cause: error });
      }
    }
    const sent = await site.requests();
    expect(sent.filter(({ method, path }) => method !== "GET" && !path.endsWith(":match"))).toEqual([]);
  } finally {
    await client.close();
  }
}

test("the worked examples cost the same through the built-in engine's preview", async () => {
  const site = await InlineSite.start();
  try {
    await expectEach(site);
  } finally {
    await site.close();
  }
});

onTheCli(() => {
  test("the worked examples cost the same through `pulumi preview --json`", async () => {
    const site = await Site.open(pulumiCli);
    try {
      await expectEach(site);
    } finally {
      await site.close();
    }
  });
});

const prices = JSON.stringify({ currency: "USD", accelerators: [{ type: "VENDOR1_H100_80GB", hourly: 4 }] });
const chat = (more: Values): DeclaredProgram => ({
  resources: {
    chat: {
      kind: "Deployment",
      baseModel: "accounts/platform/models/open-8b",
      acceleratorType: "VENDOR1_H100_80GB",
      ...more,
    },
  },
});

test("preview and up show the cost before and after, and nothing without prices", async () => {
  const site = await InlineSite.start();
  const env = { MODELPLATFORM_PRICES: prices };
  try {
    site.declare(chat({ deploymentShape: "default", minReplicaCount: 1, maxReplicaCount: 2 }));
    expect((await site.expect(0, "preview")).output).not.toMatch(/Cost/);
    const preview = await site.expect(0, "preview", { env });
    // the shape that matches has 1 × H100: least 1 × 4 = 4, most 2 × 4 = 8, a month 8 × 730 = 5840
    expect(preview.output).toMatch(/Cost: 4\.00 to 8\.00 USD per hour/);
    expect(preview.output).toMatch(/Deployment chat .*?0\.00 → 4\.00 +0\.00 → 8\.00 +0\.00 → 5,840\.00/);
    const up = await site.expect(0, "up", { env });
    expect(up.output).toMatch(/Cost: 4\.00 to 8\.00 USD per hour/);
    site.declare(chat({ deploymentShape: "default", minReplicaCount: 1, maxReplicaCount: 8 }));
    const json = (await site.expect(0, "preview --json", { env })).stdout.trimEnd().split("\n").at(-1)!;
    // 8 × 4 = 32, where it was 8
    expect(JSON.parse(json)).toMatchObject({
      result: "succeeded",
      cost: { currency: "USD", total: { hourly: { min: "4", max: "32", before: "8" } } },
    });
    site.declare({ resources: {} });
    expect((await site.expect(0, "preview", { env })).output).toMatch(
      /Deployment chat .*?4\.00 → 0\.00 +8\.00 → 0\.00/,
    );
  } finally {
    await site.close();
  }
});

test("a preview without a key fails for each resource, and estimates nothing", async () => {
  const site = await InlineSite.start();
  const env = { MODELPLATFORM_PRICES: prices, MODELPLATFORM_API_KEY: "" };
  try {
    site.declare({
      resources: {
        plain: { ...chat({ acceleratorCount: 2, minReplicaCount: 1 }).resources["chat"]! },
        shaped: { kind: "Deployment", baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" },
      },
    });
    const { output } = await site.expect(1, "preview", { env });
    expect(output).toContain("2 of 2 resources have errors");
    expect(output).toContain("no API key for account `demo`");
    expect(output).not.toMatch(/0\.00 →/);
  } finally {
    await site.close();
  }
});

test("prices that cannot be used are an error before anything is done", async () => {
  const site = await InlineSite.start();
  try {
    site.declare(chat({}));
    const ended = await site.run("up", { env: { MODELPLATFORM_PRICES: '{"currency": "USD", "accelerators": 4}' } });
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(/`accelerators` must be a list, not a number/);
    expect(site.live("deployments/")).toEqual([]);
  } finally {
    await site.close();
  }
});

test("prices of a project come from its own files alone", async () => {
  const site = await InlineSite.start();
  try {
    site.declare(chat({}));
    writeFileSync(join(site.program, "Pulumi.dev.yaml"), "config:\n  modelplatform:prices: /etc/hostname\n");
    const ended = await site.run("preview");
    expect(ended.code).toBe(1);
    expect(ended.output.replace(/\s+/g, " ")).toMatch(/`modelplatform:prices` names a file outside of the project/);
  } finally {
    await site.close();
  }
});
