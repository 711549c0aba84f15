import { declare, type Split } from "../../../drift/codify/declarations";
import { type ListedObject, select } from "../../../drift/codify/live-objects";
import { Code, Reference } from "../../../drift/codify/printer";
import { programFiles } from "../../../drift/codify/program-text";
import { managedSpecs, specOf } from "../../../provider/resources/index";

type Values = Record<string, unknown>;

const live = (kind: string, name: string, fields: Values = {}): ListedObject => ({
  spec: specOf(kind)!,
  account: name.split("/")[1]!,
  name,
  fields: { name, ...fields },
});
const user = (id: string, account = "acme"): ListedObject =>
  live("User", `accounts/${account}/users/${id}`, { role: "admin", email: `${id}@example.com` });
const deployment = (id: string, fields: Values = {}, account = "acme"): ListedObject =>
  live("Deployment", `accounts/${account}/deployments/${id}`, {
    baseModel: "accounts/platform/models/open-8b",
    state: "READY",
    ...fields,
  });
const model = (id: string, fields: Values = {}): ListedObject =>
  live("Model", `accounts/acme/models/${id}`, {
    kind: "HUB_BASE_MODEL",
    baseModelDetails: { moe: true },
    state: "READY",
    ...fields,
  });
const job = (id: string, fields: Values = {}): ListedObject =>
  live("SupervisedFineTuningJob", `accounts/acme/supervisedFineTuningJobs/${id}`, {
    dataset: "d",
    baseModel: "m",
    state: "JOB_STATE_RUNNING",
    ...fields,
  });
const trainer = (id: string, fields: Values = {}): ListedObject =>
  live("RlorTrainerJob", `accounts/acme/rlorTrainerJobs/${id}`, {
    dataset: "d",
    trainingConfig: { baseModel: "m" },
    state: "JOB_STATE_RUNNING",
    ...fields,
  });
const loaded = (id: string, fields: Values): ListedObject =>
  live("DeployedModel", `accounts/acme/deployedModels/${id}`, { state: "DEPLOYED", ...fields });

const names = (objects: readonly ListedObject[]) =>
  declare(objects, "none").declarations.map(({ object, variable, logicalName }) => [
    object.name.split("/").slice(2).join("/"),
    variable,
    logicalName,
  ]);

const program = (objects: readonly ListedObject[], split: Split = "none", providers: [string, string][] = []) =>
  programFiles(declare(objects, split).declarations, { mode: "adopt", providers: new Map(providers) });

test.each(managedSpecs.map((spec) => [spec.kind, spec] as const))(
  "a value of a wrong type in a %s leaves that object out, and declares the others",
  (kind, spec) => {
    for (const { name: field } of spec.fields.message)
      for (const value of [[1], [null], [[1]], { a: 1 }, { a: [1] }, { a: null }, "x", 1, true]) {
        const odd = live(kind, `accounts/acme/${spec.collection}/odd`, { [field]: value });
        expect(declare([odd, user("ada")], "none").declarations.map(({ object }) => object.name)).toContain(
          "accounts/acme/users/ada",
        );
      }
  },
);

test("a role that is a list leaves its user out, with the reason", () => {
  const { leftOut } = declare([live("User", "accounts/acme/users/odd", { role: [1], email: "o@example.com" })], "none");
  expect(leftOut).toMatchObject([{ name: "accounts/acme/users/odd", reason: expect.stringContaining("`role`") }]);
});

test("names come from ids, and are valid and unique whatever the ids", () => {
  const found = names([
    user("class"),
    user("Ada.Lovelace"),
    user("8b"),
    user("ünï"),
    user("chat"),
    deployment("chat"),
    user("日本"),
    user("pulumi"),
    user("config"),
  ]);
  const variables = found.map(([, variable]) => variable!);
  expect(new Set(variables).size).toBe(variables.length);
  for (const variable of variables) {
    expect(variable).toMatch(/^[a-z][A-Za-z0-9]*$/);
    expect(["class", "pulumi", "config"]).not.toContain(variable);
  }
  const of = Object.fromEntries(found.map(([name, variable, logical]) => [name, [variable, logical]]));
  expect(of["users/Ada.Lovelace"]).toEqual(["adaLovelace", "Ada.Lovelace"]);
  expect(of["users/class"]).toEqual(["classUser", "class"]);
  expect(of["deployments/chat"]).toEqual(["chat", "chat"]);
  expect(of["users/chat"]).toEqual(["chatUser", "chat"]);
});

test("the same id in two accounts has two names in the stack", () => {
  expect(names([user("ada"), user("ada", "beta")]).map(([, , logical]) => logical)).toEqual(["ada", "beta-ada"]);
});

test("an object with an id of the service's is called by what it is made of", () => {
  const [chat, tuned] = [deployment("chat"), model("tuned")];
  expect(names([chat, tuned, loaded("x-1a2b3c", { model: tuned.name, deployment: chat.name })]).at(-1)).toEqual([
    "deployedModels/x-1a2b3c",
    "tunedChat",
    "tuned-chat",
  ]);
});

