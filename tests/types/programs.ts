// Programs that users may write. They are compiled and never run.
import type * as pulumi from "@pulumi/pulumi";
import {
  Deployment,
  type DeploymentArgs,
  getModel,
  getModelOutput,
  isNotFound,
  listAccounts,
  listDeployedModels,
  Model,
  PolicySettings,
  Provider,
  Secret,
  SupervisedFineTuningJob,
  User,
  validateDeployment,
} from "../../provider/index";

declare const later: pulumi.Output<string>;
declare const perhaps: pulumi.Output<string | undefined>;
declare const flag: pulumi.Output<boolean>;
declare const count: Promise<number>;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

const job = new SupervisedFineTuningJob("tune", {
  dataset: later,
  baseModel: "accounts/platform/models/open-8b",
  epochs: 2,
  cloudS3Config: { credentialsSecret: later },
});

export const deployment = new Deployment(
  "chat",
  {
    baseModel: job.outputModelName,
    deploymentShape: "default",
    acceleratorType: later,
    maxReplicaCount: count,
    enableAddons: flag,
    displayName: perhaps,
    description: null,
    annotations: { "custom/team": later },
    autoscalingPolicy: { scaleUpWindow: later, scaleDownWindow: null, loadTargets: { default: 0.8 } },
    placement: later.apply((region) => ({ region })),
    directRouteApiKeys: [later, "key"],
    timeouts: { create: "45m" },
    adopt: "ifEqual",
    waitFor: "accepted",
    deletionMode: "hard",
  },
  { dependsOn: job, customTimeouts: { delete: "5m" }, protect: true },
);

// A value that is newer than this package passes, and known ones are offered.
export const newer = new Deployment("newer", { baseModel: "m", acceleratorType: "VENDOR9_X1" });

// So does a member of a message that the service may have gained; a literal with it
// is a mistake, because it is more likely one.
const policy = { scaleUpWindow: "30s", addedLater: true };
export const open = new Deployment("open", { baseModel: "m", autoscalingPolicy: policy });

export const user = new User(
  "ada",
  { email: "ada@example.com", role: "contributor" },
  {
    provider: new Provider("eu", { accountId: "eu", apiKey: later, accounts: { eu2: { keyCommand: ["key", "eu2"] } } }),
  },
);
export const secret = new Secret("s3", { keyName: "S3_KEY", valueFrom: { env: "S3_KEY" } });
export const rules = new PolicySettings("policy", {
  residency: "EUROPE",
  rules: ["a", "b"].map((model) => ({
    model,
    permissions: {
      allowServerless: flag,
      allowDedicatedDeployments: true,
      allowTraining: true,
      allowServerlessFast: false,
    },
  })),
  zeroDataRetention: { defaultEnforced: true, inference: { enforcement: "NOT_ENFORCED" } },
});
export const teft = new Model("teft", { kind: "HUB_TEFT_ADDON", teftDetails: { anything: 1 }, peftDetails: { r: 8 } });

const args: DeploymentArgs = { baseModel: "m" };
export const again = [new Deployment("a", args), new Deployment("b", { ...args, maxReplicaCount: 1 })];

export const existing: Deployment = Deployment.get("existing", "accounts/acme/deployments/chat");
export const isOurs = (value: unknown): pulumi.Output<string> | undefined =>
  Deployment.isInstance(value) ? value.name : undefined;

same<typeof deployment.name, pulumi.Output<string>>(true);
same<typeof deployment.deploymentId, pulumi.Output<string>>(true);
same<typeof deployment.baseModel, pulumi.Output<string>>(true);
same<typeof deployment.maxReplicaCount, pulumi.Output<number | undefined>>(true);
same<typeof deployment.managedFields, pulumi.Output<string[]>>(true);
same<typeof deployment.adopted, pulumi.Output<boolean | undefined>>(true);
same<typeof deployment.annotations, pulumi.Output<Record<string, string> | undefined>>(true);
same<typeof job.outputModelName, pulumi.Output<string>>(true);
same<
  typeof user.state,
  pulumi.Output<"STATE_UNSPECIFIED" | "CREATING" | "READY" | "UPDATING" | "DELETING" | (string & {}) | undefined>
>(true);
same<
  typeof rules.residency,
  pulumi.Output<"MULTI_REGION_UNSPECIFIED" | "GLOBAL" | "US" | "CANADA" | "EUROPE" | "APAC" | undefined>
>(true);

export async function functions(): Promise<(string | undefined)[]> {
  const model = await getModel({ modelId: "open-8b", accountId: "platform" }).catch((error: unknown) =>
    isNotFound(error) ? undefined : Promise.reject(error),
  );
  const { deployedModels } = await listDeployedModels({ filter: 'state="DEPLOYED"' });
  const { accounts } = await listAccounts();
  const checked = await validateDeployment({ baseModel: "m", deploymentShape: "default" });
  same<typeof checked.name, string>(true);
  return [
    model?.displayName,
    ...deployedModels.map(({ deployment: name }) => name),
    ...accounts.map(({ email }) => email),
    checked.deploymentShape,
  ];
}

export const name: pulumi.Output<string> = getModelOutput({ modelId: later }).name;
