import { createHook } from "node:async_hooks";
import { spawnSync } from "node:child_process";
import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { outputFields } from "../../provider/core/declaration/surface";
import { Deployment, User } from "../../provider/index";
import { valueOf } from "../../provider/pulumi/outputs-on-demand";
import { specOf } from "../../provider/resources/index";
import { repository } from "../e2e/engines";
import { nightly } from "../nightly";

const baseModel = "accounts/platform/models/open-8b";

/** What the SDK's types leave out of an output. */
interface Whole {
  isKnown: Promise<boolean>;
  isSecret: Promise<boolean>;
  allResources(): Promise<Set<pulumi.Resource>>;
  promise(): Promise<unknown>;
}

async function insightOf(output: pulumi.Output<unknown>, of: pulumi.Resource): Promise<unknown> {
  const whole = output as unknown as Whole;
  const dependsOn = [...(await whole.allResources())];
  return [await whole.promise(), await whole.isKnown, await whole.isSecret, dependsOn.every((one) => one === of)];
}

const waitForAnswers = (): Promise<void> =>
  (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();

type Answer = (inputs: pulumi.runtime.MockResourceArgs) => Promise<{ id: string; state: object }>;

const echo: Answer = async ({ name, inputs }) => ({
  id: `accounts/acme/users/${name}`,
  state: { ...inputs, displayName: "Ada", createTime: "2026-01-01T00:00:00Z" },
});

const answerWith = (newResource: Answer): Promise<void> => pulumi.runtime.setMocks({ newResource, call: () => ({}) });

/** Promises that are made while `work` runs. */
function promisesOf(work: () => unknown): number {
  let made = 0;
  const hook = createHook({ init: (_, type) => void (made += type === "PROMISE" ? 1 : 0) }).enable();
  work();
  hook.disable();
  return made;
}

beforeEach(() => answerWith(echo));
afterEach(waitForAnswers);

const outputsOf = (kind: string): number => outputFields(specOf(kind)!).length;

test("outputs that nobody looks at take no promise", () => {
  const few = promisesOf(() => new User("few", { email: "ada@example.com" }));
  const many = promisesOf(() => new Deployment("many", { baseModel }));
  expect(many - few).toBeLessThan(outputsOf("Deployment") - outputsOf("User"));
});

test.each([
  ["MODELPLATFORM_PROMISE_STACKS", "true", true],
  ["MODELPLATFORM_PROMISE_STACKS", "1", true],
  ["MODELPLATFORM_PROMISE_STACKS", "false", false],
  ["MODELPLATFORM_PROMISE_STACKS", "", false],
  ["PULUMI_DEBUG_PROMISE_LEAKS", "1", true],
])("with %s=%j the SDK makes all promises of all outputs: %j", (variable, value, isLeft) => {
  process.env[variable] = value;
  try {
    const made = promisesOf(() => new Deployment("left", { baseModel }));
    expect(made > 10 * outputsOf("Deployment")).toBe(isLeft);
  } finally {
    delete process.env[variable];
  }
});

test.each(["before", "after"])(
  "an output read %s the answer has the engine's value, mark and resource",
  async (when) => {
    const user = new User("ada", { email: pulumi.secret("ada@example.com") });
    if (when === "after") await waitForAnswers();
    const { email, displayName, permissionPreset } = user;
    await expect(insightOf(email, user)).resolves.toEqual(["ada@example.com", true, true, true]);
    await expect(insightOf(displayName, user)).resolves.toEqual(["Ada", true, false, true]);
    await expect(insightOf(permissionPreset, user)).resolves.toEqual([undefined, true, false, true]);
  },
);

test("an output stays the same one, looked at or not, and looks as the SDK's does", async () => {
  const user = new User("ada", { email: "ada@example.com" });
  const { email } = user;
  expect(pulumi.Output.isInstance(email)).toBe(true);
  expect(inspect(email)).toMatch(/^OutputImpl \{/);
  expect(Object.keys(email)).toEqual(Object.keys(pulumi.output("")));
  expect(user.email).toBe(email);
  expect(Object.keys(user)).toEqual(expect.arrayContaining(["email", "displayName", "managedFields"]));
});

test.each(["before", "after"])("a value is asked for %s the answer, and its output is not made", async (when) => {
  const { email } = new User("ada", { email: "ada@example.com" });
  if (when === "after") await waitForAnswers();
  await expect(valueOf(email)).resolves.toBe("ada@example.com");
  expect(promisesOf(() => Object.keys(email))).toBeGreaterThan(0);
  await expect(valueOf(email)).resolves.toBe("ada@example.com");
  await expect(valueOf(pulumi.output("of another"))).resolves.toBe("of another");
});

test("a member of an output is an output of the member", async () => {
  const { timeouts } = new User("ada", { email: "ada@example.com", timeouts: { create: "3m" } });
  const { create } = timeouts as unknown as { create: pulumi.Output<string> };
  await expect((create as unknown as Whole).promise()).resolves.toBe("3m");
});

test("other classes have their outputs at once, in a transformation, too", () => {
  class Other extends pulumi.CustomResource {
    declare readonly size: pulumi.Output<number>;
  }
  const others: Other[] = [];
  const makeOther = () => void others.push(new Other("test:index:Other", `other-${others.length}`, { size: 1 }));
  makeOther();
  const user = new User("ada", { email: "ada@example.com" }, { transformations: [makeOther] });
  const made = [others[0]!.size, others[1]!.size, user.email].map((output) => promisesOf(() => Object.keys(output)));
  expect(made.map((count) => count > 0)).toEqual([false, false, true]);
});

/** Runs in a process of its own, and returns what `main` does: failed promises would end that of the tests. */
function returnedBy(main: string): unknown {
  const program = `
    const pulumi = require("@pulumi/pulumi");
    const { User } = require(process.cwd());
    const { valueOf } = require("./dist/provider/pulumi/outputs-on-demand.js");
    const newResource = ({ name, inputs }) => {
      if (name === "failing") throw new Error("no such role");
      return { id: "accounts/acme/users/" + name, state: inputs };
    };
    const reasons = new Set();
    process.on("unhandledRejection", (reason) => reasons.add(reason.message));
    pulumi.runtime.setMocks({ newResource, call: () => ({}) }).then(${main}).then((returned) =>
      process.on("exit", () => console.log(JSON.stringify({ returned, reasons: [...reasons] }))));
  `;
  const { stdout } = spawnSync(process.execPath, ["-e", program], { cwd: repository, encoding: "utf8" });
  return JSON.parse(stdout);
}

test("a failed registration fails its outputs, before and after", () => {
  const returned = returnedBy(`async () => {
    const failing = new User("failing", { email: "eve@example.com" });
    const asked = valueOf(failing.displayName).catch((error) => error);
    const early = failing.email.promise().catch((error) => error);
    const urn = await failing.urn.promise().catch((error) => error);
    const late = await failing.role.promise().catch((error) => error);
    return [await asked, await early, late].map((error) => error === urn);
  }`);
  expect(returned).toEqual({ returned: [true, true, true], reasons: [expect.stringContaining("no such role")] });
});

nightly("the SDK loads a compiler to serialize a function", () => {
  test("a function that the SDK serializes captures the value of an output", () => {
    const returned = returnedBy(`async () => {
      const { email } = new User("ada", { email: "ada@example.com" });
      const { text } = await pulumi.runtime.serializeFunction(() => email.get());
      return text.includes("ada@example.com");
    }`);
    expect(returned).toEqual({ returned: true, reasons: [] });
  });
});
