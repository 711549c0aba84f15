import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFiles } from "../files/watched";
import { InlineSite } from "../inline/site";
import type { Ended } from "./commands";

jest.setTimeout(300_000);

/** A command on two stacks, or on two names of one, is cut off between its files, and something else happens next. */

let site: InlineSite;
beforeEach(async () => void (site = await InlineSite.start({}, Date.now())));
afterEach(() => site.close());

const ada = { kind: "User", email: "ada@example.com", role: "user" };
const bob = { kind: "User", email: "bob@example.com", role: "user" };
const unasked = ["--yes", "--skip-preview"];

const play = async (...args: string[]): Promise<Ended & { code: number }> =>
  (await site.play(args, { cwd: site.program, env: site.env })) as Ended & { code: number };
const up = (stack: string, resources: object): Promise<Ended & { code: number }> => {
  site.declare({ resources });
  return play("up", ...unasked, "--stack", stack);
};
const destroy = (stack: string) => play("destroy", ...unasked, "--stack", stack);
const emails = (): unknown[] => site.live("users/").map(({ email }) => email);
const both = ["ada@example.com", "bob@example.com"];

const stateFolder = (): string => join(site.folder, "state/.pulumi/stacks", site.project);
const textOf = (file: string): string =>
  existsSync(join(stateFolder(), file)) ? readFileSync(join(stateFolder(), file), "utf8") : "";
const removeLocks = (): void => rmSync(join(site.folder, "state/.pulumi/locks"), { recursive: true, force: true });

/** Files that a command changes: states, locks, config. */
const kept = ["state", "program"];

/** Runs a command that is killed at its first change of a file for which `isThen` holds; its locks stay. */
async function cutOff(args: readonly string[], isThen: () => boolean): Promise<void> {
  const copyOf = (part: string): string => join(site.folder, `killed-${part}`);
  const isCopied = (path: string): boolean => !path.includes("node_modules");
  await withFiles(
    () => play(...args),
    (_change, _path, go) => {
      if (!existsSync(copyOf("state")) && isThen())
        for (const part of kept) cpSync(join(site.folder, part), copyOf(part), { recursive: true, filter: isCopied });
      return go();
    },
  );
  expect(existsSync(copyOf("state"))).toBe(true);
  for (const part of kept)
    for (const name of readdirSync(copyOf(part))) {
      rmSync(join(site.folder, part, name), { recursive: true, force: true });
      cpSync(join(copyOf(part), name), join(site.folder, part, name), { recursive: true });
    }
  // The files that the command has made later.
  for (const name of readdirSync(site.program))
    if (name.startsWith("Pulumi.") && !existsSync(join(copyOf("program"), name))) rmSync(join(site.program, name));
  const locks = join(site.folder, "state/.pulumi/locks/organization", site.project);
  for (const stack of readdirSync(locks))
    for (const name of readdirSync(join(locks, stack)).filter((each) => each.endsWith(".json"))) {
      const lock = JSON.parse(readFileSync(join(locks, stack, name), "utf8"));
      lock.lease.process.started = "0";
      writeFileSync(join(locks, stack, name), JSON.stringify(lock));
    }
}

