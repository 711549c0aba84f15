import { hiddenInput } from "../../provider/core/declaration/own-fields";
import { attemptNumbers, automaticId } from "../../provider/lifecycle/memory/identity";
import type { Values } from "../../provider/lifecycle/types";
import { refusal, rejection } from "../rejection";
import { createHarness, type Harness, hiddenOf, type Process } from "./harness";

const name = "accounts/acme/deployments/chat";
const chat = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default", deploymentId: "chat" };
const team = { "custom/team": "search" };
const labelled = { ...chat, annotations: team };
const on = { ownershipMarker: "true" };

const marksOf = (stack: string, resource = "chat"): Values => ({
  "custom/pulumi-stack": `organization/shop/${stack}`,
  "custom/pulumi-urn": `pulumi-nodejs:dynamic/modelplatform:Deployment::${resource}`,
});

/** The same, as a record has it. */
const ownerIn = (stack: string): Values => ({
  stack: `organization/shop/${stack}`,
  urn: "pulumi-nodejs:dynamic/modelplatform:Deployment::chat",
});

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const annotations = (): unknown => at.object(name)?.["annotations"];
const warnings = ({ messages }: Process): string[] => messages.filter((message) => message.startsWith("warning"));
const writes = async (): Promise<string[]> => (await at.requests()).filter((request) => !request.startsWith("GET"));

/** As the adapter records it: with the declaration that the outputs were recorded for. */
const recordedFor = (outputs: Values, stack: string, resource = "chat"): Values => ({
  ...outputs,
  [hiddenInput]: hiddenOf("Deployment", resource, stack),
});

describe("what is written", () => {
  test("nothing, unless the setting asks for it", async () => {
    await at.process().create("Deployment", "chat", labelled);
    expect(annotations()).toEqual(team);
  });

  test("a create carries the marks; outputs, refresh and diff do not show them", async () => {
    const { outputs } = await at.process(on).create("Deployment", "chat", labelled);
    expect(annotations()).toEqual({ ...team, ...marksOf("test") });
    expect(outputs["annotations"]).toEqual(team);
    const read = await at.process(on).read("Deployment", "chat", outputs);
    expect(read).toMatchObject({ outputs: { annotations: team }, inputs: { annotations: team } });
    expect(JSON.stringify(read)).not.toContain("pulumi-stack");
    expect(await at.process(on).diff("Deployment", "chat", read!.outputs, labelled)).toMatchObject({ changes: false });
  });

  test("a create says nothing of fields that the service answers otherwise", async () => {
    const process = at.process(on);
    await process.create("Deployment", "chat", labelled);
    expect(warnings(process)).toEqual([]);
  });

  test("a create refused for its annotations is sent again without marks, and warns", async () => {
    const body = { error: { code: 400, status: "INVALID_ARGUMENT", message: "annotations: this key is not allowed" } };
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 400, body } });
    const process = at.process(on);
    await process.create("Deployment", "chat", labelled);
    expect(annotations()).toEqual(team);
    expect(warnings(process)).toEqual([expect.stringContaining("custom/pulumi-stack")]);
  });

  test("a create that is refused for another reason is sent once", async () => {
    const body = { error: { code: 400, status: "INVALID_ARGUMENT", message: "baseModel: cannot be deployed" } };
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "status", status: 400, body } });
    const process = at.process(on);
    await expect(process.create("Deployment", "chat", labelled)).rejects.toThrow("cannot be deployed");
    expect((await writes()).filter((request) => request.startsWith("POST"))).toHaveLength(1);
    expect(warnings(process)).toEqual([]);
  });

  test("annotations refused with and without the marks are an error, and no warning", async () => {
    const body = { error: { code: 400, status: "INVALID_ARGUMENT", message: "annotations: too long" } };
    await at.fault({
      match: { operation: "createDeployment" },
      fault: { kind: "status", status: 400, body },
      times: 2,
    });
    const process = at.process(on);
    await expect(process.create("Deployment", "chat", labelled)).rejects.toThrow("too long");
    expect(warnings(process)).toEqual([]);
  });

  test("the program's annotations come first where there is no room for both", async () => {
    const full = Object.fromEntries(Array.from({ length: 63 }, (_, index) => [`custom/k${index}`, "v"]));
    const process = at.process(on);
    await process.create("Deployment", "chat", { ...chat, annotations: full });
    expect(annotations()).toEqual(full);
    expect(warnings(process)).toEqual([expect.stringContaining("room")]);
  });

  test("`overwrite` marks an object that already matches, and `ifEqual` writes nothing", async () => {
    await at.process({}, {}, "old").create("Deployment", "chat", chat);
    await at.requests();
    await at.elsewhere(on).create("Deployment", "chat", { ...chat, adopt: "ifEqual" });
    expect(await writes()).toEqual([]);
    await at.elsewhere(on, "other").create("Deployment", "chat", { ...chat, adopt: "overwrite" });
    expect(annotations()).toEqual(marksOf("other"));
  });
});

