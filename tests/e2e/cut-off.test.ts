import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Values } from "../values";
import { FragileSite } from "./cut-off";
import { chat, openModel } from "./everything";

jest.setTimeout(300_000);

/** A run is cut off in a write, and something else happens next than a second run of the same. */

let at: FragileSite;
beforeEach(async () => void (at = await FragileSite.open()));
afterEach(() => at.site.close());

const user = (role: string, opts: Values = {}) => ({ kind: "User", email: "ada@example.com", role, opts });
const secret = (value: string) => ({ kind: "Secret", keyName: "STORAGE_KEY", value: { secret: value } });
const settings = (residency: string) => ({
  ...{ kind: "PolicySettings", adopt: "overwrite", allowLoosening: true },
  ...{ onDelete: "restorePrevious", residency },
});
const pinned = { kind: "Deployment", deploymentId: "pinned", baseModel: openModel, deploymentShape: "default" };

const role = (): unknown => at.site.only("users/")["role"];
const hiddenValue = (): unknown =>
  [...at.site.emulator.world.all()].find(({ kind }) => kind === "Secret")?.hidden?.["value"];
const residency = (): unknown => at.site.emulator.world.get("accounts/demo/policySettings")?.fields["residency"];

/** A user who was made an admin by a run that was killed, and whose program was put back since. */
async function raised(): Promise<void> {
  await at.up({ ada: user("user") });
  at.site.declare({ resources: { ada: user("admin") } });
  await at.cutOff("up", { method: "PATCH" });
  expect(role()).toBe("admin");
  at.site.declare({ resources: { ada: user("user") } });
}

describe("an update that was carried out and never recorded", () => {
  test.each<[what: string, before: object, after: object, live: () => unknown, expected: unknown]>([
    ["a role", user("user"), user("admin"), role, "user"],
    ["a number", chat, { ...chat, maxReplicaCount: 7 }, () => at.site.only("deployments/")["maxReplicaCount"], 2],
    ["a secret value", secret("one"), secret("two"), hiddenValue, "one"],
    ["a policy", settings("US"), settings("EUROPE"), residency, "US"],
  ])("is taken back by the first `up` of a program that was reverted: %s", async (_, before, after, live, expected) => {
    await at.up({ it: before });
    at.site.declare({ resources: { it: after } });
    await at.cutOff("up", { method: "PATCH" });
    await at.up({ it: before });
    expect(live()).toBe(expected);
    await at.site.requests();
    await at.up({ it: before });
    expect(await at.site.writes()).toEqual([]);
  });

  test("is in the next preview, which takes nothing away", async () => {
    await raised();
    expect((await at.site.run("preview --expect-no-changes")).code).not.toBe(0);
    await at.site.expect(0, "up");
    expect(role()).toBe("user");
  });

  test.each<[what: string, opts: Values]>([
    ["an alias", { aliases: [{ name: "ada" }] }],
    ["protection", { protect: true }],
  ])("is taken back where the program adds %s at once", async (_, opts) => {
    await raised();
    await at.up({ [opts["aliases"] ? "renamed" : "ada"]: user("user", opts) });
    expect(role()).toBe("user");
  });

  test("is recorded where the program ignores the field by now", async () => {
    await raised();
    await at.up({ ada: user("user", { ignoreChanges: ["role"] }) });
    expect(at.site.resource("ada").outputs?.["role"]).toBe(role());
  });

  test.each<[what: string, meanwhile: () => Promise<unknown> | unknown]>([
    ["on a machine without the journal", () => at.loseJournal()],
    ["after the state was exported and imported", () => exchanged()],
    ["after the resource was renamed in the state", () => renamedInState()],
    [
      "after the resource was renamed in the state, without the journal",
      () => renamedInState().then(() => at.loseJournal()),
    ],
    ["after the resource moved to another stack, without the journal", () => moved().then(() => at.loseJournal())],
    ["after the stack was renamed", () => at.site.expect(0, "stack rename prod").then(() => (at.site.stack = "prod"))],
    ["after an `up` of another resource alone", () => targeted()],
  ])("is taken back %s", async (_, meanwhile) => {
    await raised();
    await meanwhile();
    await at.site.expect(0, "up");
    expect(role()).toBe("user");
  });

  test("is taken back by a state of before it, whose journal goes on", async () => {
    await at.up({ ada: user("user") });
    at.keep("before");
    at.site.declare({ resources: { ada: user("admin") } });
    await at.cutOff("up", { method: "PATCH" });
    at.putBack("before", ["state"]);
    await at.up({ ada: user("user") });
    expect(role()).toBe("user");
  });

  test("is followed by another one that breaks off, and both are taken back", async () => {
    await at.up({ ada: user("user") });
    for (const each of ["contributor", "admin"]) {
      at.site.declare({ resources: { ada: user(each) } });
      await at.cutOff("up", { method: "PATCH" });
    }
    await at.up({ ada: user("user") });
    expect(role()).toBe("user");
  });

  test("of a secret is taken back once, after a `refresh` that cannot see it", async () => {
    await at.up({ it: secret("one") });
    at.site.declare({ resources: { it: secret("two") } });
    await at.cutOff("up", { method: "PATCH" });
    at.site.declare({ resources: { it: secret("one") } });
    await at.site.expect(0, "refresh");
    await at.site.expect(0, "up");
    expect(hiddenValue()).toBe("one");
    await at.site.requests();
    await at.site.expect(0, "up");
    expect(await at.site.writes()).toEqual([]);
  });

  test("leaves nothing behind a `destroy`, which puts back the former policy", async () => {
    const before = residency();
    await at.up({ it: settings("US"), ada: user("user") });
    at.site.declare({ resources: { it: settings("EUROPE"), ada: user("user") } });
    await at.cutOff("up", { method: "PATCH" });
    await at.site.expect(0, "destroy");
    expect([residency(), at.site.live("users/"), at.site.resources()]).toEqual([before, [], []]);
  });
});

