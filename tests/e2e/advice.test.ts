import type { Values } from "../values";
import { situations, unplayed } from "./advice-situations";
import { FragileSite } from "./cut-off";
import { chat, openModel } from "./everything";
import { commandsIn, Terminal } from "./pasted";
import { forgetWritten, unpasted } from "./written-commands";

jest.mock("../../io/text/command-line", () => {
  const { noting } = jest.requireActual<typeof import("./written-commands")>("./written-commands");
  return noting(jest.requireActual("../../io/text/command-line"));
});

jest.setTimeout(300_000);

/** Messages in their situations: each command in one is pasted as it is printed, and resolves what it speaks of. */

let at: FragileSite;
let terminal: Terminal;
beforeEach(async () => {
  forgetWritten();
  at = await FragileSite.open();
  terminal = new Terminal(at.site);
});
afterEach(async () => {
  await at.site.close();
});

const ada = (more: Values = {}) => ({ kind: "User", email: "ada@example.com", role: "user", ...more });
const secret = (value: string) => ({ kind: "Secret", keyName: "STORAGE_KEY", value: { secret: value } });
const pinned = { kind: "Deployment", deploymentId: "pinned", baseModel: openModel, deploymentShape: "default" };
const recover = (answer: string) => ({ env: { MODELPLATFORM_RECOVER: answer } });

const urn = (kind: string, name: string): string => at.site.urn(kind, name);
const names = (collection: string): unknown[] => at.site.live(collection).map(({ name }) => name);
const hiddenValue = (): unknown =>
  [...at.site.emulator.world.all()].find(({ kind }) => kind === "Secret")?.hidden?.["value"];

/** The line that has the words, of what a command prints, and a second one of the same message. */
function messageIn(output: string, words: string): string {
  const lines = output.split("\n");
  const at = lines.findIndex((each) => each.includes(words));
  if (at < 0) throw new Error(`"${words}" is not in:\n${output}`);
  const [prefix] = /^.*?warning: \S+ \S+: /.exec(lines[at]!) ?? [];
  return lines.slice(at, prefix !== undefined && lines[at + 1]?.startsWith(prefix) ? at + 2 : at + 1).join("\n");
}

/** Runs a command, and takes a message out of what it prints. */
const messageOf = async (words: string, line: string, options = {}): Promise<string> =>
  messageIn((await at.site.run(line, options)).output, words);

/** Somebody deletes the object of a resource, and makes another one of its name. */
async function recreate(name: string): Promise<string> {
  const id = String(at.site.resource(name).id);
  const { createTime: _, ...fields } = at.site.emulator.world.get(id)!.fields;
  await at.site.tamper(id);
  await at.site.seed({ [id]: fields });
  return id;
}

const unchanged = () => at.site.expect(0, "preview --expect-no-changes");

describe("an object that somebody has made again", () => {
  const words = "is another object than the accepted one";

  test("at an automatic id: another one is created, and it is left", async () => {
    await at.up({ chat });
    const id = await recreate("chat");
    const message = await messageOf(words, "refresh");
    expect(message).toContain(`Deployment ${id} ${words}`);
    await terminal.paste(commandsIn(message).find((each) => each.includes("--replace")));
    expect(names("deployments/")).toHaveLength(2);
    expect(at.site.resource("chat").id).not.toBe(id);
    await unchanged();
  });

  test("at a chosen id: another id leaves it", async () => {
    await at.up({ pinned });
    const id = await recreate("pinned");
    const message = await messageOf(words, "refresh");
    at.site.declare({ resources: { pinned: { ...pinned, deploymentId: "own" } } });
    await terminal.paste(commandsIn(message).at(-1));
    expect(names("deployments/")).toEqual(["accounts/demo/deployments/own", id]);
    await unchanged();
  });

  test("at a key: the state forgets it", async () => {
    await at.up({ ada: ada() });
    const id = await recreate("ada");
    const message = await messageOf(words, "refresh");
    at.site.declare({ resources: {} });
    await terminal.paste(commandsIn(message).at(-1));
    await at.site.expect(0, "up");
    expect([names("users/"), at.site.resources()]).toEqual([[id], []]);
  });

  test("that is the user's own: the token takes it", async () => {
    await at.up({ pinned });
    await recreate("pinned");
    const message = await messageOf(words, "refresh");
    const [, acceptDrift] = /acceptDrift: "(\w+)"/.exec(message)!;
    at.site.declare({ resources: { pinned: { ...pinned, acceptDrift } } });
    await terminal.paste(commandsIn(message)[0]);
    await unchanged();
    await at.site.expect(0, "destroy");
    expect(names("deployments/")).toEqual([]);
  });

  test.each(["get", "delete"])("is left by a delete, whose message has the call to %s it", async (verb) => {
    await at.up({ pinned });
    const id = await recreate("pinned");
    const message = await messageOf("It is left", "destroy");
    const printed = await terminal.paste(commandsIn(message).find((each) => each.includes(` ${verb}`)));
    if (verb === "get") expect(printed).toContain(id);
    expect(names("deployments/")).toEqual(verb === "get" ? [id] : []);
  });
});

