import { refusal, rejection } from "../rejection";
import type { Values } from "../values";
import { createHarness, type Harness, type Process } from "./harness";

const model = "accounts/platform/models/open-8b";
const job = { baseModel: model, dataset: "accounts/acme/datasets/tickets", epochs: 2, loraRank: 64 };
const chat = { baseModel: model, maxReplicaCount: 9, displayName: "Chat", acceptShapelessRisk: true };
const versioned = { ...chat, baseModel: `${model}@v1` };
const permissions = {
  allowServerless: true,
  allowDedicatedDeployments: false,
  allowTraining: false,
  allowServerlessFast: false,
};
const rule = { model: `${model}@v1`, permissions };
const ada = { email: "ada@example.com", role: "contributor", displayName: "Ada" };

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const writes = async (): Promise<string[]> => (await at.requests()).filter((request) => !request.startsWith("GET"));
const warnings = ({ messages }: Process): string[] => messages.filter((text) => /keeps another value/.test(text));
const answer = (change: (object: Values) => Values): void =>
  void (at.replica.form = (object) => ({ ...object, ...change(object) }));

/** What an engine does that finds the program unchanged, with and without a refresh: what each `up` plans. */
async function ups(kind: string, outputs: Values, inputs: Values): Promise<unknown[]> {
  const planned: unknown[] = [];
  let recorded = outputs;
  for (const refreshes of [false, true, false, true, false]) {
    const process = at.process();
    if (refreshes) {
      const read = await process.read(kind, "it", recorded);
      recorded = read!.outputs;
      expect(read!.inputs).toMatchObject(inputs);
    }
    const { changes, replaces } = await process.diff(kind, "it", recorded, inputs);
    planned.push(changes === true ? ["changes", ...replaces] : "same");
    expect(warnings(process)).toEqual([]);
  }
  return planned;
}

const same = ["same", "same", "same", "same", "same"];

const forms: [what: string, kind: string, inputs: Values, form: (object: Values) => Values, told: string[]][] = [
  ["a base model with its version", "Deployment", chat, () => ({ baseModel: `${model}@v1` }), []],
  [
    "a dataset with its version",
    "SupervisedFineTuningJob",
    job,
    ({ dataset }) => ({ dataset: `${String(dataset)}/versions/1` }),
    [],
  ],
  [
    "a base model without its version",
    "Deployment",
    versioned,
    () => ({ baseModel: model }),
    [`\`baseModel\` is "${model}" and not "${model}@v1"`],
  ],
  ["a capped number", "SupervisedFineTuningJob", job, () => ({ loraRank: 32 }), ["`loraRank` is 32 and not 64"]],
  [
    "a capped number that can change",
    "Deployment",
    chat,
    () => ({ maxReplicaCount: 4 }),
    ["`maxReplicaCount` is 4 and not 9"],
  ],
  ["a text that is cut", "Deployment", chat, () => ({ displayName: "Ch" }), ["`displayName` is another value"]],
  [
    "a field that is never answered",
    "Deployment",
    chat,
    () => ({ displayName: undefined }),
    ["`displayName` is unset"],
  ],
  [
    "a model that the service keeps elsewhere",
    "Deployment",
    chat,
    () => ({ baseModel: "accounts/platform/models/open-8b-2026" }),
    ['`baseModel` is "accounts/platform/models/open-8b-2026" and not "accounts/platform/models/open-8b"'],
  ],
];

test.each(forms)("an own write stands that is answered with %s", async (_, kind, inputs, form, told) => {
  answer(form);
  const process = at.process();
  const { id, outputs } = await process.create(kind, "it", inputs);
  expect(warnings(process)).toEqual(told.map((text) => expect.stringContaining(text)));
  await writes();
  expect(await ups(kind, outputs, inputs)).toEqual(same);
  expect(await writes()).toEqual([]);
  expect(at.object(id)).toBeDefined();
});

test("what stands is no longer so once the service answers something else", async () => {
  answer(() => ({ loraRank: 32 }));
  const kind = "SupervisedFineTuningJob";
  const { outputs } = await at.process().create(kind, "it", job);
  answer(() => ({ loraRank: 16 }));
  const read = await at.process().read(kind, "it", outputs);
  expect(read!.inputs).toMatchObject({ loraRank: 16 });
  expect(await at.process().diff(kind, "it", read!.outputs, job)).toMatchObject({ replaces: ["loraRank"] });
});

