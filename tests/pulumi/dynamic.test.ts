import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { plainValue } from "../../provider/core/values/values";
import * as modelplatform from "../../provider/index";
import { Deployment, Model, Provider, Secret, SupervisedFineTuningJob, User } from "../../provider/index";
import { providerText } from "../../provider/pulumi/provider-text";
import { managedSpecs } from "../../provider/resources/index";
import { secret } from "./support/declared";
import { type Registered, runAsProgram, valueOf } from "./support/program";

let registered: Registered[];

beforeAll(async () => {
  registered = await runAsProgram();
});

/** What the program registered for a resource. */
async function registration(resource: pulumi.Resource): Promise<Registered> {
  const urn = await valueOf(resource.urn);
  return registered.find(({ name }) => name === urn.slice(urn.lastIndexOf("::") + 2))!;
}

test.each(managedSpecs.map((spec) => [spec.kind, spec] as const))(
  "a %s is declared with the one provider text and one hidden input",
  async (kind, spec) => {
    const Class = modelplatform[kind as "Deployment"];
    const resource = new Class(`a-${kind}`, spec.example as never);
    const { type, inputs } = await registration(resource);
    const urn = `urn:pulumi:dev::demo::pulumi-nodejs:dynamic/modelplatform:${kind}::a-${kind}`;
    expect(type).toBe(`pulumi-nodejs:dynamic/modelplatform:${kind}`);
    expect(plainValue(inputs)).toEqual({
      ...spec.example,
      __provider: providerText,
      __modelplatform: { kind, urn, organization: "organization", stack: "dev" },
    });
    expect(await valueOf(resource.urn)).toBe(urn);
  },
);

test("a resource hands over how its stack names it", async () => {
  const autonaming = JSON.stringify({ providers: { modelplatform: { pattern: "x-${name}" } } });
  pulumi.runtime.setAllConfig({ "pulumi:autonaming": autonaming });
  const named = new Deployment("named", { baseModel: "accounts/platform/models/open-8b" });
  const { inputs } = await registration(named);
  pulumi.runtime.setAllConfig({});
  expect(plainValue(inputs)).toMatchObject({
    __modelplatform: { naming: { proposedName: "x-named", mode: "propose" } },
  });
});

