import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InlineSite } from "../inline/site";
import type { Ended } from "./commands";

jest.setTimeout(300_000);

/** An object has moved to another stack, and the program of the first one still declares it. */

let site: InlineSite;
beforeEach(async () => {
  site = await InlineSite.start({}, Date.now());
  cpSync(join(site.program, "Pulumi.dev.yaml"), join(site.program, "Pulumi.people.yaml"));
  expect(await play("stack", "init", "people", "--no-select")).toMatchObject({ code: 0 });
});
afterEach(() => site.close());

type Declared = Record<string, unknown> & { kind: string };

const unasked = ["--yes", "--skip-preview"];
const playIn = async (env: Record<string, string>, ...args: string[]): Promise<Ended & { code: number }> =>
  (await site.play(args, { cwd: site.program, env: { ...site.env, ...env } as Record<string, string> })) as Ended & {
    code: number;
  };
const play = (...args: string[]) => playIn({}, ...args);
const up = (stack = "dev") => play("up", ...unasked, "--stack", stack);
const recovering = (recover: string) => playIn({ MODELPLATFORM_RECOVER: recover }, "up", ...unasked, "--stack", "dev");
const destroy = (stack = "dev") => play("destroy", ...unasked, "--stack", stack);
const declare = (it: Declared): void => site.declare({ resources: { it } });
const urnOf = ({ kind }: Declared, stack: string): string =>
  site.urn(kind, "it").replace("urn:pulumi:dev:", `urn:pulumi:${stack}:`);
const live = () => site.live("accounts/demo/");
const stateFolder = (): string => join(site.folder, "state/.pulumi/stacks");
const stateOf = (stack: string): string => join(stateFolder(), site.project, `${stack}.json`);

const bob = { kind: "User", email: "bob@example.com", role: "user" };
const chat = { kind: "Deployment", baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };
const pinned = { ...chat, deploymentId: "chat" };
const key = { kind: "Secret", keyName: "KEY", value: "sesame" };
const policy = { kind: "PolicySettings", residency: "EUROPE" };

async function moveToPeople(it: Declared): Promise<void> {
  declare(it);
  expect(await up()).toMatchObject({ code: 0 });
  const move = ["--source", "dev", "--dest", "people", "--yes"];
  expect(await play("state", "move", urnOf(it, "dev"), ...move)).toMatchObject({ code: 0 });
}

