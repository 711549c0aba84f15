import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineProviderHost as ownKindsOfMachine } from "../../cli/host/machine";
import { providerHost } from "../../cli/host/own-kinds";
import { createEmulator, type Emulator } from "../../emulator/index";
import { ProviderHosts } from "../../engine/providers/provider-hosts";
import type { Project } from "../../engine/state/project";
import type { HostMessage } from "../../protocol/provider-calls";
import { OutcomeUnknownError, type Properties, type ProviderCalls } from "../../protocol/provider-calls";
import { ModelPlatformError } from "../../provider/core/errors";
import { type Call, InitFailedError, type ResourceLifecycle } from "../../provider/lifecycle/types";
import type { HostEnvironment } from "../../provider/pulumi/operations";
import { createReporter } from "../../provider/pulumi/reporter";
import type { Runtime } from "../../provider/pulumi/runtime";
import { urnOf as pluginUrn } from "../plugin/support/calls";
import { declared, urnOf as dynamicUrn } from "../pulumi/support/declared";

/** What every way of serving a resource is asked with. */
const ways = [
  ["dynamic resources", "pulumi-nodejs", dynamicUrn, declared],
  ["resources of the plugin", "modelplatform", pluginUrn, (_kind: string, _name: string, inputs: object) => inputs],
] as const;

interface Served {
  calls: ProviderCalls;
  messages: HostMessage[];
  interrupt(): void;
  kill(): void;
}

/** The host over a life cycle that does what the test says. */
function hostOver(lifecycle: Partial<ResourceLifecycle>, debug = false) {
  const time = { now: () => 0, every: () => () => undefined };
  return providerHost(({ log }, interruption) => ({
    open: (): HostEnvironment<Runtime> => ({
      open: async () =>
        ({
          lifecycleOf: () => lifecycle as ResourceLifecycle,
          redact: (text: string) => text.replaceAll("canary", "[redacted]"),
        }) as unknown as Runtime,
      reporterFor: (urn) =>
        createReporter({ log: async ({ text, ...entry }) => log({ message: text, ...entry }) }, urn, time),
      interruption,
      debug,
    }),
    close: async () => undefined,
  }));
}

async function serve(pkg: string, lifecycle: Partial<ResourceLifecycle>, debug = false): Promise<Served> {
  const messages: HostMessage[] = [];
  const running = hostOver(lifecycle, debug).begin({
    name: "test",
    folder: ".",
    log: (message) => void messages.push(message),
  });
  const calls = running.open(pkg, {});
  await calls.configure({});
  return { calls, messages, interrupt: () => running.interrupt(), kill: () => running.kill() };
}

test.each([
  ["pulumi-nodejs:dynamic/modelplatform:User", true],
  ["modelplatform:index:User", true],
  ["modelplatform:index:listUsers", true],
  ["modelplatform:", true],
  ["pulumi-nodejs:dynamic:Resource", false],
  ["pulumi-nodejs:dynamic/others:User", false],
  ["modelplatforms:index:User", false],
  ["pulumi:providers:modelplatform", false],
])("%s is served here: %s", (token, isServed) => {
  const host = providerHost(() => ({ open: () => ({}) as HostEnvironment<Runtime>, close: async () => undefined }));
  expect(host.serves(token)).toBe(isServed);
});

describe.each(ways)("%s", (_, pkg, urnOf, given) => {
  const urn = urnOf("User", "ada");
  const properties = given("User", "ada", { email: "ada@example.com", role: "user" }) as Properties;
  const creating = { urn, properties, timeout: 0, preview: false };

  test.each([
    [
      "throws at once",
      (): never => {
        throw new TypeError("no canary");
      },
    ],
    ["rejects", () => Promise.reject(new TypeError("no canary"))],
  ])("a life cycle that %s fails its resource alone, and shows no secret", async (_, create) => {
    const { calls } = await serve(pkg, { create, delete: async () => "deleted" });
    await expect(calls.create(creating)).rejects.toThrow(/^TypeError: no \[redacted\]. This is a bug/);
    const gone = { urn, id: "accounts/acme/users/ada", properties: { ...properties, name: "n", endpoint: "e" } };
    await calls.delete({ ...gone, properties: { ...gone.properties, accountId: "acme" }, oldInputs: {}, timeout: 0 });
  });

  test.each([
    [true, /at .*own-kinds\.test/],
    [false, /report it$/],
  ])("with debugging %s, an unexpected error ends in %s", async (debug, end) => {
    const create = () => Promise.reject(new TypeError("no canary"));
    const { calls } = await serve(pkg, { create }, debug);
    await expect(calls.create(creating)).rejects.toThrow(end);
  });

  test("an object that is made but not ready is reported with what there is of it", async () => {
    const failure = new InitFailedError("accounts/acme/users/ada", { name: "n" }, ["still canary", "no answer"]);
    const { calls } = await serve(pkg, { create: () => Promise.reject(failure) });
    await expect(calls.create(creating)).rejects.toMatchObject({
      message: "still [redacted]\nno answer",
      recorded: {
        id: "accounts/acme/users/ada",
        properties: { name: "n" },
        reasons: ["still [redacted]", "no answer"],
      },
    });
  });

  test("messages of a life cycle name their resource and hold no secret", async () => {
    const { calls, messages } = await serve(pkg, {
      create: async ({ reporter }: Call) => {
        reporter.status("canary CREATING");
        reporter.warn("canary is slow");
        return { id: "accounts/acme/users/ada", outputs: {} };
      },
    });
    await calls.create(creating);
    expect(messages).toEqual([
      { severity: "info", message: "[redacted] CREATING", urn, ephemeral: true },
      { severity: "warning", message: "[redacted] is slow", urn, ephemeral: false },
    ]);
  });

  test("an interrupt ends what is under way, which is then recorded", async () => {
    const { calls, interrupt } = await serve(pkg, {
      create: ({ signal }: Call) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () =>
            reject(new InitFailedError("accounts/acme/users/ada", { name: "n" }, ["interrupted while CREATING"])),
          ),
        ),
    });
    const made = calls.create(creating);
    setImmediate(interrupt);
    await expect(made).rejects.toMatchObject({
      recorded: { id: "accounts/acme/users/ada", reasons: ["interrupted while CREATING"] },
    });
    await expect(calls.create(creating)).rejects.toThrow("interrupted before it began");
  });

  test.each([
    ["two interrupts", ["interrupt", "interrupt"]],
    ["a kill after an interrupt", ["interrupt", "kill"]],
    ["a kill alone", ["kill"]],
  ] as const)("what does not end by %s has an unknown outcome", async (_, strikes) => {
    const served = await serve(pkg, { create: () => new Promise(() => undefined) });
    const made = served.calls.create(creating);
    setImmediate(() => {
      for (const strike of strikes) served[strike]();
    });
    const silence = (async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      return "nothing";
    })();
    expect(await Promise.race([made.catch((error: unknown) => error), silence])).toBeInstanceOf(OutcomeUnknownError);
  });
});