describe.each([
  ...(["mask", "derive", "populated", "replace"] as const).map((patch) => [patch, "allow"] as const),
  ["mask", "refuse"] as const,
])("updates of a service that patches by %s (annotations in a PATCH: %s)", (patch, annotationsPatch) => {
  beforeEach(async () => {
    await at.close();
    at = await createHarness({ patch, annotationsPatch });
  });

  const update = (config: Record<string, string>, outputs: Values, inputs: Values, stack = "test") =>
    at.process(config, {}, stack).update("Deployment", "chat", outputs, inputs);

  test.each([
    ["changes another field", { ...labelled, maxReplicaCount: 3 }, team],
    ["changes an annotation", { ...chat, annotations: { "custom/team": "ads" } }, { "custom/team": "ads" }],
    ["clears the annotations", { ...chat, annotations: null }, {}],
    ["stops managing them", { ...chat, displayName: "Chat" }, {}],
  ])("keep the marks when the program %s, whatever the setting is then", async (_, inputs, left) => {
    const { outputs } = await at.process(on).create("Deployment", "chat", labelled);
    const after = await update({}, outputs, inputs);
    expect(annotations()).toEqual({ ...left, ...marksOf("test") });
    expect(JSON.stringify(after)).not.toContain("pulumi-stack");
    await update(on, after, inputs);
    expect(annotations()).toEqual({ ...left, ...marksOf("test") });
  });

  test("mark an object that was made before the setting was switched on", async () => {
    const { outputs } = await at.process().create("Deployment", "chat", labelled);
    await update(on, outputs, { ...labelled, maxReplicaCount: 3 });
    expect(annotations()).toEqual({ ...team, ...marksOf("test") });
    expect(at.object(name)).toMatchObject({ maxReplicaCount: 3 });
  });

  test.each([
    ["on", on],
    ["off", {}],
  ])("rewrite the marks of a declaration recorded under another name, with %s", async (_, config) => {
    const { outputs } = await at.process(on, {}, "before").create("Deployment", "chat", labelled);
    const renamed = recordedFor(outputs, "before");
    await update(config, renamed, { ...labelled, maxReplicaCount: 3 });
    expect(annotations()).toEqual({ ...team, ...marksOf("test") });
  });
});

test("an update whose marks the service refuses is made without them, with a warning", async () => {
  await at.close();
  at = await createHarness({ annotationsPatch: "refuse" });
  const { outputs } = await at.process().create("Deployment", "chat", labelled);
  await at.fault({
    match: { operation: "setDeploymentTags" },
    fault: { kind: "status", status: 400, body: { error: { code: 400, message: "tags: this key is not allowed" } } },
    times: 9,
  });
  const process = at.process(on);
  await process.update("Deployment", "chat", outputs, { ...labelled, maxReplicaCount: 3 });
  expect(at.object(name)).toMatchObject({ maxReplicaCount: 3 });
  expect(annotations()).toEqual(team);
  expect(warnings(process)).toEqual([expect.stringContaining("custom/pulumi-stack")]);
});

