import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CliContext } from "../../cli/command/context";
import { openBackend } from "../../engine/state/backend";
import type { Fact } from "../../provider/lifecycle/memory/history";
import { journalIn } from "../../provider/lifecycle/memory/journal-files";
import { instantTime } from "../api/support/instant-time";
import { type ServedProject, serveProject } from "./served-project";
import { modelplatform } from "./terminal";

/** `doctor --next`: what a broken run has left unknown, in order, each with the command that ends it. */

const chat = "accounts/acme/deployments/chat";
const type = "pulumi-nodejs:dynamic/modelplatform:Deployment";
const urnOf = (resource: string, stack = "dev"): string => `urn:pulumi:${stack}::shop::${type}::${resource}`;

interface Step {
  command?: string;
  note: string;
  unknown: string[];
}

let served: ServedProject;
let env: ServedProject["env"];
let cwd: string;
let control: ServedProject["control"];

beforeEach(async () => {
  served = await serveProject("dev", "prod");
  ({ cwd, env, control } = served);
  await control("POST", "seed", { objects: { [chat]: { state: "READY" } } });
});
afterEach(() => served.close());

const about = (urn: string) => ({ kind: "Deployment", urn, origin: "loopback", account: "acme", at: 1_000 });

const record = (...facts: Fact[]): Promise<void[]> => {
  const journal = journalIn(join(cwd, "intents"), () => 1_000);
  return Promise.all(facts.map((fact) => journal.append(fact)));
};

/** A create whose run was killed. */
const began = (urn = urnOf("chat"), place: { name?: string } = { name: chat }): Fact => ({
  ...about(urn),
  ...{ fact: "sent", id: `${urn} ${place.name}`, place, digest: "d" },
});

/** What a state has held. */
const had = (urn = urnOf("chat"), name = chat): Fact => ({ ...about(urn), fact: "held", object: { name } });

interface State {
  resources?: readonly { urn: string; id: string }[];
  pending?: readonly { urn: string; type: string }[];
}

function writeState(stack: string, { resources = [], pending = [] }: State): void {
  const entry = (urn: string) => ({ urn, custom: true, type });
  const latest = {
    manifest: { time: new Date(0).toISOString(), magic: "", version: "" },
    secrets_providers: { type: "passphrase", state: {} },
    resources: resources.map(({ urn, id }) => ({ ...entry(urn), id })),
    pending_operations: pending.map(({ urn, type: operation }) => ({ resource: entry(urn), type: operation })),
  };
  const checkpoint = { version: 3, checkpoint: { stack: `organization/shop/${stack}`, latest } };
  writeFileSync(join(cwd, ".pulumi", "stacks", "shop", `${stack}.json`), JSON.stringify(checkpoint));
}

async function next(...flags: string[]): Promise<Step[]> {
  const stack = flags.length > 0 ? flags : ["--stack", "dev"];
  const setting = { cwd, env, time: instantTime(Date.now(), undefined, 10_000) };
  const { code, stdout } = await modelplatform(["doctor", "--next", "--json", ...stack], setting);
  const { next: steps } = JSON.parse(stdout) as { next: Step[] };
  expect(code).toBe(steps.length === 0 ? 0 : 1);
  return steps;
}

