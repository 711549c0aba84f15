// Mistakes that users may make. Each has to be an error of the compiler; where one no longer is, compilation fails.
import type * as pulumi from "@pulumi/pulumi";
import {
  Deployment,
  type DeploymentArgs,
  getDeployment,
  getModel,
  getModelOutput,
  listAccounts,
  listDeployments,
  listRlorTrainerJobs,
  listUsers,
  PolicySettings,
  Provider,
  Secret,
  SupervisedFineTuningJob,
  type types,
  User,
} from "../../provider/index";

declare const text: pulumi.Output<string>;
declare const number: pulumi.Output<number>;
declare const permissions: { allowServerless: boolean; allowDedicatedDeployments: boolean; allowTraining: boolean };
declare const deployment: Deployment;
declare const job: SupervisedFineTuningJob;

export const mistakes = () => [
  // @ts-expect-error a required input is missing
  new Deployment("a", { maxReplicaCount: 2 }),
  // @ts-expect-error an input is misspelt
  new User("a", { email: "ada@example.com", rol: "user" }),
  // @ts-expect-error an input of another kind
  new User("a", { email: "ada@example.com", maxReplicaCount: 2 }),
  new Deployment("a", {
    baseModel: "m",
    // @ts-expect-error a measure of load is misspelt
    autoscalingPolicy: { loadTargets: { defualt: 0.8, requests_per_second: 20 } },
  }),
  // @ts-expect-error text where a number belongs
  new Deployment("a", { baseModel: "m", maxReplicaCount: "2" }),
  // @ts-expect-error a number that is known later, where text belongs
  new Deployment("a", { baseModel: number }),
  // @ts-expect-error a single text where a list belongs
  new Deployment("a", { baseModel: "m", directRouteApiKeys: text }),
  // @ts-expect-error a misspelt member of a message that may grow
  new Deployment("a", { baseModel: "m", autoscalingPolicy: { scaleUpWindw: "30s" } }),
  // @ts-expect-error a misspelt member of a message that may not
  new SupervisedFineTuningJob("a", { dataset: "d", cloudS3Config: { iamRoleARN: "arn" } }),
  // @ts-expect-error a number where a map's values are text
  new Deployment("a", { baseModel: "m", annotations: { "custom/a": 1 } }),
  // @ts-expect-error a value that a closed enum does not have
  new PolicySettings("a", { residency: "EUROP" }),
  // @ts-expect-error an option's value that does not exist
  new Deployment("a", { baseModel: "m", waitFor: "started" }),
  // @ts-expect-error an option of another kind
  new User("a", { email: "ada@example.com", deletionMode: "hard" }),
  // @ts-expect-error permissions that are not complete
  new PolicySettings("a", { defaultPermissions: permissions }),
  // @ts-expect-error null where nothing can be cleared
  new Secret("a", { keyName: null, value: "x" }),
  // @ts-expect-error an output as an input
  new Deployment("a", { baseModel: "m", state: "READY" }),
  // @ts-expect-error a misspelt timeout
  new User("a", { email: "ada@example.com", timeouts: { creation: "5m" } }),
  // @ts-expect-error a resource option among the inputs
  new User("a", { email: "ada@example.com", protect: true }),
  // @ts-expect-error a misspelt resource option
  new User("a", { email: "ada@example.com" }, { protected: true }),
  // @ts-expect-error a misspelt output
  deployment.stat,
  // @ts-expect-error an output is not its value
  deployment.name.length > 3,
  // @ts-expect-error outputs cannot be assigned
  (deployment.name = text),
  // @ts-expect-error a misspelt input for get
  Deployment.get("a", "accounts/acme/deployments/chat", { baseModl: "m" }),
  // @ts-expect-error a misspelt setting
  new Provider("eu", { apikey: "key" }),
  // @ts-expect-error a setting's value that does not exist
  new Provider("eu", { recover: "always" }),
  // @ts-expect-error a required argument is missing
  getModel(),
  // @ts-expect-error a misspelt argument
  getModel({ modelID: "m" }),
  // @ts-expect-error a value that is known later, in the plain form
  getModel({ modelId: text }),
  // @ts-expect-error accounts have no order
  listAccounts({ orderBy: "name" }),
  // @ts-expect-error a member of the answer that does not exist
  listUsers().then(({ items }) => items),
  // @ts-expect-error an option of this package, which no answer has
  listDeployments().then(({ deployments }) => deployments[0]?.waitFor),
  // @ts-expect-error the id input, which no answer has
  listDeployments().then(({ deployments }) => deployments[0]?.deploymentId),
  // @ts-expect-error a query parameter of create, which no answer has
  getDeployment({ deploymentId: "chat" }).then(({ skipShapeValidation }) => skipShapeValidation),
  // @ts-expect-error a name that the resource makes, and the service does not answer
  listRlorTrainerJobs().then(({ rlorTrainerJobs }) => rlorTrainerJobs[0]?.outputModelName),
  // @ts-expect-error a member of a message of an answer that does not exist
  getDeployment({ deploymentId: "chat" }).then(({ replicaStats }) => replicaStats?.readyReplicas),
  // @ts-expect-error what only the service sets, in a message that a program gives
  new SupervisedFineTuningJob("a", { dataset: "d", trackingConfig: { url: "https://example.com" } }),
  // @ts-expect-error a signed address, which is never recorded
  job.trainerLogsSignedUrl,
  // @ts-expect-error a misspelt member of a nested message declared on its own
  { scaleUpWindw: "30s" } satisfies types.input.AutoscalingPolicyArgs,
  // @ts-expect-error a misspelt member of an answer
  getModelOutput({ modelId: text }).displayname,
];

// @ts-expect-error a misspelt input in arguments declared on their own
export const args: DeploymentArgs = { baseModel: "m", maxReplicas: 2 };