describe("an object that the state has lost", () => {
  const lose = (name: string) => at.site.expect(0, `state delete ${urn("Deployment", name)}`);

  test.each<["take" | "new", number]>([
    ["take", 1],
    ["new", 2],
  ])("is asked about, and the answer is `%s`", async (answer, count) => {
    await at.up({ chat });
    await lose("chat");
    const message = await messageOf("the state no longer has it", "up");
    await terminal.paste(commandsIn(message).find((each) => each.includes(`=${answer} `)));
    expect(names("deployments/")).toHaveLength(count);
    await unchanged();
  });

  test("and that another one was created beside, comes back in place of that", async () => {
    await at.up({ chat });
    const { id } = at.site.resource("chat");
    await lose("chat");
    const message = await messageOf("was created beside it", "up", recover("new"));
    for (const each of commandsIn(message)) await terminal.paste(each);
    expect([names("deployments/"), at.site.resource("chat").id]).toEqual([[id], id]);
    await unchanged();
  });

  test.each(["MODELPLATFORM_RECOVER=take", " import "])("at a chosen id, is taken back: %s", async (words) => {
    await at.up({ pinned });
    await lose("pinned");
    const message = await messageOf("was already created by this declaration", "up", recover("new"));
    await terminal.paste(commandsIn(message).find((each) => each.includes(words)));
    await at.site.expect(0, "up");
    expect(names("deployments/")).toEqual([at.site.resource("pinned").id]);
    await unchanged();
  });

  test("is taken back where the stack's config says `new`", async () => {
    await at.up({ pinned });
    await lose("pinned");
    await terminal.paste("npx pulumi-modelplatform config set modelplatform:recover new --stack dev");
    const message = await messageOf("was already created by this declaration", "up");
    const [, ...taking] = commandsIn(message);
    expect(taking[0]).toMatch(/config set modelplatform:recover take/);
    for (const each of taking) await terminal.paste(each);
    await unchanged();
  });

  test("is named by the `destroy` of a restored backup, with the way back", async () => {
    await at.up({ ada: ada() });
    at.keep("backup");
    await at.up({ ada: ada(), chat });
    const { id } = at.site.resource("chat");
    at.putBack("backup", ["state"]);
    const message = await messageOf("this stack had it last", "destroy");
    const next = await terminal.paste(commandsIn(message)[0], 1);
    await terminal.paste(/^\s*\d+\. (npx .*)$/m.exec(next)?.[1]);
    expect(at.site.resource("chat").id).toBe(id);
  });
});

test("a replacement at a chosen id goes on once the old object may go first", async () => {
  await at.up({ pinned });
  const message = await messageOf(
    "was already created by this declaration",
    `up --replace ${urn("Deployment", "pinned")}`,
  );
  at.site.declare({ resources: { pinned: { ...pinned, opts: { deleteBeforeReplace: true } } } });
  const before = at.site.only("deployments/")["createTime"];
  await terminal.paste(commandsIn(message)[0]);
  expect(at.site.only("deployments/")["createTime"]).not.toBe(before);
  await unchanged();
});

test("an object that exists is shown, and adopted", async () => {
  await at.site.seed({ "accounts/demo/deployments/pinned": { ...pinned, state: "READY" } });
  at.site.declare({ resources: { pinned } });
  const message = await messageOf("already exists", "up");
  const [look, up] = commandsIn(message);
  expect(await terminal.paste(look)).toContain("accounts/demo/deployments/pinned");
  at.site.declare({ resources: { pinned: { ...pinned, adopt: "overwrite" } } });
  await terminal.paste(up);
  await unchanged();
});