test("nothing is unknown: it says so, reads only and writes nothing", async () => {
  const before = readdirSync(cwd, { recursive: true });
  const { code, stdout } = await modelplatform("doctor --next --stack dev", { cwd, env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Nothing is unknown.\n" });
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
});

test("steps come in the order in which they can be done, and nothing is changed", async () => {
  const lost = "accounts/acme/deployments/lost";
  await control("POST", "seed", { objects: { [lost]: { state: "READY" } } });
  await record(began(), had(urnOf("lost"), lost));
  writeState("dev", { pending: [{ urn: urnOf("other"), type: "updating" }] });
  const before = readdirSync(cwd, { recursive: true });
  expect((await next()).map(({ command }) => command)).toEqual([
    "npx pulumi-modelplatform refresh --stack dev",
    "npx pulumi-modelplatform up --stack dev",
    `npx pulumi-modelplatform import ${type} lost ${lost} --stack dev`,
  ]);
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
  const { requests } = (await control("GET", "requests")) as { requests: { method: string }[] };
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("people can copy each command from a line of its own", async () => {
  await record(began());
  const { stdout } = await modelplatform("doctor --next --stack dev", { cwd, env });
  expect(stdout.split("\n")[0]).toBe("1. npx pulumi-modelplatform up --stack dev");
  expect(stdout).toContain(
    `\n   - Deployment chat: its create was interrupted; ${chat} is live (READY), and no state has it`,
  );
});

test("what may serve gets no command that deletes it, and what has failed does", async () => {
  await record(began());
  expect((await next())[0]!.unknown[0]).toContain("No longer declared: `npx pulumi-modelplatform call getDeployment");
  await control("PATCH", `objects/${chat}`, { state: "FAILED" });
  expect((await next())[0]!.unknown[0]).toContain(
    "No longer declared: `npx pulumi-modelplatform call deleteDeployment",
  );
});

test("a refused create is unknown, and no command deletes what may be another's", async () => {
  await control("PATCH", `objects/${chat}`, { state: "FAILED" });
  const refused = began();
  await record(refused, { ...about(urnOf("chat")), fact: "void", id: `${urnOf("chat")} ${chat}`, refused: true });
  const [step] = await next();
  expect(step!.unknown[0]).toContain(
    `its create was refused by what may be its own result; ${chat} is live (FAILED), and no state has it`,
  );
  expect(step!.unknown[0]).toContain("call getDeployment");
});

test("a pending create is no record of the object", async () => {
  await record(began());
  const state = { pending: [{ urn: urnOf("chat"), type: "creating" }] };
  writeState("dev", state);
  writeState("prod", state);
  expect((await next())[0]!.unknown[0]).toContain(`${chat} is live (READY), and no state has it`);
});

test("a create that both the journal and the state tell of is one unknown", async () => {
  await record(began());
  writeState("dev", { pending: [{ urn: urnOf("chat"), type: "creating" }] });
  expect((await next()).map(({ unknown }) => unknown)).toEqual([[expect.stringContaining(chat)]]);
});

test("a create that only the state tells of can be forgotten", async () => {
  writeState("dev", { pending: [{ urn: urnOf("chat"), type: "creating" }] });
  expect(await next()).toEqual([
    {
      command: "npx pulumi-modelplatform up --stack dev",
      note: expect.stringContaining("`npx pulumi-modelplatform refresh --clear-pending-creates --stack dev`"),
      unknown: ["Deployment chat: a run was interrupted while creating"],
    },
  ]);
});

test("a create whose answer was lost is looked for among what no stack manages", async () => {
  await record(began(urnOf("chat"), {}));
  expect((await next())[0]!.unknown).toEqual([expect.stringContaining("`npx pulumi-modelplatform drift --unmanaged`")]);
});

test("the lock of a run comes alone: the rest may be under way", async () => {
  await record(began());
  const lock = openBackend("file://.", { cwd, env }).lock("shop", "dev");
  await lock.acquire();
  const steps = await next();
  await lock.release();
  expect(steps).toEqual([
    {
      command: "npx pulumi-modelplatform cancel --stack dev",
      note: expect.stringContaining("Only if that run has ended"),
      unknown: [expect.stringContaining(`process ${process.pid}`)],
    },
  ]);
});

test.each([
  ["another stack has", () => writeState("prod", { resources: [{ urn: urnOf("chat", "prod"), id: chat }] })],
  ["the service no longer has", () => control("DELETE", `objects/${chat}`)],
  ["was deleted by the stack", () => record({ ...about(urnOf("chat")), fact: "gone", object: { name: chat } })],
])("an object that the stack had and %s is not lost", async (_, act) => {
  await record(had());
  expect(await next()).toHaveLength(1);
  await act();
  expect(await next()).toEqual([]);
});

test("an object beneath parents comes back by the program, which puts it there", async () => {
  await record(had(`urn:pulumi:dev::shop::my:Group$${type}::chat`));
  expect((await next())[0]).toMatchObject({
    command: "MODELPLATFORM_RECOVER=take npx pulumi-modelplatform up --refresh --stack dev",
  });
});

test("a stack without a state is initialized before its live objects are imported", async () => {
  await record(had(urnOf("chat", "lost")));
  expect((await next("--stack", "lost")).map(({ command }) => command)).toEqual([
    "npx pulumi-modelplatform stack init lost",
    `npx pulumi-modelplatform import ${type} chat ${chat} --stack lost`,
  ]);
});

test("a stack without a state is initialized before `up` resumes its creates", async () => {
  await record(began(urnOf("chat", "lost")));
  expect((await next("--stack", "lost")).map(({ command }) => command)).toEqual([
    "npx pulumi-modelplatform stack init lost",
    "npx pulumi-modelplatform up --stack lost",
  ]);
});

test("creates of a stack that the backend does not have are named with that stack", async () => {
  await record(began(urnOf("chat", "old")));
  expect(await next()).toEqual([
    {
      command: "npx pulumi-modelplatform up --stack dev",
      note: expect.stringContaining("no stack old"),
      unknown: [expect.stringContaining(chat)],
    },
  ]);
});

test("creates of another stack that is there are left to it", async () => {
  await record(began(urnOf("chat", "prod")));
  expect(await next()).toEqual([]);
  expect(await next("--stack", "organization/shop/prod")).toHaveLength(1);
});

test.each([
  ["a service that is down", { MODELPLATFORM_BASE_URL: "http://127.0.0.1:9" }, "ECONNREFUSED"],
  ["a key that is refused", { MODELPLATFORM_API_KEY: "wrong" }, "401"],
  ["no key", { MODELPLATFORM_API_KEY: "" }, "no API key"],
])("%s comes first, since it hinders what follows", async (_, changed, found) => {
  await record(began());
  Object.assign(env, changed);
  const steps = await next();
  expect(steps[0]).toEqual({ note: expect.stringMatching(/\w/), unknown: [expect.stringContaining(found)] });
  expect(steps.at(-1)).toMatchObject({ command: "npx pulumi-modelplatform up --stack dev" });
});

test("a stack that is not there and has nothing live is a mistake of its name", async () => {
  expect(await next("--stack", "pord")).toEqual([
    { note: expect.stringContaining("stack select"), unknown: ["stack: there is no pord"] },
  ]);
});

describe("an import of what an interrupted create has made", () => {
  const line = `import ${type} chat ${chat} --yes --skip-preview --stack dev`;
  const engine: CliContext["loadEngine"] = async () => async () =>
    ({ result: "succeeded", changes: {} }) as Awaited<ReturnType<Awaited<ReturnType<CliContext["loadEngine"]>>>>;

  test("goes on where the state has no more than the pending create", async () => {
    await control("PATCH", `objects/${chat}`, { baseModel: "accounts/platform/models/open-8b" });
    writeState("dev", { pending: [{ urn: urnOf("chat"), type: "creating" }] });
    const { code, stderr } = await modelplatform(line, { cwd, env, engine });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("already")]);
  });

  test("is refused where a state has the object", async () => {
    writeState("dev", { resources: [{ urn: urnOf("chat"), id: chat }] });
    const { code, stderr } = await modelplatform(line, { cwd, env, engine });
    expect([code, stderr]).toEqual([1, expect.stringContaining("already, so nothing was imported")]);
  });
});

describe("a command that reads states alone", () => {
  const drift = (settings = env) => modelplatform("drift --stack dev", { cwd, env: settings });

  test("names what a create of its stacks may have made, and of no other one", async () => {
    await record(began(), began(urnOf("theirs", "prod"), { name: "accounts/acme/deployments/theirs" }));
    const { stderr } = await drift();
    expect(stderr).toContain(`warning: Deployment ${chat} was created as chat by an interrupted run`);
    expect(stderr).not.toContain("deployments/theirs");
  });

  test("says nothing of what a state has", async () => {
    await record(began());
    writeState("dev", { resources: [{ urn: urnOf("chat"), id: chat }] });
    expect((await drift()).stderr).not.toMatch(/warning|note/);
  });

  test("says once that it does not know where there is no journal", async () => {
    const { stderr } = await drift({ ...env, MODELPLATFORM_INTENTS: "elsewhere" });
    expect(stderr.match(/note: .*/g)).toEqual([
      "note: what interrupted runs may have left is not known here: there is no journal.",
    ]);
  });
});
