import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { nightly } from "../nightly";
import { declared, secret, unknown, urnOf } from "./support/declared";
import { DynamicCallError, type DynamicProcess, startProcess } from "./support/dynamic-process";

const DIFF_UNKNOWN = 0;
const DIFF_NONE = 1;
const DIFF_SOME = 2;

let emulator: Emulator;
let config: Record<string, unknown>;
let provider: DynamicProcess;

beforeAll(async () => {
  emulator = createEmulator({ accounts: { acme: "acme-key" }, settings: { speed: 3600 } });
  const { url } = await emulator.listen({ port: 0 });
  config = {
    "modelplatform:accountId": "acme",
    "modelplatform:apiKey": secret("acme-key"),
    "modelplatform:baseUrl": url,
  };
  provider = await startProcess();
  await provider.configure(config);
});

afterAll(() => emulator.close());

const failed = async (work: Promise<unknown>): Promise<DynamicCallError> => {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof DynamicCallError) return outcome;
  throw new Error(`expected a failed call, got ${String(outcome)}`);
};

test("check fills in account and defaults, and keeps what the resource's class wrote", async () => {
  const news = declared("Deployment", "chat", { baseModel: "accounts/platform/models/open-8b" });
  const { inputs, failures } = await provider.check({}, news);
  expect(failures).toEqual([]);
  expect(inputs).toEqual({
    ...news,
    accountId: "acme",
    waitFor: "ready",
    onTimeout: "keep",
    onSoftDeletedConflict: "error",
    ignoreChecks: false,
  });
});

test("check names every mistake with its property, or none where it shows a secret", async () => {
  const { failures } = await provider.check(
    {},
    declared("Deployment", "chat", { baseModl: "m", maxReplicaCount: "two", directRouteApiKeys: [1] }),
  );
  expect(failures).toEqual(
    expect.arrayContaining([
      { property: "baseModel", reason: expect.stringContaining("is required") },
      { property: "baseModl", reason: expect.stringContaining("did you mean `baseModel`?") },
      { property: "maxReplicaCount", reason: expect.stringContaining("not a string") },
      { property: "", reason: expect.stringMatching(/^directRouteApiKeys/) },
    ]),
  );
});

test("a warning of check reaches the engine's log under the resource's URN", async () => {
  await provider.check(
    {},
    declared("Deployment", "old", {
      baseModel: "accounts/platform/models/open-8b",
      expireTime: "2030-01-01T00:00:00Z",
    }),
  );
  const warning = await provider.engine.seen(({ urn }) => urn === urnOf("Deployment", "old"));
  expect(warning).toMatchObject({
    severity: 2,
    ephemeral: false,
    message: expect.stringContaining("`expireTime` is deprecated"),
  });
});

test("secrets go back marked from check, create and read, inputs or not", async () => {
  const value = "canary-4f1c9a";
  const { inputs } = await provider.check({}, declared("Secret", "s3", { keyName: "S3_KEY", value }));
  expect(inputs["value"]).toEqual(secret(value));
  const { id, properties } = await provider.create({ ...inputs, value });
  expect(properties).toMatchObject({ value: secret(value), digests: secret(expect.anything()) });
  expect(await provider.read(id, { ...properties, value, digests: {} })).toMatchObject({
    properties: { value: secret(value) },
    inputs: { value: secret(value) },
  });
  expect(JSON.stringify(provider.engine.logged)).not.toContain(value);
  expect(provider.output()).not.toContain(value);
});

test("an error is shown once, in words, without a stack", async () => {
  const { message, initFailure } = await failed(
    provider.read(
      "accounts/other/users/ada",
      declared("User", "ada", { name: "accounts/other/users/ada", accountId: "other" }),
    ),
  );
  expect(message).toMatch(/no API key for account `other`/);
  expect(initFailure).toBeUndefined();
  await provider.printed(/^User ada failed; its error is shown with it/);
  expect(provider.output()).not.toContain("no API key");
  expect(provider.output()).not.toMatch(/^\s+at /m);
});

test("operations that begin together after configure all find their settings", async () => {
  const together = await startProcess();
  await together.configure(config);
  const names = ["a", "b", "c", "d"];
  const answers = await Promise.all(
    names.map((name) => together.check({}, declared("User", name, { email: `${name}@example.com`, role: "user" }))),
  );
  expect(answers.map(({ inputs }) => inputs["accountId"])).toEqual(names.map(() => "acme"));
});

test("settings that are missing are one readable error, for every operation", async () => {
  const bare = await startProcess();
  await bare.configure({ "modelplatform:accountId": "acme" });
  const user = declared("User", "ada", { email: "ada@example.com", role: "user" });
  const { inputs } = await bare.check({}, user);
  for (const attempt of [bare.create(inputs), bare.create(inputs)]) {
    const { message } = await failed(attempt);
    expect(message).toMatch(/no API key for account `acme`.*modelplatform:apiKey.*MODELPLATFORM_API_KEY/);
  }
  expect(bare.output()).not.toMatch(/^\s+at /m);
});

test("where the package is not installed, the error says what to run and where", async () => {
  const alone = await startProcess({ installed: false });
  await alone.configure(config);
  const { message } = await failed(alone.check({}, declared("User", "ada", { email: "ada@example.com" })));
  expect(message).toMatch(
    /^Cannot find module 'pulumi-modelplatform\/runtime'\. Run `npm install pulumi-modelplatform` in .*dynamic-/,
  );
  await alone.printed(/Cannot find module 'pulumi-modelplatform\/runtime'/);
  expect(alone.output()).not.toMatch(/^\s+at /m);
});