test("the provider text stays within its 300 bytes and names the package alone", () => {
  expect(Buffer.byteLength(providerText)).toBeLessThanOrEqual(300);
  expect([...providerText.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual([
    "pulumi-modelplatform/runtime",
  ]);
});

test("stacks that the SDK keeps of its promises are not computed; those of errors are", () => {
  const before = Error.prepareStackTrace;
  const workedOut: (string | null | undefined)[] = [];
  Error.prepareStackTrace = (error, frames) => {
    workedOut.push(frames[0]?.getFunctionName());
    return String(error);
  };
  try {
    new User("quick", { email: "ada@example.com" });
    expect(workedOut).not.toContain("debuggablePromise");
    expect(workedOut).toContain("callsites");
    expect(new Error("with a stack").stack).toBe("Error: with a stack");
  } finally {
    Error.prepareStackTrace = before;
  }
});

test("each line that makes resources has one stack, made once", () => {
  const before = Error.prepareStackTrace;
  let made = 0;
  Error.prepareStackTrace = (error, frames) => {
    made += 1;
    return [String(error), ...frames.map((frame) => `    at ${String(frame)}`)].join("\n");
  };
  const recorded = jest.spyOn(pulumi.Resource as unknown as { stackTrace(skip: number): unknown }, "stackTrace");
  try {
    for (let index = 0; index < 100; index += 1) new User(`loop-${index}`, { email: "ada@example.com" });
    expect(made).toBe(1);
    new User("elsewhere", { email: "ada@example.com" });
    expect(made).toBe(2);
    const [first, second, ...others] = recorded.mock.results.map(({ value }) => JSON.stringify(value));
    expect([first, others.at(-1) === first]).toEqual([second, false]);
    expect(first).toContain("dynamic.test");
  } finally {
    recorded.mockRestore();
    Error.prepareStackTrace = before;
  }
});

test("an error of a transformation has its stack", () => {
  const transformations = [() => JSON.parse("no JSON") as undefined];
  const before = Error.prepareStackTrace;
  let caught: unknown;
  try {
    new User("broken", { email: "ada@example.com" }, { transformations });
  } catch (error) {
    caught = error;
  }
  expect((caught as Error).stack).toContain("dynamic.test");
  expect(Error.prepareStackTrace).toBe(before);
});

test.each([
  ["MODELPLATFORM_PROMISE_STACKS", "true", true],
  ["MODELPLATFORM_PROMISE_STACKS", "1", true],
  ["MODELPLATFORM_PROMISE_STACKS", "false", false],
  ["MODELPLATFORM_PROMISE_STACKS", "", false],
  ["PULUMI_DEBUG_PROMISE_LEAKS", "1", true],
])("with %s=%j the global `Error` stays untouched: %j", (variable, value, isUntouched) => {
  const before = Error.prepareStackTrace;
  const seen: unknown[] = [];
  process.env[variable] = value;
  try {
    const transformations = [() => void seen.push(Error.prepareStackTrace)];
    new User("watched", { email: "ada@example.com" }, { transformations });
  } finally {
    delete process.env[variable];
  }
  expect(seen.map((prepare) => prepare === before)).toEqual([isUntouched]);
});

test("the hidden URN names every component above the resource", async () => {
  const outer = new pulumi.ComponentResource("demo:index:Outer", "outer");
  const inner = new pulumi.ComponentResource("demo:index:Inner", "inner", {}, { parent: outer });
  const child = new User("ada", { email: "ada@example.com" }, { parent: inner });
  const { inputs } = await registration(child);
  expect(inputs["__modelplatform"]).toMatchObject({
    urn: "urn:pulumi:dev::demo::demo:index:Outer$demo:index:Inner$pulumi-nodejs:dynamic/modelplatform:User::ada",
  });
});

test("the hidden input names what a resource was called before, by every alias", async () => {
  const own = new User("renamed", { email: "ada@example.com" }, { aliases: [{ name: "eva" }] });
  const group = new pulumi.ComponentResource("demo:index:Group", "new", {}, { aliases: [{ name: "old" }] });
  const child = new User(
    "new-bob",
    { email: "bob@example.com" },
    { parent: group, aliases: [{ parent: pulumi.rootStackResource }] },
  );
  const user = "pulumi-nodejs:dynamic/modelplatform:User";
  expect((await registration(own)).inputs["__modelplatform"]).toMatchObject({
    aliases: [`urn:pulumi:dev::demo::${user}::eva`],
  });
  expect((await registration(child)).inputs["__modelplatform"]).toMatchObject({
    aliases: expect.arrayContaining([
      `urn:pulumi:dev::demo::${user}::new-bob`,
      `urn:pulumi:dev::demo::demo:index:Group$${user}::old-bob`,
    ]),
  });
});

test("every output is there to be used before the object is", () => {
  const deployment = new Deployment("early", { baseModel: "accounts/platform/models/open-8b" });
  const job = new SupervisedFineTuningJob("early-job", { dataset: "d" });
  const outputs = [
    deployment.state,
    deployment.name,
    deployment.deploymentId,
    deployment.accountId,
    deployment.managedFields,
    deployment.adopted,
    deployment.replicaStats,
    job.outputModelName,
    job.jobProgress,
  ];
  expect(outputs.every((output) => pulumi.Output.isInstance(output))).toBe(true);
});

test("a resource makes only declared outputs: each costs forty promises", () => {
  const user = new User("lean", { email: "ada@example.com" }) as unknown as Record<string, unknown>;
  const outputs = Object.keys(user).filter((name) => pulumi.Output.isInstance(user[name]));
  const { resources } = JSON.parse(readFileSync(join(__dirname, "../../schema.json"), "utf8"));
  const declared = Object.keys(resources["modelplatform:index:User"].properties);
  expect(outputs.filter((name) => !name.startsWith("__")).sort()).toEqual([...declared, "id", "urn"].sort());
});

test("options that a program leaves out share one output; a given one has its own", async () => {
  const user = new User("plain", { email: "ada@example.com" });
  const kept = new User(
    "kept",
    { email: "eva@example.com", deletionProtection: true },
    { customTimeouts: { create: "9m" } },
  );
  expect(user.adopt).toBe(user.timeouts);
  expect(user.adopt).toBe(kept.immutable);
  expect(await valueOf(user.adopt)).toBeUndefined();
  expect(await valueOf(kept.deletionProtection)).toBe(true);
  expect(await valueOf(kept.timeouts)).toEqual({ create: "9m" });
});

test("inputs that hold a secret are secrets whatever the program makes of them", async () => {
  const vault = new Secret("s3", { keyName: "S3_KEY", value: "canary" });
  const deployment = new Deployment("chat", { baseModel: "m", directRouteApiKeys: ["canary"] });
  const job = new SupervisedFineTuningJob("job", { dataset: "d", trackingConfig: { apiKey: "canary" } });
  expect((await registration(vault)).inputs).toMatchObject({ keyName: "S3_KEY", value: secret("canary") });
  expect((await registration(deployment)).inputs).toMatchObject({ directRouteApiKeys: secret(["canary"]) });
  expect((await registration(job)).inputs).toMatchObject({ trackingConfig: secret({ apiKey: "canary" }) });
});

test.each([
  ["alone", undefined, { create: "45m", delete: "5m" }, { create: "45m", delete: "5m" }],
  ["beside timeouts", { create: "10m" }, { create: "45m", update: "1h" }, { create: "10m", update: "1h" }],
  ["beside timeouts that come later", pulumi.output({ create: "10m" }), { create: "45m" }, { create: "10m" }],
  ["that are empty", { create: "10m" }, {}, { create: "10m" }],
  ["that are absent", undefined, undefined, undefined],
])(
  "custom timeouts %s go where the provider finds them, and the program's own win",
  async (title, timeouts, customTimeouts, expected) => {
    const { inputs } = await registration(
      new User(title, { email: "a@example.com", ...(timeouts && { timeouts }) }, customTimeouts && { customTimeouts }),
    );
    expect(inputs["timeouts"]).toEqual(expected);
  },
);

const custom =
  (customTimeouts: pulumi.CustomTimeouts): pulumi.ResourceTransformation =>
  ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { customTimeouts }) });