describe("an object that carries another stack's marks", () => {
  /** As this stack had recorded it when it carried the marks of this one. */
  const recordedHere = (outputs: Values): Values => ({ ...recordedFor(outputs, "test"), marks: ownerIn("test") });

  /** What stack `prod` has made, on another machine. */
  const made = async (inputs: Values = labelled): Promise<Values> =>
    (await at.elsewhere(on, "prod").create("Deployment", "chat", inputs)).outputs;

  test.each(["never", "ifEqual", "overwrite"])(
    "is not taken over with `adopt: %s`, and nothing is written",
    async (adopt) => {
      await made();
      const before = at.object(name);
      await at.requests();
      const { message } = await refusal(
        "another-stacks",
        at.process().create("Deployment", "mine", { ...labelled, adopt }),
      );
      expect(message).toContain("organization/shop/prod");
      expect(message).toContain("Deployment::chat");
      expect(message).toContain("`state delete`");
      expect(at.object(name)).toEqual(before);
      expect((await writes()).filter((request) => !request.startsWith("POST"))).toEqual([]);
    },
  );

  test("leaves no automatic id where others have all of them", async () => {
    const { deploymentId: _, ...automatic } = chat;
    for (const attempt of attemptNumbers())
      await at.put(`accounts/acme/deployments/${automaticId(hiddenOf("Deployment", "it"), "acme", attempt)}`, {
        ...automatic,
        annotations: { "custom/pulumi-stack": "organization/shop/prod", "custom/pulumi-urn": "x" },
      });
    const { message } = await refusal("no-free-id", at.process().create("Deployment", "it", automatic));
    expect(message).toContain("Choose an id with `deploymentId`");
  });

  test("is not updated, and nothing is written", async () => {
    const outputs = await made();
    await at.requests();
    const stale = recordedHere(outputs);
    const { message } = await rejection(
      at.process(on).update("Deployment", "chat", stale, { ...labelled, maxReplicaCount: 3 }),
    );
    expect(message).toContain("organization/shop/prod");
    expect(await writes()).toEqual([]);
  });

  test.each([
    ["deleted", {}],
    ["deleted, protected or not", { deletionProtection: true }],
  ])("is not %s: the error keeps its entry, and says how to give that up", async (_, more) => {
    const outputs = await made();
    await at.requests();
    const error = await rejection(at.process().delete("Deployment", "chat", { ...recordedHere(outputs), ...more }));
    expect(error.message).toMatch(/belongs to another stack.*organization\/shop\/prod.*state delete urn:/s);
    expect(at.live("deployments")).toHaveLength(1);
    expect(await writes()).toEqual([]);
  });

  test("is not deleted for a successor, and what serves from it stays there", async () => {
    const outputs = await made({ ...labelled, deploymentId: undefined });
    const old = String(outputs["name"]);
    const process = at.process();
    const next = { ...labelled, baseModel: "accounts/platform/models/open-70b", deploymentId: "next" };
    await process.diff("Deployment", "chat", recordedHere(outputs), next);
    await process.create("Deployment", "chat", next);
    const error = await rejection(process.delete("Deployment", "chat", recordedHere(outputs)));
    expect(at.object(old)).toMatchObject({ state: "READY" });
    expect(error.message).toContain("organization/shop/prod");
  });

  test("is updated and deleted by the stack that made it, whatever its setting is then", async () => {
    const outputs = await made();
    const process = at.process({}, {}, "prod");
    const after = await process.update("Deployment", "chat", outputs, { ...labelled, maxReplicaCount: 3 });
    await at.process({}, {}, "prod").delete("Deployment", "chat", after);
    expect(at.live("deployments")).toEqual([]);
  });

  test("is deleted by a stack that recorded it under its older name", async () => {
    const outputs = await made();
    await at.process().delete("Deployment", "chat", recordedFor(outputs, "prod"));
    expect(at.live("deployments")).toEqual([]);
  });

  test("is free once the marks are gone", async () => {
    await made();
    await at.put(name, { ...at.object(name), annotations: team });
    await at.process(on).create("Deployment", "mine", { ...labelled, adopt: "overwrite" });
    expect(annotations()).toEqual({ ...team, ...marksOf("test", "mine") });
  });

  test.each(["hardDelete", "undelete"])(
    "is neither removed for good nor brought back by `%s` once it is deleted",
    async (mode) => {
      const outputs = await made({ ...labelled, deletionMode: "soft" });
      await at.elsewhere(on, "prod").delete("Deployment", "chat", outputs);
      expect(at.object(name)).toMatchObject({ state: "DELETED" });
      const { message } = await rejection(
        at.process().create("Deployment", "mine", { ...labelled, onSoftDeletedConflict: mode }),
      );
      expect(message).toContain("organization/shop/prod");
      expect(at.object(name)).toMatchObject({ state: "DELETED" });
    },
  );
});