describe("a protected object that the program no longer declares", () => {
  const words = "is in the state and not in the program";
  const kept = () => ada({ userId: "ada", opts: { protect: true } });

  test("is declared again by the code that the message has printed", async () => {
    await at.up({ ada: kept() });
    at.site.declare({ resources: {} });
    const message = await messageOf(words, "preview");
    const code = await terminal.paste(commandsIn(message)[0]);
    expect(code).toMatch(/new User\("ada", \{ userId: "ada"/);
    at.site.declare({ resources: { ada: kept() } });
    await unchanged();
  });

  test("is deleted by the last two commands alone", async () => {
    await at.up({ ada: kept() });
    at.site.declare({ resources: {} });
    const [, ...deleting] = commandsIn(await messageOf(words, "up"));
    expect(names("users/")).toHaveLength(1);
    for (const each of deleting) await terminal.paste(each);
    expect(names("users/")).toEqual([]);
  });
});

describe("an interrupted create", () => {
  const interrupt = async (declared: object): Promise<void> => {
    at.site.declare({ resources: { it: declared } });
    await at.cutOff("up", { method: "POST" });
  };

  test("without its journal is asked about, and taken", async () => {
    await interrupt(pinned);
    at.loseJournal();
    const { output } = await at.site.run("up");
    expect(output).not.toContain("nothing shows that this declaration created it");
    await terminal.paste(commandsIn(messageIn(output, "began to create it"))[0]);
    await unchanged();
  });

  test("is finished by the command of a `refresh`", async () => {
    await interrupt(chat);
    const message = await messageOf("finds or makes what was being created", "refresh");
    await terminal.paste(commandsIn(message)[0]);
    expect(names("deployments/")).toEqual([at.site.resource("it").id]);
    await unchanged();
  });

  test("that created nothing and is no longer declared is forgotten", async () => {
    await interrupt(chat);
    await at.site.tamper(names("deployments/")[0]);
    at.site.declare({ resources: {} });
    const message = await messageOf("forgets it", "up");
    await terminal.paste(commandsIn(message).find((each) => each.includes("--clear-pending-creates")));
    expect(at.site.pendingOperations()).toEqual([]);
    expect((await at.site.expect(0, "up")).output).not.toContain("unknown outcome");
  });

  test("whose object cannot become what is declared is not called taken over", async () => {
    await interrupt(pinned);
    at.site.declare({ resources: { it: { ...pinned, preemptible: true } } });
    const { output } = await at.site.run("up");
    expect(output).not.toContain("is taken over");
    await terminal.paste(commandsIn(messageIn(output, "which cannot change")).find((each) => each.includes("delete")));
    await at.site.expect(0, "up");
    await unchanged();
  });

  test("in a stack that was renamed since is answered", async () => {
    await interrupt(chat);
    await at.site.expect(0, "stack rename prod");
    at.site.stack = "prod";
    const message = await messageOf("was created by an interrupted run of the stack dev", "up");
    await terminal.paste(commandsIn(message)[0]);
    expect(names("deployments/")).toEqual([at.site.resource("it").id]);
  });
});

test("a value whose write has no answer is written again", async () => {
  await at.up({ it: secret("one") });
  at.site.declare({ resources: { it: secret("two") } });
  await at.site.fault({ operation: "updateSecret" }, { kind: "resetAfterCommit" }, { times: null });
  const message = await messageOf("Whether the change was made", "up");
  await at.site.clearFaults();
  expect(hiddenValue()).toBe("two");
  at.site.declare({ resources: { it: secret("one") } });
  await terminal.paste(commandsIn(message)[0]);
  expect(hiddenValue()).toBe("one");
});

test.each(["dev", "prod"])(
  "the alias of a resource that has moved serves each stack of the program: %s",
  async (stack) => {
    await at.site.expect(0, "stack rename first").then(() => (at.site.stack = "first"));
    await at.site.expect(0, `stack rename ${stack}`).then(() => (at.site.stack = stack));
    await at.up({ host: secret("one"), ada: ada() });
    at.site.declare({ resources: { host: secret("one"), eve: ada({ opts: { parent: "@host" } }) } });
    const message = await messageOf("this stack created it as", "up");
    const [, alias] = /`aliases: \[(.*?)\]`/.exec(message)!;
    expect(alias).toContain("pulumi.getStack()");
    const aliases = [new Function("pulumi", `return ${alias}`)({ getStack: () => stack })];
    at.site.declare({ resources: { host: secret("one"), eve: ada({ opts: { parent: "@host", aliases } }) } });
    await terminal.paste(commandsIn(message).at(-1));
    expect(at.site.resource("eve").id).toBe(names("users/")[0]);
    await unchanged();
  },
);

test.each(situations)(
  "where $situation, the printed commands work",
  async ({ make, says, takes = (commands) => commands, meanwhile, code = 0, then }) => {
    const message = messageIn(await make(at), says);
    const commands = takes(commandsIn(message));
    expect(commands).not.toEqual([]);
    await meanwhile?.(at, message);
    let printed = "";
    for (const [index, each] of commands.entries())
      printed = await terminal.paste(each, index === commands.length - 1 ? code : 0);
    await then(at, printed);
  },
);

test("each command line that the code writes has been pasted above, or it says why not", () => {
  expect(unpasted()).toEqual(Object.keys(unplayed).sort());
});
