import { misdirected } from "../../provider/core/references";
import { unknownValue as unknown } from "../../provider/core/values/values";
import { specOf, specs } from "../../provider/resources/index";

const base = "accounts/platform/models/open-8b";
const job = "accounts/acme/supervisedFineTuningJobs/tuning";

const judge = (
  kind: string,
  inputs: Record<string, unknown>,
  { olds = {}, ignoreChanges = [] }: { olds?: Record<string, unknown>; ignoreChanges?: string[] } = {},
) => misdirected({ spec: specOf(kind)!, specs: Object.values(specs), olds, inputs, ignoreChanges });

test.each<[string, Record<string, unknown>, string, string]>([
  [
    "Deployment",
    { baseModel: job },
    "baseModel",
    `\`${job}\` is the name of a SupervisedFineTuningJob; give the name of a Model, \`accounts/{account}/models/{id}\`; a job's model is its \`outputModelName\``,
  ],
  [
    "DeployedModel",
    { model: base, deployment: "accounts/acme/users/ada" },
    "deployment",
    "`accounts/acme/users/ada` is the name of a User; give the name of a Deployment, `accounts/{account}/deployments/{id}`",
  ],
  [
    "DeployedModel",
    { model: "accounts/acme/deployments/chat", deployment: "accounts/acme/deployments/chat" },
    "model",
    "`accounts/acme/deployments/chat` is the name of a Deployment; give the name of a Model, `accounts/{account}/models/{id}`; a Deployment has one in its `baseModel`",
  ],
  [
    "SupervisedFineTuningJob",
    { baseModel: base, dataset: base },
    "dataset",
    "`accounts/platform/models/open-8b` is the name of a Model; give a name, `accounts/{account}/datasets/{id}`",
  ],
])("a %s with %j names an object of another kind", (kind, inputs, property, reason) => {
  expect(judge(kind, inputs)).toEqual({ failures: [{ property, reason }], warnings: [] });
});

test.each<[string, Record<string, unknown>]>([
  ["a name of the kind", { baseModel: base }],
  ["a version of one", { deploymentShape: "accounts/acme/deploymentShapes/small/versions/1" }],
  ["an id alone, which is a warning", { baseModel: "open-8b" }],
  ["a value of the field's own", { deploymentShape: "default" }],
  ["a collection that no kind has (A002)", { baseModel: "accounts/acme/foundationModels/x" }],
  ["what is not known yet", { baseModel: unknown }],
])("%s is no failure", (_, inputs) => {
  expect(judge("Deployment", inputs)).toEqual({ failures: [], warnings: [] });
});

test("`ignoreChecks` makes a warning of it", () => {
  const { failures, warnings } = judge("Deployment", { baseModel: job, ignoreChecks: true });
  expect(failures).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(`\`baseModel\`: \`${job}\` is the name of a SupervisedFine`)]);
});

test("a recorded value that `ignoreChanges` keeps is no failure; another one is", () => {
  const ignoring = { olds: { baseModel: job }, ignoreChanges: ["baseModel"] };
  expect(judge("Deployment", { baseModel: job }, ignoring).failures).toEqual([]);
  expect(judge("Deployment", { baseModel: `${job}2` }, ignoring).failures).toHaveLength(1);
  expect(judge("Deployment", { baseModel: job }, { olds: { baseModel: job } }).failures).toHaveLength(1);
});
