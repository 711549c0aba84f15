import { declare } from "../../../drift/codify/declarations";
import type { ListedObject } from "../../../drift/codify/live-objects";
import { pythonExpression, pythonFiles, pythonName } from "../../../drift/codify/program-text";
import { inputFields } from "../../../provider/core/declaration/surface";
import type { Field } from "../../../provider/core/fields/fields";
import { managedSpecs, specOf } from "../../../provider/resources/index";

const live = (kind: string, id: string, fields: Record<string, unknown>, account = "acme"): ListedObject => {
  const name = `accounts/${account}/${id}`;
  return { spec: specOf(kind)!, account, name, fields: { name, ...fields } };
};

const objects = [
  live("Secret", "secrets/storage-key", { keyName: "STORAGE_KEY" }),
  live("Model", "models/tuned", { kind: "HUB_BASE_MODEL", baseModelDetails: { moe: true }, state: "READY" }),
  live("Deployment", "deployments/import", {
    baseModel: "accounts/acme/models/tuned",
    annotations: { "custom/maxReplicaCount": "x" },
    autoscalingPolicy: { scaleDownWindow: "900s" },
    state: "READY",
  }),
];

const program = (providers: [string, string][] = [], mode: "adopt" | "import" = "adopt"): string =>
  pythonFiles(declare(objects, "none").declarations, { mode, providers: new Map(providers) })["__main__.py"]!;

test("Python spells fields its own way, keeps map keys and reads secrets from config", () => {
  expect(
    program(),
  ).toBe(`# Written by \`npx pulumi-modelplatform codify\` from the live objects of accounts/acme. Each object is taken over as it is: \`up\` changes none of them.

import pulumi
import pulumi_modelplatform as modelplatform

config = pulumi.Config()

tuned = modelplatform.Model(
    "tuned",
    model_id="tuned",
    kind="HUB_BASE_MODEL",
    base_model_details={"moe": True},
    adopt="ifEqual",
)

modelplatform.Deployment(
    "import",
    deployment_id="import",
    base_model=tuned.name,
    annotations={"custom/maxReplicaCount": "x"},
    autoscaling_policy={"scale_down_window": "15m"},
    adopt="ifEqual",
)

modelplatform.Secret(
    "storage-key",
    secret_id="storage-key",
    key_name="STORAGE_KEY",
    value=config.require_secret("storageKeyValue"),
    adopt="ifEqual",
    value_on_adopt="keep",
)
`);
});

test("a provider and protection are options", () => {
  const text = program([["acme", "acmeEu"]], "import");
  expect(text).toContain('acme_eu = modelplatform.Provider("acme", account_id="acme")\n');
  expect(text).toContain("    opts=pulumi.ResourceOptions(provider=acme_eu, protect=True),\n");
  // What holds a secret is not imported.
  expect(text).toContain("    opts=pulumi.ResourceOptions(provider=acme_eu),\n");
});

test.each([
  [null, "None"],
  [[true, false, 1, 0.5], "[True, False, 1, 0.5]"],
  ['it\'s "quoted" \\ ${x} {y}', '"it\'s \\"quoted\\" \\\\ ${x} {y}"'],
  ["a\nb\u2028\u0000", '"a\\nb\\u2028\\u0000"'],
  ["\\u{1f680} \u{e0001}", '"\\\\u{1f680} \\U000e0001"'],
  [{}, "{}"],
])("%j is %s", (value, expected) => {
  expect(pythonExpression(value, undefined)).toBe(expected);
});

test("what does not fit on a line has lines of its own", () => {
  const long = "x".repeat(50);
  expect(pythonExpression({ a: [long, long], b: 1 }, undefined, 1)).toBe(
    `{\n        "a": [\n            "${long}",\n            "${long}",\n        ],\n        "b": 1,\n    }`,
  );
});

test("variables are not keywords of the language", () => {
  expect(["lambda", "from", "maxReplicaCount", "cloudS3Config"].map(pythonName)).toEqual([
    "lambda_",
    "from_",
    "max_replica_count",
    "cloud_s3_config",
  ]);
});

const named = (fields: readonly Field[]): string[] =>
  fields.flatMap((field) => [field.name, ...named(field.fields ?? []), ...named(field.item ? [field.item] : [])]);

test("no field has a name that SDKs would spell in another way", () => {
  const names = managedSpecs
    .flatMap((spec) => named(inputFields(spec)))
    .filter((name) => !/^\w+(\[\])?$/.test(name) || /[A-Z]{2}|_/.test(name));
  expect(names).toEqual([]);
});