const exchanged = async (): Promise<void> => {
  const file = `${at.site.folder}/exported.json`;
  await at.site.expect(0, `stack export --file ${file}`);
  await at.site.expect(0, `stack import --file ${file}`);
};

const renamedInState = async (): Promise<void> => {
  await at.site.expect(0, `state rename ${at.site.urn("User", "ada")} eve`);
  at.site.declare({ resources: { eve: user("user") } });
};

const moved = async (): Promise<void> => {
  const { site } = at;
  const move = ["state", "move", site.urn("User", "ada"), "--source", site.stack, "--dest", "people", "--yes"];
  for (const args of [["stack", "init", "people", "--no-select"], move])
    expect(await site.play(args, { cwd: site.program, env: site.env })).toMatchObject({ code: 0 });
  cpSync(join(site.program, `Pulumi.${site.stack}.yaml`), join(site.program, "Pulumi.people.yaml"));
  site.stack = "people";
};

const targeted = async (): Promise<void> => {
  at.site.declare({ resources: { ada: user("user"), other: secret("one") } });
  await at.site.expect(0, `up --target ${at.site.urn("Secret", "other")}`);
};

describe("a delete that was carried out and never recorded", () => {
  const made = async (declared: object): Promise<void> => {
    await at.up({ it: declared });
    expect(at.site.pendingOperations()).toEqual([]);
  };

  test.each<[kind: string, declared: object, collection: string]>([
    ["a user", user("user"), "users/"],
    ["a secret", secret("one"), "secrets/"],
    ["a deployment", chat, "deployments/"],
    ["a deployment with an id of its own", pinned, "deployments/"],
  ])("is followed by a create where the program has the resource again: %s", async (_, declared, collection) => {
    await at.up({ it: declared });
    at.site.declare({ resources: {} });
    await at.cutOff("up", { method: "DELETE" });
    expect(at.site.live(collection)).toEqual([]);
    await made(declared);
    expect(at.site.only(collection)["name"]).toBe(at.site.resource("it").id);
    await at.site.expect(0, "preview --expect-no-changes");
  });

  test("of a `deleteBeforeReplace` is followed by a create of what was there", async () => {
    const first = { ...pinned, opts: { deleteBeforeReplace: true } };
    await at.up({ it: first });
    at.site.declare({ resources: { it: { ...first, preemptible: true } } });
    await at.cutOff("up", { method: "DELETE" });
    await made(first);
    expect(at.site.only("deployments/")["name"]).toBe(at.site.resource("it").id);
  });
});

