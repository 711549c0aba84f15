import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CliContext } from "../../cli/command/context";
import { openBackend } from "../../engine/state/backend";
import { journalIn } from "../../provider/lifecycle/memory/journal-files";
import { type ServedProject, serveProject } from "./served-project";
import { modelplatform } from "./terminal";

/** What an interrupted create has made and no program declares any longer, said by the command that ends its trace. */

const name = "accounts/acme/deployments/chat";
const look = "npx pulumi-modelplatform call getDeployment --account acme --deployment-id chat";
const removal = "npx pulumi-modelplatform call deleteDeployment --account acme --deployment-id chat";

let served: ServedProject;
let env: ServedProject["env"];
let cwd: string;
let control: ServedProject["control"];

beforeEach(async () => {
  served = await serveProject("dev");
  ({ cwd, env, control } = served);
  await control("POST", "seed", { objects: { [name]: { state: "READY" } } });
});
afterEach(() => served.close());

/** A create of the stack whose run was killed. */
const begin = (
  stack: string,
  kind = "Deployment",
  place: { name?: string } = { name },
  { project: owner = "shop", origin = "loopback" } = {},
): Promise<void> =>
  journalIn(join(cwd, "intents"), Date.now).append({
    fact: "sent",
    id: place.name ?? "1",
    kind,
    urn: `urn:pulumi:${stack}::${owner}::pulumi-nodejs:dynamic/modelplatform:${kind}::chat`,
    origin,
    account: "acme",
    at: Date.now(),
    place,
    digest: "d",
  });

/** The service has refused that create, because something has its name. */
const refuse = (stack: string, id = name): Promise<void> =>
  journalIn(join(cwd, "intents"), Date.now).append({
    fact: "void",
    id,
    refused: true,
    kind: "Deployment",
    urn: `urn:pulumi:${stack}::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat`,
    origin: "loopback",
    account: "acme",
    at: Date.now(),
  });

/** The stack has had the object. */
const hold = (urn: string): Promise<void> =>
  journalIn(join(cwd, "intents"), Date.now).append({
    fact: "held",
    kind: "Deployment",
    urn,
    origin: "loopback",
    account: "acme",
    at: Date.now(),
    object: { name, createTime: "2026-01-01T00:00:00Z" },
  });

const engine: CliContext["loadEngine"] = async () => async () =>
  ({ result: "succeeded", changes: {} }) as Awaited<ReturnType<Awaited<ReturnType<CliContext["loadEngine"]>>>>;

const [up, destroy, remove] = [
  "up --stack dev --yes --skip-preview",
  "destroy --stack dev --yes --skip-preview",
  "stack rm dev --yes",
];
const commands = [up, destroy, remove, "refresh --stack dev --yes --skip-preview"];

const setState = (state: string): Promise<unknown> => control("PATCH", `objects/${name}`, { state });

test.each(commands)("`%s` names it, and gives no command that deletes what may serve", async (line) => {
  await begin("dev");
  const { code, stderr } = await modelplatform(line, { cwd, env, engine });
  expect(code).toBe(0);
  expect(stderr).toContain(`Deployment ${name} was created as chat by an interrupted run, and no state holds it`);
  expect(stderr).toContain(`It may be in use: look at it with \`${look}\``);
  expect(stderr).not.toContain(removal);
});

test.each(commands)("`%s` names what has failed, with the command that removes it", async (line) => {
  await setState("FAILED");
  await begin("dev");
  const { code, stderr } = await modelplatform(line, { cwd, env, engine });
  expect(code).toBe(0);
  expect(stderr).toContain(`Deployment ${name} was created as chat by an interrupted run, and no state holds it`);
  expect(stderr).toContain(removal);
});

test.each(commands)("`%s` names what a create was refused because of, and deletes nothing", async (line) => {
  await setState("FAILED");
  await begin("dev");
  await refuse("dev");
  const { code, stderr } = await modelplatform(line, { cwd, env, engine });
  expect(code).toBe(0);
  expect(stderr).toContain(
    `Deployment ${name} may be of chat: its create was refused because of it, and no state holds it`,
  );
  expect(stderr).toContain(`look at it with \`${look}\``);
  expect(stderr).not.toContain(removal);
});

test.each(commands)("`%s` does not claim that a create whose answer was lost has made an object", async (line) => {
  await begin("dev", "User", {});
  const { stderr } = await modelplatform(line, { cwd, env, engine });
  expect(stderr).toContain("An interrupted run may have created a User of acme as chat: its answer was lost.");
  expect(stderr).toContain("drift --unmanaged");
});

test.each(commands)("`%s` says nothing where it is gone, or another stack's", async (line) => {
  await begin("prod");
  expect((await modelplatform(line, { cwd, env, engine })).stderr).toBe("");
});

