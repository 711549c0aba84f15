import * as pulumi from "@pulumi/pulumi";
import { SupervisedFineTuningJob, User } from "../../provider/index";

const ada = "accounts/acme/users/ada";
const job = "accounts/acme/supervisedFineTuningJobs/tune";

/** What the SDK's types leave out of an output. */
interface Whole {
  isSecret: Promise<boolean>;
  allResources(): Promise<Set<pulumi.Resource>>;
  promise(): Promise<unknown>;
}

/** A preview of an update: the engine knows ids and inputs alone. */
async function preview<T>(id: string, work: () => T): Promise<T> {
  const newResource = ({ inputs }: pulumi.runtime.MockResourceArgs) => ({ id, state: { ...inputs } });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "demo", "dev", true);
  const made = work();
  await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
  return made;
}

async function insightOf(output: pulumi.Output<unknown>): Promise<[unknown, boolean, number]> {
  const whole = output as unknown as Whole;
  return [await whole.promise(), await whole.isSecret, (await whole.allResources()).size];
}

test("outputs that follow from the id are as secret as the program says", async () => {
  const open = await preview(ada, () => new User("ada", { email: "ada@example.com" }));
  expect(await insightOf(open.name)).toEqual([ada, false, 1]);
  const sealed = await preview(
    ada,
    () => new User("ada", { email: "ada@example.com" }, { additionalSecretOutputs: ["name"] }),
  );
  expect(await insightOf(sealed.name)).toEqual([ada, true, 1]);
});

test("a transformation's secret outputs count as well", async () => {
  const transformations: pulumi.ResourceTransformation[] = [
    ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { additionalSecretOutputs: ["name"] }) }),
  ];
  const sealed = await preview(ada, () => new User("ada", { email: "ada@example.com" }, { transformations }));
  expect(await insightOf(sealed.name)).toEqual([ada, true, 1]);
});

test("an output that follows from a secret input is secret, too", async () => {
  const inputs = { dataset: "accounts/acme/datasets/d", baseModel: "accounts/platform/models/m" };
  const plain = await preview(job, () => new SupervisedFineTuningJob("tune", { ...inputs, outputModel: "m1" }));
  expect(await insightOf(plain.outputModelName)).toEqual(["accounts/acme/models/m1", false, 1]);
  const sealed = await preview(
    job,
    () => new SupervisedFineTuningJob("tune", { ...inputs, outputModel: pulumi.secret("m1") }),
  );
  expect(await insightOf(sealed.outputModelName)).toEqual(["accounts/acme/models/m1", true, 1]);
});
