import type { Values } from "../values";

/** What decides under which name an object is made. */
export type Identity = "automatic id" | "explicit id" | "natural key" | "singleton";

export type Version = "first" | "second";

/** What is asked of an object: `content` can be changed in place, `build` cannot. */
export interface Wanted {
  content: Version;
  build: Version;
}

/** A kind of resource with a way to identify its objects, as far as ownership is concerned. */
export interface Variant {
  title: string;
  kind: string;
  collection: string;
  identity: Identity;
  /** Arguments of an object that carries `tag`, in an account. */
  inputs(tag: string, wanted: Wanted, account: string): Values;
  /** What a hand changes of its content; absent where nobody could see it. */
  byHand?: Values;
  /** A change of content asks nothing of the service. */
  recordsOnly?: boolean;
  /** Why another build of it is refused. */
  neverReplaced?: string;
  /** The id of a deleted object can never be reused. */
  neverReused?: boolean;
  /** Settings: they are always there, and removing them clears them. */
  singleton?: boolean;
  /** Settings of an account outlive every record: what somebody has set since stays. */
  keepsForeignChanges?: boolean;
  /** Its end outside is no loss: it is not recreated. */
  staysRecorded?: boolean;
  /** What has to be there first, by name. */
  needs?(tag: string, account: string): Record<string, Values>;
}

const openModel = "accounts/platform/models/open-8b";
const titles = { first: "One", second: "Two" };
const epochs = { first: 1, second: 2 };
const builds = { first: "a", second: "b" };
const byHand = { displayName: "by hand" };

const deployment = {
  kind: "Deployment",
  collection: "deployments",
  byHand,
  inputs: (_tag: string, { content, build }: Wanted): Values => ({
    baseModel: openModel,
    deploymentShape: "default",
    displayName: titles[content],
    placement: { multiRegion: build === "first" ? "US" : "EUROPE" },
  }),
};

const model = {
  kind: "Model",
  collection: "models",
  byHand,
  inputs: (_tag: string, { content, build }: Wanted): Values => ({
    kind: "HUB_BASE_MODEL",
    baseModelDetails: { parameterCount: `${epochs[build]}000000000` },
    displayName: titles[content],
  }),
};

const tuning = {
  kind: "SupervisedFineTuningJob",
  collection: "supervisedFineTuningJobs",
  recordsOnly: true,
  neverReused: true,
  staysRecorded: true,
  inputs: (_tag: string, { content, build }: Wanted, account: string): Values => ({
    baseModel: openModel,
    dataset: `accounts/${account}/datasets/tickets`,
    epochs: epochs[build],
    displayName: titles[content],
  }),
};

const reinforcement = {
  ...tuning,
  kind: "RlorTrainerJob",
  collection: "rlorTrainerJobs",
  inputs: (_tag: string, { content, build }: Wanted, account: string): Values => ({
    dataset: `accounts/${account}/datasets/preferences`,
    trainingConfig: { baseModel: openModel, epochs: epochs[build] },
    rewardWeights: ["helpful=1.0"],
    displayName: titles[content],
  }),
};

const user = {
  kind: "User",
  collection: "users",
  byHand,
  neverReplaced: "users are never replaced by themselves",
  inputs: (tag: string, { content }: Wanted): Values => ({
    email: `${tag}@example.com`,
    role: "user",
    displayName: titles[content],
  }),
};

type Shared = Omit<Variant, "title" | "identity">;

const automatic = (of: Shared): Variant => ({ ...of, title: `${of.kind}, automatic id`, identity: "automatic id" });

const explicit = (of: Shared, id: string, more: Partial<Variant> = {}): Variant => ({
  ...of,
  ...more,
  title: `${of.kind}, explicit id`,
  identity: "explicit id",
  inputs: (tag, wanted, account) => ({ ...of.inputs(tag, wanted, account), [id]: tag }),
});

const jobId = "the id of a job is never free again";

export const variants: readonly Variant[] = [
  automatic(deployment),
  explicit(deployment, "deploymentId"),
  automatic(model),
  explicit(model, "modelId"),
  automatic(tuning),
  explicit(tuning, "supervisedFineTuningJobId", { neverReplaced: jobId }),
  automatic(reinforcement),
  { ...user, title: "User, natural key", identity: "natural key" },
  explicit(user, "userId"),
  {
    title: "Secret, natural key",
    kind: "Secret",
    collection: "secrets",
    identity: "natural key",
    inputs: (tag, { content, build }) => ({
      keyName: tag.toUpperCase(),
      secretId: `${tag}-${builds[build]}`,
      value: { secret: `not so secret ${content}` },
    }),
  },
  {
    title: "DeployedModel, natural key",
    kind: "DeployedModel",
    collection: "deployedModels",
    identity: "natural key",
    byHand,
    neverReplaced: "another model is loaded in place",
    inputs: (tag, { content, build }, account) => ({
      model: `accounts/${account}/models/${tag}-${builds[build]}`,
      deployment: `accounts/${account}/deployments/host`,
      displayName: titles[content],
    }),
    needs: (tag, account) => ({
      [`accounts/${account}/deployments/host`]: { baseModel: openModel, enableAddons: true, state: "READY" },
      ...Object.fromEntries(
        Object.values(builds).map((build) => [
          `accounts/${account}/models/${tag}-${build}`,
          { kind: "HUB_PEFT_ADDON", peftDetails: { baseModel: openModel, r: 8 }, state: "READY" },
        ]),
      ),
    }),
  },
  {
    title: "PolicySettings, singleton",
    kind: "PolicySettings",
    collection: "policySettings",
    identity: "singleton",
    singleton: true,
    keepsForeignChanges: true,
    neverReplaced: "settings of an account are changed in place",
    byHand: { residency: "APAC" },
    inputs: (_tag, { content }) => ({
      residency: content === "first" ? "EUROPE" : "US",
      onDelete: "clear",
      allowLoosening: true,
    }),
  },
];