test("what stands is no longer so once the program says something else", async () => {
  answer(() => ({ loraRank: 32 }));
  const kind = "SupervisedFineTuningJob";
  const { outputs } = await at.process().create(kind, "it", job);
  const diff = await at.process().diff(kind, "it", outputs, { ...job, loraRank: 128 });
  expect(diff).toMatchObject({ replaces: ["loraRank"] });
});

test("an update leaves alone what stands, and what it makes itself stands", async () => {
  answer(({ maxReplicaCount }) => ({
    baseModel: "accounts/platform/models/other",
    maxReplicaCount: Number(maxReplicaCount) - 1,
  }));
  const { outputs } = await at.process().create("Deployment", "it", chat);
  const edited = { ...chat, maxReplicaCount: 12 };
  const process = at.process();
  const updated = await process.update("Deployment", "it", outputs, edited);
  expect(warnings(process)).toEqual([expect.stringContaining("`maxReplicaCount` is 11 and not 12.")]);
  await writes();
  expect(await ups("Deployment", updated, edited)).toEqual(same);
  expect(await writes()).toEqual([]);
});

test("an update that is answered with the old value is an error each time (A033)", async () => {
  const { outputs } = await at.process().create("Deployment", "it", chat);
  answer(() => ({ displayName: "Chat" }));
  const edited = { ...chat, displayName: "Chat for support" };
  for (const _ of [1, 2]) {
    const error = await rejection(at.process().update("Deployment", "it", outputs, edited));
    expect(String(error)).toContain("did not apply it: `displayName` is unchanged");
    const recorded = (error as { outputs?: Values }).outputs ?? outputs;
    expect(await at.process().diff("Deployment", "it", recorded, edited)).not.toMatchObject({ changes: false });
  }
});

test("a value that the service forces is named, for the program to declare", async () => {
  const { outputs } = await at.process().create("Deployment", "it", chat);
  answer(() => ({ maxReplicaCount: chat.maxReplicaCount }));
  const error = await rejection(at.process().update("Deployment", "it", outputs, { ...chat, maxReplicaCount: 12 }));
  const kept = `\`maxReplicaCount: ${chat.maxReplicaCount}\``;
  expect(String(error)).toContain(`did not apply it: \`maxReplicaCount\` is still ${chat.maxReplicaCount}`);
  expect(String(error)).toContain(`Declare what the service keeps, ${kept}; or set `);
  expect(await ups("Deployment", outputs, chat)).toEqual(same);
});

test("an update that fails keeps what stood before it", async () => {
  answer(() => ({ baseModel: "accounts/platform/models/other" }));
  const { outputs } = await at.process().create("Deployment", "it", chat);
  answer(() => ({ baseModel: "accounts/platform/models/other", displayName: "Chat" }));
  const edited = { ...chat, displayName: "Chat for support" };
  const error = await rejection(at.process().update("Deployment", "it", outputs, edited));
  const { outputs: left } = error as unknown as { outputs: Values };
  expect((await at.process().diff("Deployment", "it", left, chat)).replaces).toEqual([]);
});

test("a role that is not the one that was sent is an error each time (A049)", async () => {
  answer(() => ({ role: "admin" }));
  const error = await refusal("update-altered", at.process().create("User", "it", ada));
  expect(String(error)).toContain('`role` is "admin" and not "contributor"');
  const { outputs } = error as unknown as { outputs: Values };
  expect(outputs).toMatchObject({ role: "admin" });
  await expect(at.process().update("User", "it", outputs, ada)).rejects.toThrow(/`role`/);
});

test("a rule answered without its version covers more: an error each time (A049)", async () => {
  answer(() => ({ rules: [{ ...rule, model }] }));
  const error = await refusal("update-altered", at.process().create("PolicySettings", "it", { rules: [rule] }));
  expect(String(error)).toContain(`rules["${model}"]`);
  const { outputs } = error as unknown as { outputs: Values };
  await expect(at.process().update("PolicySettings", "it", outputs, { rules: [rule] })).rejects.toThrow(model);
  const unversioned = { rules: [{ ...rule, model }] };
  expect(await ups("PolicySettings", outputs, unversioned)).toEqual(same);
});