test("references go to what is declared, and stand after it", () => {
  const [chat, tuned] = [deployment("chat", { baseModel: "accounts/acme/models/tuned" }), model("tuned")];
  const { declarations } = declare([loaded("one", { model: tuned.name, deployment: chat.name }), chat, tuned], "none");
  expect(declarations.map(({ object }) => object.spec.kind)).toEqual(["Model", "Deployment", "DeployedModel"]);
  expect(declarations[2]!.inputs).toEqual({
    model: new Reference("tuned", "name"),
    deployment: new Reference("chat", "name"),
  });
});

test("what a job makes is referred to by the job, whose own name for it stays a text", () => {
  const run = job("run", { outputModel: "tuned" });
  const { declarations } = declare([deployment("chat", { baseModel: "accounts/acme/models/tuned" }), run], "none");
  expect(declarations.map(({ inputs }) => inputs["outputModel"] ?? inputs["baseModel"])).toEqual([
    "tuned",
    new Reference("run", "outputModelName"),
  ]);
});

test("two objects that refer to each other keep one of the references as a text", () => {
  const objects = [
    deployment("chat", { hotLoadTrainerJob: "accounts/acme/rlorTrainerJobs/trainer" }),
    trainer("trainer", { rolloutDeploymentName: "accounts/acme/deployments/chat" }),
  ];
  for (const split of ["none", "account", "collection"] as const) {
    const { declarations } = declare(objects, split);
    expect(
      declarations
        .flatMap(({ inputs }) => [inputs["hotLoadTrainerJob"], inputs["rolloutDeploymentName"]])
        .filter((value) => value instanceof Code),
    ).toHaveLength(1);
  }
});

test("files import each other in one direction only", () => {
  const objects = [
    deployment("a", { hotLoadTrainerJob: "accounts/acme/rlorTrainerJobs/one" }),
    deployment("b"),
    trainer("one"),
    trainer("two", { rolloutDeploymentName: "accounts/acme/deployments/b" }),
  ];
  const files = program(objects, "collection");
  const imports = (file: string): boolean => /from ".\/(deployments|rlorTrainerJobs)"/.test(files[file]!);
  expect([imports("deployments.ts"), imports("rlorTrainerJobs.ts")].filter(Boolean)).toHaveLength(1);
  expect(files["index.ts"]).toContain('import "./deployments";\n');
});

test("each account has a provider where there are several", () => {
  const files = program([user("ada"), user("ada", "index")], "account", [
    ["acme", "acme"],
    ["index", "index"],
  ]);
  expect(files["providers.ts"]).toContain('export const acme = new Provider("acme", { accountId: "acme" });');
  expect(files["acme.ts"]).toContain("{ provider: acme });");
  expect(files["index-account.ts"]).toContain("{ provider: index });");
  expect(files["index.ts"]).toContain('import "./index-account";');
});

test("the same objects make the same program, in whatever order they come", () => {
  const objects = [user("b"), user("a"), deployment("chat"), model("m"), job("run")];
  expect(program([...objects].reverse())).toEqual(program(objects));
});

test("what no program can declare is left out with the reason", () => {
  const { declarations, leftOut } = declare(
    [model("plain", { kind: "HUB_PEFT_ADDON", baseModelDetails: undefined })],
    "none",
  );
  expect(declarations).toEqual([]);
  expect(leftOut).toEqual([
    { name: "accounts/acme/models/plain", kind: "Model", reason: expect.stringContaining("`peftDetails`") },
  ]);
});

const reasonsOf = (objects: readonly ListedObject[], options = {}) =>
  Object.fromEntries(
    select(objects, { specs: managedSpecs, ...options }).leftOut.map(({ name, reason }) => [
      name.split("/").at(-1),
      reason,
    ]),
  );

test("left out is what is managed, gone, failed or over, or made by another object", () => {
  const objects = [
    user("managed"),
    deployment("gone", { state: "DELETED" }),
    deployment("failed", { state: "FAILED" }),
    job("over", { state: "JOB_STATE_COMPLETED" }),
    job("running"),
    model("running", { fineTuningJob: "accounts/acme/supervisedFineTuningJobs/running" }),
    model("over", { fineTuningJob: "accounts/acme/supervisedFineTuningJobs/over" }),
    deployment("chat", { baseModel: "accounts/acme/models/base" }),
    loaded("auto", { model: "accounts/acme/models/base", deployment: "accounts/acme/deployments/chat" }),
    loaded("other", { model: "accounts/acme/models/over", deployment: "accounts/acme/deployments/chat" }),
  ];
  const managed = [{ spec: specOf("User")!, name: "accounts/acme/users/managed", outputs: {} }];
  expect(Object.keys(reasonsOf(objects, { managed })).sort()).toEqual([
    "auto",
    "failed",
    "gone",
    "managed",
    "over",
    "running",
  ]);
  expect(reasonsOf(objects, { managed, finishedJobs: true })).toMatchObject({
    running: expect.stringContaining("comes and goes"),
    over: expect.stringContaining("comes and goes"),
  });
  expect(Object.keys(reasonsOf(objects, { named: true })).sort()).toEqual(["failed", "gone"]);
});

test("where there is nothing, the program says so, and compiles", () => {
  expect(program([])).toEqual({
    "index.ts": "// Written by `npx pulumi-modelplatform codify`: there is nothing to declare.\nexport {};\n",
  });
});