test.each<[string, Declared, "take" | "new" | undefined]>([
  ["with a key", bob, undefined],
  ["with a key and `adopt`", { ...bob, adopt: "ifEqual" }, undefined],
  ["with a key and `recover`", bob, "take"],
  ["at a chosen id", pinned, undefined],
  ["at a chosen id, with `adopt: ifEqual`", { ...pinned, adopt: "ifEqual" }, undefined],
  ["at a chosen id, with `adopt: overwrite`", { ...pinned, adopt: "overwrite" }, undefined],
  ["at a chosen id, with `recover: take`", pinned, "take"],
  ["at a chosen id, with `recover: new`", pinned, "new"],
  ["at an automatic id", chat, undefined],
  ["at an automatic id, with `recover: take`", chat, "take"],
  ["without a creation time", { ...key, adopt: "overwrite" }, undefined],
  ["of which there is one", policy, undefined],
])("an object %s that another stack has is not taken", async (_, it, recover) => {
  await moveToPeople(it);
  const before = live();
  const { code, output } = await (recover ? recovering(recover) : up());
  expect(code).toBe(1);
  expect(output).toContain(`is not taken: the state of the stack people has it, as ${urnOf(it, "people")}`);
  expect(output).toContain(`state move ${urnOf(it, "people")} --source people --dest dev`);
  expect(output).toContain(`state delete ${urnOf(it, "people")} --stack people`);
  expect(output).not.toMatch(/RECOVER=take|adopt: "|import/);
  expect(await destroy()).toMatchObject({ code: 0 });
  expect(live()).toEqual(before);
});

test.each<[string, () => Promise<unknown>]>([
  ["move", () => play("state", "move", urnOf(pinned, "people"), "--source", "people", "--dest", "dev", "--yes")],
  ["delete", () => play("state", "delete", urnOf(pinned, "people"), "--stack", "people", "--yes")],
])("it is once the other one gives it up with `state %s`", async (_, giveUp) => {
  await moveToPeople({ ...pinned, adopt: "ifEqual" });
  expect(await up()).toMatchObject({ code: 1 });
  expect(await giveUp()).toMatchObject({ code: 0 });
  expect(await up()).toMatchObject({ code: 0 });
  expect(await up("people")).toMatchObject({ code: 1 });
});

test("`recover: new` gives the first stack an object of its own, and asks no more", async () => {
  await moveToPeople(chat);
  const { code, output } = await recovering("new");
  expect({ code, count: site.live("deployments/").length }).toEqual({ code: 0, count: 2 });
  expect(output).not.toContain("was this resource before");
  expect(await up()).toMatchObject({ code: 0, output: expect.stringContaining("1 unchanged") });
});

test("at another id, the first stack has an object of its own without a question", async () => {
  await moveToPeople(pinned);
  declare({ ...pinned, deploymentId: "chat-2" });
  expect(await up()).toMatchObject({ code: 0 });
  expect(site.live("deployments/")).toHaveLength(2);
});

test("a stack of another project is named with it; no `state move` reaches it", async () => {
  await moveToPeople(pinned);
  renameSync(join(stateFolder(), site.project), join(stateFolder(), "elsewhere"));
  const moved = join(stateFolder(), "elsewhere/people.json");
  writeFileSync(moved, readFileSync(moved, "utf8").replaceAll(`::${site.project}::`, "::elsewhere::"));
  renameSync(join(stateFolder(), "elsewhere/dev.json"), join(stateFolder(), "dev.json"));
  expect(await play("stack", "init", "dev")).toMatchObject({ code: 0 });
  const { code, output } = await up();
  expect(code).toBe(1);
  expect(output).toContain("the state of the stack elsewhere/people has it");
  expect(output).toContain("--stack people` in the project elsewhere");
  expect(output).not.toContain("state move");
});

test.each<[string, () => Promise<Ended & { code: number }>]>([
  ["`destroy`", () => destroy()],
  ["its preview", () => play("destroy", "--preview-only", "--stack", "dev")],
])("two states that have an object, however they came to it: %s of one is refused", async (_, run) => {
  declare(pinned);
  expect(await up()).toMatchObject({ code: 0 });
  const copied = readFileSync(stateOf("dev"), "utf8").replaceAll("urn:pulumi:dev:", "urn:pulumi:people:");
  // Recorded at another time, as a take-over by another engine would.
  writeFileSync(stateOf("people"), copied.replaceAll(/"created": ?"\d{4}/g, '"created":"1999'));
  const { code, output } = await run();
  expect(code).toBe(1);
  expect(output).toContain("is not deleted: the state of the stack people has it");
  expect(output).toContain(`state delete ${urnOf(pinned, "people")} --stack people`);
  expect(site.live("deployments/")).toHaveLength(1);
});

test("an import of a file is refused as well, and a look at the object is not", async () => {
  await moveToPeople(pinned);
  const file = join(site.folder, "import.json");
  const id = "accounts/demo/deployments/chat";
  writeFileSync(file, JSON.stringify({ resources: [{ type: "modelplatform:index:Deployment", name: "it", id }] }));
  const { code, output } = await play("import", "--file", file, ...unasked, "--stack", "dev");
  expect(code).not.toBe(0);
  expect(output).toContain(`${id} is ${urnOf(pinned, "people")} of the stack organization/declared/people already`);
  site.declare({ from: "pulumi-modelplatform/plugin", resources: { it: { ...pinned, opts: { id } } } });
  expect(await up()).toMatchObject({ code: 0 });
});
