import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Provider, User } from "../../provider/index";
import { journalIn, openAttemptsIn } from "../../provider/lifecycle/memory/journal-files";
import { presentAsEngine } from "./support/program";

const origin = "http://service.test";
const urnOf = (name: string): string => `urn:pulumi:dev::demo::pulumi-nodejs:dynamic/modelplatform:User::${name}`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "journal-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A program whose registrations come back with what an engine has recorded. */
async function runProgram(
  id: string,
  work: () => void,
  { isPreview = false, isMocked = false, config = {}, state = {} } = {},
): Promise<void> {
  pulumi.runtime.setAllConfig(config);
  const newResource = ({ inputs }: pulumi.runtime.MockResourceArgs) => ({
    id,
    state: { ...inputs, accountId: "acme", endpoint: origin, ...state },
  });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "demo", "dev", isPreview);
  if (!isMocked) presentAsEngine(isPreview);
  work();
  await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
}

const begin = (name: string, id: string): Promise<void> =>
  journalIn(folder, Date.now).append({
    fact: "sent",
    id: "1",
    kind: "User",
    urn: urnOf(name),
    origin,
    account: "acme",
    at: Date.now(),
    place: { name: id },
    digest: "",
  });

const isOver = (name: string): boolean => openAttemptsIn(folder).every(({ urn }) => urn !== urnOf(name));

const ada = "accounts/acme/users/ada";

test("a create whose registration has come back is over, before the program ends", async () => {
  await begin("ada", ada);
  await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
    config: { "modelplatform:intents": folder },
  });
  expect(isOver("ada")).toBe(true);
});

test("an explicit provider's folder of the journal counts for its resources", async () => {
  await begin("ada", ada);
  await runProgram(ada, () => {
    new User("ada", { email: "ada@example.com" }, { provider: new Provider("own", { intents: folder }) });
  });
  expect(isOver("ada")).toBe(true);
});

test("a create of another object than the registered one is not over", async () => {
  await begin("ada", "accounts/acme/users/other");
  await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
    config: { "modelplatform:intents": folder },
  });
  expect(isOver("ada")).toBe(false);
});

test("a preview ends no create", async () => {
  await begin("ada", ada);
  await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
    isPreview: true,
    config: { "modelplatform:intents": folder },
  });
  expect(isOver("ada")).toBe(false);
});

test("a unit test under mocks ends no create", async () => {
  await begin("ada", ada);
  await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
    isMocked: true,
    config: { "modelplatform:intents": folder },
  });
  expect(isOver("ada")).toBe(false);
});

test("a program continues where its folder of the journal cannot be used", async () => {
  await expect(
    runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
      config: { "modelplatform:intents": "/dev/null/notes" },
    }),
  ).resolves.toBeUndefined();
});

describe("an object that a state shows with its creation time", () => {
  const created = { name: ada, createTime: "2026-01-01T00:00:00Z" };

  /** The facts about it once a registration has come back with it. */
  async function factsAfter(own: boolean): Promise<string[]> {
    const journal = journalIn(folder, Date.now);
    const about = { kind: "User", urn: urnOf("ada"), origin, account: "acme", at: Date.now() };
    if (own) await journal.append({ fact: "made", object: created, ...about });
    await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
      config: { "modelplatform:intents": folder },
      state: { createTime: created.createTime },
    });
    return (await journalIn(folder, Date.now).read(origin, "acme", "urn:pulumi:dev::demo")).map(({ fact }) => fact);
  }

  test("is held where this stack has made it", async () => {
    expect(await factsAfter(true)).toEqual(["made", "held"]);
  });

  test("is not held where this stack has neither made nor accepted it", async () => {
    expect(await factsAfter(false)).toEqual([]);
  });
});