describe("a create that was carried out and never recorded", () => {
  beforeEach(async () => void (await at.up({ ada: user("user") })));

  const cutCreate = async (declared: object): Promise<void> => {
    at.site.declare({ resources: { ada: user("user"), it: declared } });
    await at.cutOff("up", { method: "POST" });
    expect(at.site.live("deployments/")).toHaveLength(1);
  };

  test("at a chosen id, without the journal, is asked about, taken and deleted", async () => {
    await cutCreate(pinned);
    at.loseJournal();
    expect((await at.site.run("up")).output).toContain("MODELPLATFORM_RECOVER=take");
    await at.site.expect(0, "up", { env: { MODELPLATFORM_RECOVER: "take" } });
    await at.site.expect(0, "destroy");
    expect([at.site.live("deployments/"), at.site.resources()]).toEqual([[], []]);
  });

  test("is imported by hand, and is called a leftover by nobody", async () => {
    await cutCreate(chat);
    const { name } = at.site.only("deployments/");
    const line = `import pulumi-nodejs:dynamic/modelplatform:Deployment it ${String(name)} --protect=false`;
    await at.site.expect(0, `${line} --skip-preview`);
    const { output } = await at.site.expect(0, "up");
    expect(output).not.toContain("not recorded in any state");
    await at.site.expect(0, "destroy");
    expect(at.site.live("deployments/")).toEqual([]);
  });

  test("of a replacement, whose former entry leaves the state, leaves nothing unnamed", async () => {
    await at.up({ ada: user("user"), it: chat });
    at.site.declare({ resources: { ada: user("user"), it: { ...chat, preemptible: true } } });
    await at.cutOff("up", { method: "POST" });
    await at.site.expect(0, `state delete ${at.site.urn("Deployment", "it")}`);
    at.site.declare({ resources: { ada: user("user"), it: chat } });
    const { code, output } = await at.site.run("up");
    const names = at.site.live("deployments/").map(({ name }) => String(name));
    const recorded = at.site.resources().map(({ id }) => id);
    const unnamed = names.filter((name) => !recorded.includes(name) && !output.includes(name));
    expect([code !== 0 || unnamed.length === 0, names.length]).toEqual([true, 2]);
  });
});

describe("a journal that cannot be written", () => {
  const eve = { kind: "User", email: "eve@example.com", role: "user" };
  const mentions = (output: string): number => output.split("the journal of what is about").length - 1;

  test("costs an update one warning", async () => {
    await at.up({ ada: user("user") });
    at.blockJournal();
    const { output } = await at.up({ ada: user("admin") });
    expect(role()).toBe("admin");
    expect(mentions(output)).toBe(1);
    expect(output).toMatch(/warning: .*User ada \(.*\): the journal of what is about to be created cannot be written/);
    expect(output).not.toContain("What was done is done");
    await at.site.requests();
    await at.up({ ada: user("admin") });
    expect(await at.site.writes()).toEqual([]);
  });

  test("keeps a create from being sent, and no update that comes with it", async () => {
    await at.up({ ada: user("user") });
    at.blockJournal();
    at.site.declare({ resources: { ada: user("admin"), eve } });
    const { output } = await at.site.expect(1, "up --continue-on-error");
    expect(at.site.live("users/").map(({ email, role }) => [email, role])).toEqual([["ada@example.com", "admin"]]);
    expect(output).toContain("1 updated, 1 failed");
    // By the preview, of the update, and of the create that is refused.
    expect(mentions(output)).toBe(3);
  });

  test("leaves the state's own mark, by which an update that was cut off is taken back", async () => {
    await at.up({ ada: user("user") });
    at.blockJournal();
    at.site.declare({ resources: { ada: user("admin") } });
    await at.cutOff("up", { method: "PATCH" });
    expect(role()).toBe("admin");
    await at.up({ ada: user("user") });
    expect(role()).toBe("user");
  });
});