test.each([
  [
    "of the resource itself",
    (opts: pulumi.CustomTimeouts) =>
      new User("of-itself", { email: "a@example.com" }, { transformations: [custom(opts)] }),
  ],
  [
    "of a component above it",
    (opts: pulumi.CustomTimeouts) =>
      new User(
        "of-component",
        { email: "a@example.com" },
        { parent: new pulumi.ComponentResource("demo:index:Slow", "slow", {}, { transformations: [custom(opts)] }) },
      ),
  ],
  [
    "of a resource above it",
    (opts: pulumi.CustomTimeouts) =>
      new User(
        "of-resource",
        { email: "a@example.com" },
        { parent: new User("above", { email: "b@example.com" }, { transformations: [custom(opts)] }) },
      ),
  ],
])("custom timeouts from a transformation %s go where the provider finds them", async (_, declare) => {
  const { inputs } = await registration(declare({ create: "45m" }));
  expect(inputs).toMatchObject({ email: "a@example.com", timeouts: { create: "45m" } });
});

test("the last of several transformations decides, after the program's own timeouts", async () => {
  const opts = {
    customTimeouts: { create: "1m", delete: "1m" },
    transformations: [custom({ create: "2m" }), custom({ create: "3m", update: "3m" })],
  };
  const { inputs } = await registration(
    new User("several", { email: "a@example.com", timeouts: { update: "9m" } }, opts),
  );
  expect(inputs["timeouts"]).toEqual({ create: "3m", update: "9m" });
});