test("on an old Node.js each resource says so in one line, without a word of modules", async () => {
  const folder = mkdtempSync(join(tmpdir(), "old-node-"));
  const old = join(folder, "old.cjs");
  writeFileSync(old, 'Object.defineProperty(process.versions, "node", { value: "18.20.4" });');
  // As before 20.19, `require` reads no ES modules.
  const process = await startProcess({
    env: { NODE_OPTIONS: `--no-experimental-require-module --require "${old}"` },
  });
  await process.configure(config);
  const resource = declared("User", "ada", { email: "ada@example.com", role: "user" });
  const refusal =
    "pulumi-modelplatform needs Node.js 20.19.0 or newer, and this is 18.20.4. Install a newer one: https://nodejs.org/";
  for (const work of [
    process.read("accounts/acme/users/ada", resource),
    process.check({}, resource),
    process.delete("accounts/acme/users/ada", resource),
  ])
    expect((await failed(work)).message).toBe(refusal);
  expect(process.output()).not.toMatch(/ES Module|\.js:|needs Node/);
  rmSync(folder, { recursive: true });
});

nightly("the process passes on what `pulumi/service` and the contract on this host have by day", () => {
  test("a value not yet known passes check and is a difference", async () => {
    const news = declared("Deployment", "chat", { baseModel: unknown, deploymentShape: "default" });
    const { inputs, failures } = await provider.check({}, news);
    expect(failures).toEqual([]);
    expect(inputs["baseModel"]).toBe(unknown);
    const olds = {
      ...news,
      baseModel: "accounts/platform/models/open-8b",
      name: "accounts/acme/deployments/chat",
      managedFields: ["baseModel", "deploymentShape"],
    };
    expect(await provider.diff("accounts/acme/deployments/chat", olds, inputs)).toEqual({
      changes: DIFF_SOME,
      replaces: ["baseModel"],
      deleteBeforeReplace: false,
    });
  });

  test("a deployment is created, compared, changed, read and deleted", async () => {
    const { inputs } = await provider.check(
      {},
      declared("Deployment", "chat", {
        baseModel: "accounts/platform/models/open-8b",
        deploymentShape: "default",
        maxReplicaCount: 2,
      }),
    );
    const { id, properties } = await provider.create(inputs);
    expect(id).toMatch(/^accounts\/acme\/deployments\/chat-[0-9a-f]{7}$/);
    expect(properties).toMatchObject({
      name: id,
      state: "READY",
      maxReplicaCount: 2,
      __provider: inputs["__provider"],
      __modelplatform: inputs["__modelplatform"],
    });

    expect(await provider.diff(id, properties, inputs)).toMatchObject({ changes: DIFF_NONE });
    const changed = { ...inputs, maxReplicaCount: 3 };
    expect(await provider.diff(id, properties, changed)).toMatchObject({ changes: DIFF_UNKNOWN, replaces: [] });
    const updated = await provider.update(id, properties, changed);
    expect(updated).toMatchObject({ maxReplicaCount: 3, __provider: inputs["__provider"] });

    const read = await provider.read(id, updated);
    expect(read).toMatchObject({
      id,
      properties: { maxReplicaCount: 3, __provider: inputs["__provider"] },
      inputs: { maxReplicaCount: 3, __modelplatform: inputs["__modelplatform"], __provider: inputs["__provider"] },
    });

    const destroying = await startProcess();
    await destroying.configure(config);
    await destroying.delete(id, read.properties);
    expect((await destroying.read(id, read.properties)).id).toBe("");
  });

  test("a deployment that fails is recorded with everything that the next call needs", async () => {
    const { inputs } = await provider.check(
      {},
      declared("Deployment", "wrong", {
        baseModel: "accounts/platform/models/open-8b",
        acceleratorType: "VENDOR1_L4_24GB",
        acceleratorCount: 1,
        precision: "NF4",
      }),
    );
    const { message, initFailure } = await failed(provider.create(inputs));
    expect(initFailure).toMatchObject({
      id: expect.stringMatching(/^accounts\/acme\/deployments\/wrong-/),
      properties: { state: "FAILED", __provider: inputs["__provider"], __modelplatform: inputs["__modelplatform"] },
      reasons: [expect.stringContaining("FAILED")],
    });
    expect(message).toBe(initFailure!.reasons.join("\n"));
    await provider.delete(initFailure!.id, initFailure!.properties);
  });

  test("a deployment that is recorded as failed, and is well, is not replaced", async () => {
    const { inputs } = await provider.check(
      {},
      declared("Deployment", "mended", { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" }),
    );
    const { id, properties } = await provider.create(inputs);
    const olds = { ...properties, state: "FAILED" };
    expect(await provider.diff(id, olds, inputs)).toMatchObject({ changes: DIFF_SOME, replaces: [] });
    expect(await provider.update(id, olds, inputs)).toMatchObject({ name: id, state: "READY" });
    emulator.world.remove(id);
    expect(await provider.diff(id, olds, inputs)).toMatchObject({ changes: DIFF_SOME, replaces: ["state"] });
  });
});