test("settings with a member that differs at each read are set in two reads (A048)", async () => {
  let reads = 0;
  answer(() => ({ etag: String((reads += 1)) }));
  const began = at.clock.now();
  const { outputs } = await at.process().create("PolicySettings", "it", { residency: "EUROPE" });
  expect(outputs).toMatchObject({ residency: "EUROPE" });
  expect(at.clock.now() - began).toBeLessThan(10_000);
});

test("a user without a state is there after three looks (A090)", async () => {
  at.replica.form = ({ state: _, ...object }) => object;
  const began = at.clock.now();
  const { outputs } = await at.process().create("User", "it", ada);
  expect(at.clock.now() - began).toBeLessThan(30_000);
  expect(await ups("User", outputs, ada)).toEqual(same);
});

test.each([
  ["another Unicode form", "Zoë".normalize("NFC"), "Zoë".normalize("NFD")],
  ["other line ends", "one\ntwo", "one\r\ntwo"],
  ["no blanks at the ends", "one \ntwo \n", "one\ntwo"],
])("a text that is kept with %s is the same text", async (_, displayName, kept) => {
  answer((object) => (object["displayName"] === undefined ? {} : { displayName: kept }));
  const process = at.process();
  const inputs = { ...ada, displayName };
  const { outputs } = await process.create("User", "it", inputs);
  expect(warnings(process)).toEqual([]);
  await writes();
  expect(await ups("User", outputs, inputs)).toEqual(same);
  const edited = { ...inputs, role: "user" };
  await at.process().update("User", "it", outputs, edited);
  expect((await writes()).length).toBe(1);
});

test("keys that are answered masked stand for those that were sent", async () => {
  const keyed = { ...chat, directRouteType: "INTERNET", directRouteApiKeys: ["route-key-1"] };
  answer((object) => (object["directRouteApiKeys"] === undefined ? {} : { directRouteApiKeys: ["rou***"] }));
  const first = at.process();
  const { id, outputs } = await first.create("Deployment", "it", keyed);
  expect(first.messages.join("\n")).toContain("`directRouteApiKeys` is another value");
  await writes();
  expect(await ups("Deployment", outputs, keyed)).toEqual(same);
  expect(await writes()).toEqual([]);

  const edited = { ...keyed, displayName: "Chat for support" };
  const renamed = await at.process().update("Deployment", "it", outputs, edited);
  const keyless = { ...edited, directRouteApiKeys: ["route-key-2"] };
  expect(await at.process().diff("Deployment", "it", renamed, keyless)).not.toMatchObject({ changes: false });
  const last = at.process();
  const changed = await last.update("Deployment", "it", renamed, keyless);
  expect(at.object(id)).toMatchObject({ displayName: "Chat for support", directRouteApiKeys: ["route-key-2"] });
  await writes();
  expect(await ups("Deployment", changed, keyless)).toEqual(same);
  expect(await writes()).toEqual([]);
  expect([...first.messages, ...last.messages].join("\n")).not.toMatch(/route-key|rou\*/);

  answer(() => ({ directRouteApiKeys: ["els***"] }));
  const read = await at.process().read("Deployment", "it", changed);
  expect(read!.inputs["directRouteApiKeys"]).toEqual(["els***"]);
});

test.each<[kind: string, inputs: Values]>([
  ["Deployment", chat],
  ["Deployment", { ...chat, deploymentId: "chat" }],
  ["User", ada],
  ["Secret", { keyName: "STORAGE_KEY", value: "hunter2" }],
  ["SupervisedFineTuningJob", job],
])("a create of a %s that is answered with nothing is read back, once (%#)", async (kind, inputs) => {
  let creates = 0;
  at.replica.form = (object) => ((creates += 1) === 1 ? {} : object);
  const { id } = await at.process().create(kind, "it", inputs);
  expect(at.object(id)).toBeDefined();
  expect(await writes()).toHaveLength(1);
});
