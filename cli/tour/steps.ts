import { account, type RunningEmulator } from "./emulator";

/** One step of the tour: what is done, why, and how to tell that it went as it should. */
export interface TourStep {
  title: string;
  why: string;
  /** Arguments for the engine; a step without any only touches the world. */
  args?: readonly string[];
  /** Exit code of a step that went well. Default: 0. */
  exit?: number;
  /** Afterwards, what the step costs is shown, with the invented prices of the examples. */
  costs?: true;
  /** Done before the engine runs. */
  before?(emulator: RunningEmulator): Promise<void>;
  /** What is wrong with the world afterwards, in words; undefined where nothing is. */
  verify?(emulator: RunningEmulator): Promise<string | undefined>;
}

type LiveObjects = Record<string, Record<string, unknown>>;

const findNamed = (objects: LiveObjects, collection: string, prefix: string): [string, Record<string, unknown>] => {
  const match = Object.entries(objects).find(([name]) =>
    name.startsWith(`accounts/${account}/${collection}/${prefix}`),
  );
  if (!match) throw new Error(`there is no ${collection}/${prefix}… in the emulator`);
  return match;
};

const mismatch = (values: Readonly<Record<string, [is: unknown, should: unknown]>>): string | undefined => {
  const wrong = Object.entries(values).filter(([, [is, should]]) => JSON.stringify(is) !== JSON.stringify(should));
  return wrong.length === 0
    ? undefined
    : wrong
        .map(([what, [is, should]]) => `${what} is ${JSON.stringify(is)} and should be ${JSON.stringify(should)}`)
        .join("; ");
};

async function tamper(emulator: RunningEmulator): Promise<void> {
  const world = await emulator.objects();
  const [chat] = findNamed(world, "deployments", "chat");
  const [user] = Object.entries(world).find(([, object]) => object["email"] === "grace@example.com") ?? [""];
  await emulator.change(chat, { maxReplicaCount: 8 });
  await emulator.change(user, { role: "admin" });
  await emulator.change(`accounts/${account}/policySettings`, {
    zeroDataRetention: { inference: { enforcement: "NOT_ENFORCED" } },
  });
}

async function checkDeclared(emulator: RunningEmulator): Promise<string | undefined> {
  const world = await emulator.objects();
  const users = Object.values(world).filter((object) => object["email"] === "grace@example.com");
  const policy = world[`accounts/${account}/policySettings`] as
    | { zeroDataRetention?: { inference?: { enforcement?: string } } }
    | undefined;
  return mismatch({
    "the deployment's maxReplicaCount": [findNamed(world, "deployments", "chat")[1]["maxReplicaCount"], 2],
    "Grace's role": [users[0]?.["role"], "inference-user"],
    "retention of inference": [policy?.zeroDataRetention?.inference?.enforcement, "ENFORCED"],
    "number of deployments": [Object.keys(world).filter((name) => name.includes("/deployments/")).length, 2],
  });
}

/** What the program made and a destroy has to take away; a fine-tuned model outlives its job by design. */
async function checkNothingLeft(emulator: RunningEmulator): Promise<string | undefined> {
  const world = await emulator.objects();
  const policy = world[`accounts/${account}/policySettings`];
  const ours = Object.keys(world).filter((name) =>
    /\/(deployments|deployedModels|users|secrets|supervisedFineTuningJobs)\//.test(name),
  );
  const left = [
    ...ours,
    ...(policy && (policy["defaultPermissions"] || policy["zeroDataRetention"]) ? ["policySettings"] : []),
  ];
  return left.length === 0 ? undefined : `left behind: ${left.join(", ")}`;
}

export const steps: readonly TourStep[] = [
  {
    title: "Preview",
    why: "Shows what would be created. Nothing is: a preview of a new stack sends no request at all.",
    args: ["preview"],
  },
  {
    title: "Cost",
    why: "Says what that would cost, at the invented prices of examples/cost/prices.yaml. It reads which hardware the shapes have, and leaves unknown what only `up` decides.",
    costs: true,
  },
  {
    title: "Up",
    why: "Makes it: policy first, then users, a secret, a deployment and a training job side by side, and a deployment of the model that the job trains.",
    args: ["up", "--yes", "--skip-preview"],
    verify: checkDeclared,
  },
  {
    title: "Up again",
    why: "Nothing has changed, so nothing is sent.",
    args: ["up", "--yes", "--skip-preview", "--expect-no-changes"],
  },
  {
    title: "Find drift",
    why: "Someone raises a deployment's limit, makes Grace an admin and loosens the policy, all by hand. A refresh reads the live objects and shows each field. The step ends with an error, which is its point: `--expect-no-changes` has a pipeline fail with exit code 7 where something differs.",
    before: tamper,
    args: ["refresh", "--preview-only", "--diff", "--expect-no-changes"],
    exit: 7,
  },
  {
    title: "Heal",
    why: "`up --refresh` records the drift and reverts everything to what the program says.",
    args: ["up", "--refresh", "--yes", "--skip-preview"],
    verify: checkDeclared,
  },
  {
    title: "Destroy",
    why: "Takes everything away again. The trained model stays: a job's outcome is never deleted with the job.",
    args: ["destroy", "--yes", "--skip-preview"],
    verify: checkNothingLeft,
  },
];