describe("an object that carries the marks of its stack's former name", () => {
  const made = async (): Promise<Values> =>
    (await at.elsewhere(on, "before").create("Deployment", "chat", labelled)).outputs;

  test("is deleted where the record lists them", async () => {
    await at.process(on).delete("Deployment", "chat", await made());
    expect(at.live("deployments")).toEqual([]);
  });

  test("is deleted where a refresh under that name has listed them", async () => {
    const { marks: _, ...unlisted } = await made();
    const read = await at.process({}, {}, "before").read("Deployment", "chat", unlisted);
    expect(read!.outputs["marks"]).toEqual(ownerIn("before"));
    await at.process(on).delete("Deployment", "chat", read!.outputs);
    expect(at.live("deployments")).toEqual([]);
  });

  test("is deleted and named where its record lists none", async () => {
    const { marks: _, ...unlisted } = await made();
    const process = at.process(on);
    await process.delete("Deployment", "chat", unlisted);
    expect(at.live("deployments")).toEqual([]);
    expect(process.messages.join()).toContain("organization/shop/before");
  });

  test("is not deleted as another resource by a record that lists none", async () => {
    const { marks: _, ...unlisted } = await made();
    const error = await rejection(at.process(on).delete("Deployment", "other", unlisted));
    expect(error.message).toContain("organization/shop/before");
    expect(at.live("deployments")).toHaveLength(1);
  });

  test("and of another stack since is no longer listed as this one's by a refresh", async () => {
    const outputs = await made();
    await at.put(name, { ...at.object(name), annotations: marksOf("prod") });
    const read = await at.process({}, {}, "before").read("Deployment", "chat", outputs);
    expect(read!.outputs["marks"]).toEqual(ownerIn("before"));
  });
});

describe("a create whose answer is lost", () => {
  test("is recognised by its marks, also where the object no longer shows what was sent", async () => {
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "resetAfterCommit" } });
    await at.fault({ match: { operation: "getDeployment" }, fault: { kind: "reset" }, times: 99 });
    await rejection(at.process(on).create("Deployment", "chat", labelled));
    await at.clearFaults();
    await at.change(name, { annotations: { ...marksOf("test"), "custom/team": "SEARCH" } });
    const { id } = await at.process(on).create("Deployment", "chat", { ...labelled, maxReplicaCount: 2 });
    expect(id).toBe(name);
    expect(annotations()).toEqual({ ...team, ...marksOf("test") });
  });

  test("is not confused with what another stack has made of the same inputs meanwhile", async () => {
    await at.fault({ match: { operation: "createDeployment" }, fault: { kind: "reset" }, times: 99 });
    await rejection(at.process(on).create("Deployment", "chat", labelled));
    await at.clearFaults();
    await at.clock.sleep(5_000);
    await at.elsewhere(on, "prod").create("Deployment", "chat", labelled);
    const { message } = await rejection(at.process(on).create("Deployment", "chat", labelled));
    expect(message).toContain("organization/shop/prod");
    expect(annotations()).toEqual({ ...team, ...marksOf("prod") });
  });
});