test("a secret that a transformation puts in is a secret", async () => {
  const given: pulumi.ResourceTransformation = ({ props, opts }) => ({ props: { ...props, value: "canary" }, opts });
  const { inputs } = await registration(
    new Secret("given", { keyName: "S3_KEY", value: "" }, { transformations: [given] }),
  );
  expect(inputs["value"]).toEqual(secret("canary"));
});

test("a secret is one for transformations, and is marked once unless replaced", async () => {
  const marking = jest.spyOn(pulumi, "secret");
  const seen: unknown[] = [];
  const looking: pulumi.ResourceTransformation = ({ props, opts }) => {
    seen.push(props["value"]);
    return { props, opts };
  };
  const { inputs } = await registration(
    new Secret("looked-at", { keyName: "S3_KEY", value: "canary" }, { transformations: [looking] }),
  );
  expect(await pulumi.isSecret(seen[0] as pulumi.Output<string>)).toBe(true);
  expect(inputs["value"]).toEqual(secret("canary"));
  expect(marking).toHaveBeenCalledTimes(1);
  marking.mockRestore();
});

test("get reads an object by its name and declares nothing of it", async () => {
  const id = "accounts/acme/models/support-8b";
  const model = Model.get("existing", id);
  const found = await registration(model);
  expect(found).toMatchObject({ id, type: "pulumi-nodejs:dynamic/modelplatform:Model" });
  expect(Object.keys(found.inputs).sort()).toEqual(["__modelplatform", "__provider"]);
  expect(Model.isInstance(model)).toBe(true);
});

test("a class recognises its own resources, and no others", () => {
  const user = new User("own", { email: "a@example.com" });
  expect([User.isInstance(user), Deployment.isInstance(user), User.isInstance({}), User.isInstance(undefined)]).toEqual(
    [true, false, false, false],
  );
});

class Foreign extends pulumi.ProviderResource {}

test("an explicit provider turns its settings into texts, and keys into secrets", async () => {
  pulumi.runtime.setAllConfig({
    "modelplatform:accountId": "acme",
    "modelplatform:baseUrl": "https://stack.example.com",
  });
  const provider = new Provider("explicit", {
    apiKey: "canary",
    baseUrl: "https://eu.example.com",
    accounts: { beta: { keyCommand: ["print-key", "beta"] } },
    requestsPerSecond: 5,
    preflight: true,
  });
  const { type, inputs } = await registration(provider);
  expect(type).toBe("pulumi:providers:pulumi-nodejs");
  expect(inputs).toEqual({
    "modelplatform:apiKey": secret("canary"),
    "modelplatform:baseUrl": "https://eu.example.com",
    "modelplatform:accounts": secret('{"beta":{"keyCommand":["print-key","beta"]}}'),
    "modelplatform:requestsPerSecond": "5",
    "modelplatform:preflight": "true",
    "modelplatform:accountId": "acme",
  });
  expect([
    Provider.isInstance(provider),
    Provider.isInstance(new Foreign("pulumi-nodejs", "foreign", {})),
    Provider.isInstance({}),
  ]).toEqual([true, false, false]);
});

test("a component hands its provider on to its resources", async () => {
  const eu = new Provider("eu", { accountId: "eu", apiKey: "key" });
  const component = new pulumi.ComponentResource("demo:index:Team", "team", {}, { providers: [eu] });
  const { provider } = await registration(new User("member", { email: "a@example.com" }, { parent: component }));
  expect(provider).toContain("pulumi:providers:pulumi-nodejs::eu");
});

test("the resource option `import` is refused with what to write instead", () => {
  expect(() => new User("ada", { email: "ada@example.com" }, { import: "accounts/acme/users/ada" })).toThrow(
    'User ada: the resource option `import` does not work for dynamic resources. Drop it, and set `adopt: "ifEqual"` and `userId: "ada"` among the inputs',
  );
  expect(
    () =>
      new modelplatform.DeployedModel(
        "one",
        { model: "m", deployment: "d" },
        { import: "accounts/acme/deployedModels/x" },
      ),
  ).toThrow('set `adopt: "ifEqual"` among');
});