test.each([
  ["of another project's stack of the same name", () => begin("dev", "Deployment", { name }, { project: "other" })],
  ["at another service", () => begin("dev", "Deployment", { name }, { origin: "https://api.example.com" })],
])("`up` says nothing of what was begun %s", async (_, act) => {
  await act();
  expect((await modelplatform(up, { cwd, env, engine })).stderr).toBe("");
});

test("`up` says nothing of what the state holds under another URN", async () => {
  await begin("dev");
  const stack = openBackend("file://.", { cwd, env }).stack("shop", "dev");
  const type = "pulumi-nodejs:dynamic/modelplatform:Deployment";
  const entry = { urn: `urn:pulumi:dev::shop::${type}::other`, custom: true, type, id: name };
  const time = new Date().toISOString();
  const secrets_providers = { type: "passphrase", state: {} };
  const manifest = { time, magic: "", version: "" };
  const latest = { manifest, secrets_providers, resources: [entry], pending_operations: [] };
  writeFileSync(
    join(cwd, ".pulumi", "stacks", "shop", "dev.json"),
    JSON.stringify({ version: 3, checkpoint: { stack: "organization/shop/dev", latest } }),
  );
  expect((await stack.load())?.resources.map(({ id }) => id)).toEqual([name]);
  expect((await modelplatform(up, { cwd, env, engine })).stderr).toBe("");
});

test("`up` says nothing while another run holds the stack's lock", async () => {
  await begin("dev");
  const lock = openBackend("file://.", { cwd, env }).lock("shop", "dev");
  await lock.acquire();
  const { stderr } = await modelplatform(up, { cwd, env, engine });
  await lock.release();
  expect(stderr).toBe("");
});

test("`up` names three and counts the rest, which `doctor --leftovers` lists", async () => {
  const names = ["a", "b", "c", "d", "e"].map((id) => `accounts/acme/deployments/${id}`);
  const objects = Object.fromEntries(names.map((each) => [each, { state: "READY" }]));
  await control("POST", "seed", { objects });
  for (const each of names) await begin("dev", "Deployment", { name: each });
  const { stderr } = await modelplatform(up, { cwd, env, engine });
  expect(stderr.match(/was created as chat/g)).toHaveLength(3);
  expect(stderr).toContain("and 2 more: `npx pulumi-modelplatform doctor --leftovers --stack dev`");
  const { stdout } = await modelplatform("doctor --stack dev --leftovers", { cwd, env });
  for (const each of names) expect(stdout).toContain(each);
});

test.each([
  ["is not there", "gone", async () => {}, "there is no gone"],
  ["is busy", "dev", () => openBackend("file://.", { cwd, env }).lock("shop", "dev").acquire(), "held by process"],
])("`doctor --leftovers` of a stack that %s does not say that there are none", async (_, stack, act, reason) => {
  await begin(stack);
  await act();
  const { code, stdout, stderr } = await modelplatform(`doctor --stack ${stack} --leftovers`, { cwd, env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const text = stderr.replace(/\s+/g, " ");
  expect(text).toContain(`What interrupted creates have left is not known: ${reason}`);
  expect(text).toContain(`doctor --next --stack ${stack}`);
  const { stdout: next } = await modelplatform(`doctor --stack ${stack} --next`, { cwd, env });
  expect(next).toContain(stack === "gone" ? `${name} is live` : "cancel");
});

test("a preview names what may be left, and `up` says nothing once it is gone", async () => {
  await begin("dev");
  const { stderr } = await modelplatform("preview --stack dev", { cwd, env, engine });
  expect(stderr).toContain("If the program still declares chat, `up` looks for it before it creates another.");
  const headers = { authorization: "Bearer acme-key" };
  const address = `${env["MODELPLATFORM_BASE_URL"]}/v1/${name}?hard=true&ignoreChecks=true`;
  expect((await fetch(address, { method: "DELETE", headers })).status).toBe(200);
  expect((await modelplatform(up, { cwd, env, engine })).stderr).toBe("");
});

describe("an object that the stack had last, and that no state has", () => {
  const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:Deployment::chat";
  const named = `Deployment ${name} is live, this stack had it last as chat, and no state has it`;

  test.each([destroy, remove])("is named by `%s`", async (line) => {
    await hold(urn);
    expect((await modelplatform(line, { cwd, env, engine })).stderr).toContain(named);
  });

  test("is not named by `up`, which may go on with it", async () => {
    await hold(urn);
    expect((await modelplatform(up, { cwd, env, engine })).stderr).toBe("");
  });

  test.each([destroy, remove])("is not named by `%s` where another stack had it", async (line) => {
    await hold(urn.replace(":dev:", ":prod:"));
    expect((await modelplatform(line, { cwd, env, engine })).stderr).toBe("");
  });

  test("is not named where it is gone", async () => {
    await hold(urn);
    await control("DELETE", `objects/${name}`);
    expect((await modelplatform(destroy, { cwd, env, engine })).stderr).toBe("");
  });
});