describe("a move that was cut off", () => {
  const again = () => ["state", "move", site.urn("User", "bob"), "--source", "dev", "--dest", "people", "--yes"];
  const isMarked = (): boolean => textOf("dev.json").includes("movingTo");
  const isInBoth = (): boolean => isMarked() && textOf("people.json").includes("bob@example.com");

  beforeEach(async () => {
    expect(await up("dev", { ada, bob })).toMatchObject({ code: 0 });
    cpSync(join(site.program, "Pulumi.dev.yaml"), join(site.program, "Pulumi.people.yaml"));
    expect(await play("stack", "init", "people", "--no-select")).toMatchObject({ code: 0 });
  });

  test.each<[string, () => boolean]>([
    ["before the destination has anything", isMarked],
    ["when both states have it", isInBoth],
  ])("%s deletes nothing in the source, and is finished as advised", async (_, isThen) => {
    await cutOff(again(), isThen);
    for (const ended of [await up("dev", { ada }), await destroy("dev")]) {
      expect(ended.code).not.toBe(0);
      expect(ended.output).toContain("npx pulumi-modelplatform state move --yes --source dev --dest people");
    }
    removeLocks();
    expect((await up("dev", { ada })).code).not.toBe(0);
    expect(emails()).toEqual(both);
    expect(await play("state", "move", "--yes", "--source", "dev", "--dest", "people")).toMatchObject({ code: 0 });
    expect(await up("dev", { ada })).toMatchObject({ code: 0 });
    expect(await up("people", { bob })).toMatchObject({ code: 0, output: expect.stringContaining("1 unchanged") });
    expect(await destroy("people")).toMatchObject({ code: 0 });
    expect(emails()).toEqual(["ada@example.com"]);
  });

  test("deletes nothing in the destination, whose locks somebody has removed", async () => {
    await cutOff(again(), isInBoth);
    removeLocks();
    const ended = await destroy("people");
    expect(ended.code).not.toBe(0);
    expect(ended.output).toContain("the state of the stack dev records this very object");
    expect(emails()).toEqual(both);
  });

  test("is finished after the destination's state was restored from before it", async () => {
    const before = textOf("people.json");
    await cutOff(again(), isInBoth);
    writeFileSync(join(stateFolder(), "people.json"), before);
    expect(await play(...again())).toMatchObject({ code: 0 });
    expect(await up("people", { bob })).toMatchObject({ code: 0, output: expect.stringContaining("1 unchanged") });
    expect(emails()).toEqual(both);
  });

  test("is not taken for one to a third stack", async () => {
    await cutOff(again(), isMarked);
    removeLocks();
    const other = again().map((word) => (word === "people" ? "third" : word));
    await play("stack", "init", "third", "--no-select");
    expect((await play(...other)).output).toContain("state move --yes --source dev --dest people");
  });
});

describe("a rename that was cut off", () => {
  const again = ["stack", "rename", "prod", "--stack", "dev"];
  const isAside = (): boolean => textOf("dev.json@prod.renamed") !== "";
  const isWritten = (): boolean => isAside() && textOf("prod.json") !== "";

  beforeEach(async () => {
    expect(await up("dev", { ada, bob })).toMatchObject({ code: 0 });
  });

  test("before the new state is there lets no command take either name for a stack", async () => {
    await cutOff(again, isAside);
    for (const line of [
      ["up", ...unasked, "--stack", "dev"],
      ["up", ...unasked, "--stack", "prod"],
      ["destroy", ...unasked, "--stack", "dev"],
      ["stack", "init", "dev"],
      ["stack", "init", "prod"],
    ])
      expect((await play(...line)).output).toContain("npx pulumi-modelplatform stack rename prod --stack dev");
    expect(emails()).toEqual(both);
  });

  test("before the new state is there leaves no object to import", async () => {
    await cutOff(again, isAside);
    await play("stack", "init", "third", "--no-select");
    const id = String(site.live("users/")[0]!["name"]);
    const type = "pulumi-nodejs:dynamic/modelplatform:User";
    const ended = await play("import", type, "mine", id, "--yes", "--stack", "third");
    expect(ended.code).not.toBe(0);
    expect(ended.output).toContain(`${id} is urn:pulumi:dev::`);
  });

  test.each<[string, () => boolean]>([
    ["before the new state is there", isAside],
    ["beside the new state", isWritten],
  ])("%s is finished by the same command, with its config", async (_, isThen) => {
    const config = readFileSync(join(site.program, "Pulumi.dev.yaml"), "utf8");
    await cutOff(again, isThen);
    expect(await play(...again)).toMatchObject({ code: 0 });
    expect(readFileSync(join(site.program, "Pulumi.prod.yaml"), "utf8")).toBe(config);
    expect(existsSync(join(site.program, "Pulumi.dev.yaml"))).toBe(false);
    expect(await up("prod", { ada, bob })).toMatchObject({ code: 0, output: expect.stringContaining("2 unchanged") });
    expect(await destroy("prod")).toMatchObject({ code: 0 });
    expect(emails()).toEqual([]);
  });

  test("and whose old state was restored has neither name delete its objects", async () => {
    const before = textOf("dev.json");
    expect(await play(...again)).toMatchObject({ code: 0 });
    writeFileSync(join(stateFolder(), "dev.json"), before);
    cpSync(join(site.program, "Pulumi.prod.yaml"), join(site.program, "Pulumi.dev.yaml"));
    for (const stack of ["dev", "prod"]) expect((await destroy(stack)).code).not.toBe(0);
    expect(emails()).toEqual(both);
    expect(await play("state", "delete", "--all", "--yes", "--stack", "dev")).toMatchObject({ code: 0 });
    expect(await destroy("prod")).toMatchObject({ code: 0 });
    expect(emails()).toEqual([]);
  });
});
