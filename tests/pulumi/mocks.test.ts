import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { plainValue } from "../../provider/core/values/values";
import * as dynamic from "../../provider/index";
import * as plugin from "../../provider/plugin-classes";
import { functions } from "../../provider/resources/functions";
import { root } from "../rooms";
import { valueOf } from "./support/program";

/** Unit tests of programs: under Pulumi's mocks, everything goes to them, and nothing leaves the process. */

const calls: pulumi.runtime.MockCallArgs[] = [];
const made: pulumi.runtime.MockResourceArgs[] = [];
const answers: Record<string, Record<string, unknown>> = {};

const begin = (isPreview = false): Promise<void> =>
  pulumi.runtime.setMocks(
    {
      newResource: (args) => {
        made.push(args);
        return { id: `${args.name}-id`, state: { ...(args.inputs as object), state: "READY" } };
      },
      call: (args) => {
        calls.push(args);
        return answers[args.token] ?? {};
      },
    },
    "demo",
    "test",
    isPreview,
  );

const send = jest.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no network"));

beforeEach(async () => {
  calls.length = 0;
  made.length = 0;
  for (const token of Object.keys(answers)) delete answers[token];
  // No settings: where a client is opened all the same, the call fails for them.
  await begin();
});
afterEach(() => expect(send).not.toHaveBeenCalled());

const schema = JSON.parse(readFileSync(join(root, "schema.json"), "utf8")) as { functions: Record<string, unknown> };
const entries = { "the main entry": dynamic, "the plugin's entry": plugin } as unknown as Record<
  string,
  Record<string, (args: object, options?: object) => unknown>
>;

describe.each(Object.entries(entries))("%s", (_, entry) => {
  test("what a function depends on reaches the mocks as such", async () => {
    const user = new dynamic.User("ada", { role: "user", email: "ada@example.com" });
    await valueOf(entry["listUsersOutput"]!({}, { dependsOn: [user] }) as pulumi.Output<unknown>);
    expect([made.length, calls]).toEqual([1, [{ token: "modelplatform:index:listUsers", inputs: {}, provider: "" }]]);
  });

  test.each(Object.entries(functions).map(([name, { example }]) => [name, example] as const))(
    "%s is a call of the mocks in both forms",
    async (name, example) => {
      await entry[name]!(example);
      await valueOf(entry[`${name}Output`]!(example) as pulumi.Output<unknown>);
      const call = { token: `modelplatform:index:${name}`, inputs: example, provider: "" };
      expect(calls).toEqual([call, call]);
      expect(Object.keys(schema.functions)).toContain(call.token);
    },
  );

  test("a function answers what the mocks answer", async () => {
    answers["modelplatform:index:getModel"] = { contextLength: 1234 };
    expect(await entry["getModel"]!({ modelId: "open-8b" })).toEqual({ contextLength: 1234 });
    const later = entry["getModelOutput"]!({ modelId: pulumi.output("open-8b") }) as pulumi.Output<unknown>;
    expect(await valueOf(later)).toEqual({ contextLength: 1234 });
    expect(calls.map(({ inputs }) => inputs as unknown)).toEqual([{ modelId: "open-8b" }, { modelId: "open-8b" }]);
  });

  test("the provider of a call is seen, given as such or through a parent", async () => {
    const Provider = entry["Provider"] as unknown as new (name: string, args: object) => pulumi.ProviderResource;
    const provider = new Provider("beta", { accountId: "beta", apiKey: "beta-key" });
    const parent = new pulumi.ComponentResource("demo:index:Team", "team", {}, { providers: [provider] });
    await entry["listUsers"]!({}, { provider });
    await entry["listUsers"]!({}, { parent });
    const urn = await valueOf(provider.urn);
    expect(calls.map((call) => call.provider)).toEqual([`${urn}::beta-id`, `${urn}::beta-id`]);
  });

  test("a result that shows a secret is one", async () => {
    answers["modelplatform:index:getDeployment"] = { directRouteApiKeys: ["canary"] };
    const get = (): unknown => entry["getDeploymentOutput"]!({ deploymentId: "chat" });
    expect(await pulumi.isSecret(get() as pulumi.Output<unknown>)).toBe(true);
    delete answers["modelplatform:index:getDeployment"];
    expect(await pulumi.isSecret(get() as pulumi.Output<unknown>)).toBe(false);
  });

  test("a resource within a component is the mocks', and its secret stays one", async () => {
    const { Secret } = entry as unknown as typeof dynamic;
    const parent = new pulumi.ComponentResource("demo:index:Team", "team", {});
    const secret = new Secret("s3", { keyName: "S3_KEY", value: "canary" }, { parent });
    expect(await valueOf(secret.id)).toBe("s3-id");
    expect(await valueOf(secret.keyName)).toBe("S3_KEY");
    expect(await pulumi.isSecret(secret.value)).toBe(true);
    const { type, inputs } = made.find(({ name }) => name === "s3")!;
    expect(type).toBe(Secret.__pulumiType);
    expect(plainValue(inputs)).toMatchObject({ keyName: "S3_KEY", value: "canary" });
  });
});
