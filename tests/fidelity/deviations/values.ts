import type { Values } from "../../values";
import { allKinds, changingKinds, counter, type Row, renamed, replacing, right, showing } from "./row";

const isTime = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\dT.*Z$/.test(value);
const isZero = (value: unknown): boolean => value === 0 || value === false || value === "";
const numeric = ["Deployment", "Model", "SupervisedFineTuningJob", "RlorTrainerJob"] as const;
const snakeCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const touched = counter();

/** Scalars, times and members in other forms. */
export const valueRows: readonly Row[] = [
  ...right(numeric, {
    "integers are text": showing((value) => (Number.isInteger(value) ? String(value) : value)),
    "numbers are text": showing((value) => (typeof value === "number" ? String(value) : value)),
    "integers are text with a fraction": showing((value) => (Number.isInteger(value) ? `${String(value)}.0` : value)),
    "small numbers are text with an exponent": showing((value) =>
      typeof value === "number" && value < 1 && value > 0 ? value.toExponential() : value,
    ),
    "numbers have the precision of 32 bits": showing((value) =>
      typeof value === "number" ? Math.fround(value) : value,
    ),
  }),
  ...right(["Model", "DeployedModel", "SupervisedFineTuningJob", "PolicySettings"], {
    "booleans are text": showing((value) => (typeof value === "boolean" ? String(value) : value)),
  }),
  ...right(["Model", "DeployedModel", "SupervisedFineTuningJob"], {
    "booleans are capitalized text": showing((value) =>
      typeof value === "boolean" ? (value ? "True" : "False") : value,
    ),
    "booleans are numbers": showing((value) => (typeof value === "boolean" ? Number(value) : value)),
  }),
  ...right(["PolicySettings"], {
    "permissions are numbers": showing((value) => (typeof value === "boolean" ? Number(value) : value)),
  }),
  {
    name: "a number is an object",
    kinds: ["Deployment", "Model", "SupervisedFineTuningJob", "RlorTrainerJob"],
    deviation: showing((value) => (typeof value === "number" ? { value } : value)),
    outcome: "refused at once",
    message: /answered 200 with \{"value":\d.*\} at `\S+`: expected an? (integer|number)/,
  },
  {
    name: "text is a list",
    kinds: ["Deployment", "User", "Model", "DeployedModel"],
    deviation: replacing({ displayName: (value) => [value] }),
    outcome: "refused at once",
    message: /answered 200 with \[".*"\] at `displayName`(?: \(`display_name` in Python\))?: expected text/,
  },
  ...right(allKinds, {
    "unset members are zero values": { emitsUnset: true },
    "zero values are left out": showing((value) => (isZero(value) ? undefined : value)),
    "times have an offset": showing((value) => (isTime(value) ? value.replace("Z", "+00:00") : value)),
    "times have nanoseconds": showing((value) => (isTime(value) ? value.replace(/(\.\d+)?Z/, ".123456789Z") : value)),
    "times have no fraction": showing((value) => (isTime(value) ? value.replace(/\.\d+Z/, "Z") : value)),
    "objects have a status of OK": { shows: (object) => ({ ...object, status: { code: "OK", message: "" } }) },
    "objects have an empty status": { shows: (object) => ({ ...object, status: {} }) },
    "objects have undeclared members": { shows: (object) => ({ ...object, tenant: "north", labels: { a: "1" } }) },
    "objects have an etag": { shows: (object) => ({ ...object, etag: JSON.stringify(object).length }) },
    "objects have a member that changes with each read": {
      shows: (object) => ({ ...object, servedAt: touched() }),
    },
    "objects have links": { shows: (object) => ({ ...object, _links: { self: { href: `/v1/${object["name"]}` } } }) },
    "members come in another order": {
      shows: (object) => Object.fromEntries(Object.entries(object).reverse()),
    },
    "unset members are null": {
      shows: (object) => ({ description: null, publicUntil: null, ...object }),
    },
  }),
  ...right(["User", "Deployment", "Model", "DeployedModel"], {
    "`updateTime` changes with each read": {
      shows: (object) => ({ ...object, updateTime: new Date(Date.UTC(2026, 5, 1) + touched() * 1000).toISOString() }),
    },
    "objects have no `updateTime`": replacing({ updateTime: () => undefined }),
  }),
  ...right(["Deployment"], {
    "the service adds annotations": {
      shows: (object) => ({ ...object, annotations: { ...(object["annotations"] as Values), "svc/zone": "a" } }),
    },
    "annotations come in another order": replacing({
      annotations: (value) => Object.fromEntries(Object.entries(value as Values).reverse()),
    }),
    "a placement has more members": replacing({
      placement: (value) => ({ ...(value as Values), regions: [], region: "REGION_UNSPECIFIED" }),
    }),
    "the region is answered": { shows: (object) => ({ ...object, region: "EU_FRANKFURT_1" }) },
    "replicas are counted": {
      shows: (object) => ({ ...object, replicaCount: touched() % 3, desiredReplicaCount: 1, replicaStats: {} }),
    },
    "accelerators are chosen by the service": {
      shows: (object) => ({ ...object, acceleratorType: "VENDOR1_H100_80GB", acceleratorCount: 2, precision: "FP8" }),
    },
    "a shape is chosen by the service": {
      shows: (object) => ({ ...object, deploymentShape: "accounts/platform/deploymentShapes/s/versions/1" }),
    },
    "a list is null": { shows: (object) => ({ ...object, directRouteApiKeys: null }) },
    "a status is a text": { shows: (object) => ({ ...object, status: "OK" }) },
    "an output has another type": { shows: (object) => ({ ...object, replicaCount: "many", replicaStats: [] }) },
    "values of an enum are new": { shows: (object) => ({ ...object, acceleratorType: "VENDOR3_X1" }) },
  }),
  ...right(["Model"], {
    "files are sorted": replacing({
      baseModelDetails: (value) => {
        const { modelHubFiles = [], ...rest } = value as { modelHubFiles?: string[] };
        return { ...rest, modelHubFiles: [...modelHubFiles].sort() };
      },
    }),
    "details have undeclared members": replacing({
      baseModelDetails: (value) => ({ ...(value as Values), worldSize: 1, moe: false }),
    }),
    "64-bit numbers are numbers": replacing({
      baseModelDetails: (value) => ({ ...(value as Values), parameterCount: 8_000_000_000 }),
    }),
  }),
  ...right(["PolicySettings"], {
    "inherited scopes are spelled out": replacing({
      zeroDataRetention: (value) => ({
        ...(value as Values),
        inference: { enforcement: "ENFORCEMENT_UNSPECIFIED" },
        training: { enforcement: "ENFORCEMENT_UNSPECIFIED" },
      }),
    }),
    "settings that were never saved are empty": {
      refuses: ({ status, code, message }) =>
        /policySettings/.test(message) ? { status: 200, body: {} } : { status, body: { code, message } },
    },
    "there is a permission that a newer API has added": replacing({
      defaultPermissions: (value) => ({ ...(value as Values), allowBatch: true }),
    }),
    "empty rules are answered": { shows: (object) => ({ rules: [], ...object }) },
    "`cmekRequired` is answered as false": { shows: (object) => ({ cmekRequired: false, ...object }) },
  }),
  ...right(changingKinds, {
    "free text is trimmed": {
      stores: (object) => ({
        ...object,
        ...("description" in object && { description: String(object["description"]).trim() }),
      }),
    },
  }),
  ...right(["SupervisedFineTuningJob", "RlorTrainerJob"], {
    "progress changes with each read": {
      shows: (object) => ({ ...object, jobProgress: { percent: touched() % 100 } }),
    },
    "costs are estimated": {
      shows: (object) => ({ ...object, estimatedCost: { currencyCode: "USD", units: "12", nanos: touched() } }),
    },
    "logs have another address with each read": {
      shows: (object) => ({ ...object, trainerLogsSignedUrl: `https://logs.example.com/${touched()}` }),
    },
    "objects have a `createdBy`": { shows: (object) => ({ ...object, createdBy: "ada@example.com" }) },
  }),
  {
    name: "members are in snake case",
    kinds: allKinds,
    deviation: { shows: (object) => renamed(object, snakeCase) as Values },
    outcome: "refused at once",
    message: /dialect/,
  },
];