test("a program's time for an operation reaches the life cycle, which the engine knows", async () => {
  const times: (number | undefined)[] = [];
  const { calls } = await serve("modelplatform", {
    create: async ({ timeout }: Call) => {
      times.push(timeout);
      return { id: "accounts/acme/users/ada", outputs: {} };
    },
  });
  await calls.create({ urn: pluginUrn("User", "ada"), properties: {}, timeout: 90, preview: false });
  expect(times).toEqual([90]);
});

describe("on this machine", () => {
  let emulator: Emulator;
  let url: string;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), "host-"));
    emulator = createEmulator({ accounts: { acme: "acme-key" } });
    ({ url } = await emulator.listen({ port: 0 }));
  });
  afterEach(async () => {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = () => ownKindsOfMachine().begin({ name: folder, folder, log: () => undefined });
  const env = () => ({
    MODELPLATFORM_BASE_URL: url,
    MODELPLATFORM_ACCOUNT_ID: "acme",
    MODELPLATFORM_API_KEY: "acme-key",
    MODELPLATFORM_INTENTS: "intents",
    XDG_STATE_HOME: join(folder, "state"),
  });
  const user = { userId: "ada", email: "ada@example.com", role: "user" };

  test("two instances of a run know what the other claims, whichever way each serves", async () => {
    const running = open();
    const [dynamic, plugin] = [running.open("pulumi-nodejs", env()), running.open("modelplatform", env())];
    await Promise.all([dynamic.configure({}), plugin.configure({})]);
    const first = await dynamic.check({
      urn: dynamicUrn("User", "one"),
      olds: {},
      news: declared("User", "one", user) as Properties,
    });
    expect(first.failures).toEqual([]);
    const second = await plugin.check({ urn: pluginUrn("User", "two"), olds: {}, news: user });
    expect(second.failures.map(({ property }) => property).sort()).toEqual(["email", "userId"]);
    expect(second.failures[0]!.reason).toMatch(/two resources declare one User .*::one and .*::two/);
    await running.close();
  });

  test("what a failed answer has recorded reaches the engine with its reasons", async () => {
    const failure = new InitFailedError("accounts/acme/users/ada", { name: "n" }, ["still CREATING"], {
      cause: new ModelPlatformError("still CREATING", { code: "unsettled" }),
    });
    const host = hostOver({ create: () => Promise.reject(failure) });
    const provider = new ProviderHosts({
      ...{ project: {} as Project, folder, env: env(), config: { values: {}, secretKeys: [], secrets: [] } },
      ...{ host, state: () => undefined as never, log: () => undefined, onLine: () => undefined },
      address: () => Promise.reject(new Error("a process was started")),
    }).make("modelplatform", {});
    const call = { urn: pluginUrn("User", "ada"), preview: false, inputs: {}, timeout: 0 };
    expect(await provider.create(call)).toMatchObject({
      ...{
        id: "accounts/acme/users/ada",
        outputs: { name: "n" },
        initErrors: ["still CREATING"],
        failure: "unsettled",
      },
    });
  });

  test("nothing is started only to ask whether another package's object may be deleted", async () => {
    const provider = new ProviderHosts({
      ...{ project: {} as Project, folder, env: env(), config: { values: {}, secretKeys: [], secrets: [] } },
      ...{ host: ownKindsOfMachine(), state: () => undefined as never, log: () => undefined, onLine: () => undefined },
      address: () => Promise.reject(new Error("a process was started")),
    }).make("pulumi-nodejs", {});
    const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic:Resource::other";
    const call = { urn, preview: true, id: "1", inputs: {}, outputs: {}, timeout: 0 };
    expect(await provider.refusal?.(call)).toBeUndefined();
    await expect(provider.delete(call)).rejects.toThrow("a process was started");
  });

  test("relative paths begin at the program's folder", async () => {
    writeFileSync(join(folder, "key.txt"), "hush\n");
    const running = open();
    const calls = running.open("modelplatform", env());
    await calls.configure({});
    const urn = pluginUrn("Secret", "storage");
    const news = { keyName: "STORAGE_KEY", valueFrom: { file: "key.txt" } };
    const { inputs, failures } = await calls.check({ urn, olds: {}, news });
    expect(failures).toEqual([]);
    const { id } = await calls.create({ urn, properties: inputs, timeout: 0, preview: false });
    expect(emulator.world.get(id)).toBeDefined();
    await running.close();
  });
});
