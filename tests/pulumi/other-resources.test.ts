import * as pulumi from "@pulumi/pulumi";
import { DeployedModel, Deployment, PolicySettings, SupervisedFineTuningJob, User } from "../../provider/index";
import { pluginClass } from "../../provider/pulumi/wiring";

/** What type-checks in no program, and in JavaScript only at run time. */
const any = (value: unknown): string => value as string;

beforeEach(async () => {
  const newResource = ({ inputs, name }: pulumi.runtime.MockResourceArgs) => ({ id: name, state: inputs });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "demo", "dev");
});

const deploymentShape = "default";

test("a kind whose inputs are all optional needs no arguments in JavaScript", () => {
  const Loose = PolicySettings as unknown as new (name: string) => PolicySettings;
  expect(() => new Loose("policy")).not.toThrow();
});

test("a resource in place of its name is refused where it is declared", () => {
  const ada = new User("ada", { email: "ada@example.com", role: "user" });
  const declare = () => new Deployment("chat", { baseModel: any(ada), deploymentShape });
  expect(declare).toThrow("Deployment chat: `baseModel` is the User `ada` as a whole. Give the name of a Model.");
  expect(declare).toThrow(pulumi.RunError);
});

test("the refusal names the output that has the name", () => {
  const tuning = new SupervisedFineTuningJob("tuning", { baseModel: "accounts/acme/models/m", dataset: "d" });
  expect(() => new Deployment("chat", { baseModel: any(tuning), deploymentShape })).toThrow(
    "Give the name of a Model, which this one has in `outputModelName`.",
  );
  const chat = new Deployment("chat", { baseModel: "accounts/acme/models/m", deploymentShape });
  expect(() => new DeployedModel("loaded", { model: "accounts/acme/models/m", deployment: any(chat) })).toThrow(
    "Give the name of a Deployment, which this one has in `name`.",
  );
});

test("it is found within lists and objects, also for the plugin's classes", () => {
  const ada = new User("ada", { email: "ada@example.com", role: "user" });
  const args = { baseModel: "accounts/acme/models/m", deploymentShape, placement: { regions: [any(ada)] } };
  expect(() => new Deployment("chat", args)).toThrow("`placement.regions[0]` is the User `ada` as a whole");
  const PluginDeployment = pluginClass<typeof Deployment>("Deployment");
  expect(() => new PluginDeployment("chat", args)).toThrow("`placement.regions[0]` is the User `ada` as a whole");
});

test("outputs, promises and values are taken", () => {
  const ada = new User("ada", { email: "ada@example.com", role: "user" });
  expect(() => new Deployment("chat", { baseModel: ada.name.apply(String), deploymentShape })).not.toThrow();
  expect(() => new Deployment("talk", { baseModel: Promise.resolve("m"), deploymentShape })).not.toThrow();
});

test("the name of another kind is refused before a preview knows it", () => {
  const tuning = new SupervisedFineTuningJob("tuning", { baseModel: "accounts/acme/models/m", dataset: "d" });
  const refusal =
    "Deployment chat: `baseModel` is the name of the SupervisedFineTuningJob `tuning`. Give the name of a Model, which this one has in `outputModelName`.";
  for (const output of [tuning.name, tuning.id])
    expect(() => new Deployment("chat", { baseModel: output, deploymentShape })).toThrow(refusal);
  const baseModel = tuning.outputModelName as pulumi.Output<string>;
  expect(() => new Deployment("talk", { baseModel, deploymentShape })).not.toThrow();
  expect(() => new Deployment("rest", { baseModel: tuning.name, deploymentShape, ignoreChecks: true })).not.toThrow();
  expect(() => new Deployment("free", { baseModel, deploymentShape, description: tuning.name })).not.toThrow();
});
