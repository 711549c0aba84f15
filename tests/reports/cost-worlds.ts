import type { CostReport } from "../../governance/cost/report";
import { hostileTexts } from "../drift/report/hostile-report";

type Resource = CostReport["resources"][number];

const total = {
  hourly: { min: "4", max: "64", before: "16", beforeMin: "4" },
  ...{ monthly: "46720", monthlyMin: "2920", once: "1012.5", unknown: 2 },
};
const quantity = { acceleratorType: "VENDOR1_H100_80GB", perReplica: 2, min: 1, max: 8 };

const deployment = (id: string, hourly: Resource["hourly"], more: Partial<Resource> = {}): Resource => ({
  ...{ name: `accounts/acme/deployments/${id}`, kind: "Deployment", account: "acme", group: "acme", hourly },
  ...more,
});

/** What a preview changes: every kind of amount, runs, and what is not known. */
const change: CostReport = {
  ...{ schemaVersion: 1, currency: "USD", day: "2026-01-15" },
  resources: [
    deployment(
      "chat-1",
      { min: "4", max: "64", before: "16", beforeMin: "4" },
      { urn: "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat", quantity },
    ),
    deployment("idle", { min: "0", max: "0.000000001" }, { quantity: { ...quantity, min: 1, max: 1, revocable: 3 } }),
    deployment("new", { min: "0", unknown: "the price of `VENDOR2_X` is `missing`" }),
    {
      ...{ name: "tickets", kind: "SupervisedFineTuningJob", account: "acme", hourly: { min: "0", max: "0" } },
      once: { amount: "1012.5" },
    },
    {
      ...{ name: "other", kind: "SupervisedFineTuningJob", account: "acme", hourly: { min: "0", max: "0" } },
      once: { unknown: "nobody has counted the tokens of its dataset" },
    },
  ],
  total,
};

/** What is live in two accounts, by account. */
const live: CostReport = {
  ...change,
  resources: [
    deployment("chat", { min: "0", max: "8", now: "2" }, { stack: "organization/shop/dev", quantity }),
    deployment(
      "chat",
      { min: "0", max: "30", now: "1234.5" },
      {
        ...{ account: "globex", group: "globex", stack: "organization/shop/prod" },
        quantity: { ...quantity, now: 3 },
      },
    ),
    deployment("asleep", { min: "0", max: "1" }, { account: "globex", group: "globex" }),
  ],
  groups: [
    { by: "account", key: "acme", ...total, hourly: { ...total.hourly, now: "2" } },
    { by: "account", key: "globex", ...total, hourly: { ...total.hourly, now: "1234.5" } },
  ],
  total: { ...total, hourly: { ...total.hourly, now: "1236.5" }, once: "0", unknown: 0 },
};

const nothing: CostReport = {
  ...change,
  resources: [],
  total: {
    hourly: { min: "0", max: "0", before: "0", beforeMin: "0" },
    ...{ monthly: "0", monthlyMin: "0", once: "0", unknown: 0 },
  },
};

const text = (index: number): string => hostileTexts[index % hostileTexts.length]!;

const hostile: CostReport = {
  ...change,
  ...{ currency: text(0), day: text(1) },
  resources: Array.from({ length: 6 }, (_, index) => ({
    ...{ name: text(index), kind: text(index + 1), account: text(index + 2), stack: text(index + 3), group: text(5) },
    ...{ quantity: { ...quantity, acceleratorType: text(index + 4) } },
    hourly: { min: "1", max: "2", unknown: text(index + 5) },
    ...(index % 2 === 0 ? {} : { once: { amount: "1" } }),
  })),
  groups: [{ by: text(11), key: text(5), ...total }],
};

/** More rows than the comment of a forge takes. */
export const longCost: CostReport = {
  ...change,
  resources: Array.from({ length: 130 }, (_, index) => deployment(`chat-${index}`, { min: "1", max: `${index}` })),
};

export const costWorlds: Readonly<Record<string, CostReport>> = { change, live, nothing, hostile };
