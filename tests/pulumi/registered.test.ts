import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Provider, User } from "../../provider/index";
import { fileIntents } from "../../provider/lifecycle/identity/intents";
import type { Intents } from "../../provider/lifecycle/ports/intents";

const origin = "http://service.test";
const urnOf = (name: string): string => `urn:pulumi:dev::demo::pulumi-nodejs:dynamic/modelplatform:User::${name}`;

let folder: string;
let intents: Intents;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "notes-"));
  intents = fileIntents(folder, () => 0);
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A program whose registrations come back with what an engine has recorded. */
async function runProgram(id: string, work: () => void, { isPreview = false, config = {} } = {}): Promise<void> {
  pulumi.runtime.setAllConfig(config);
  const newResource = ({ inputs }: pulumi.runtime.MockResourceArgs) => ({
    id,
    state: { ...inputs, accountId: "acme", endpoint: origin },
  });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "demo", "dev", isPreview);
  work();
  await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
}

const begin = (name: string, id: string): Promise<void> =>
  intents.write({ kind: "User", urn: urnOf(name), origin, account: "acme", name: id, time: 0, digest: "" });

const isSettled = async (name: string): Promise<boolean> =>
  (await intents.find(origin, "acme", urnOf(name)))?.settled === true;

const ada = "accounts/acme/users/ada";

test("a create whose registration has come back is over, before the program ends", async () => {
  await begin("ada", ada);
  await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
    config: { "modelplatform:intents": folder },
  });
  expect(await isSettled("ada")).toBe(true);
});

test("an explicit provider's folder of notes counts for its resources", async () => {
  await begin("ada", ada);
  await runProgram(ada, () => {
    new User("ada", { email: "ada@example.com" }, { provider: new Provider("own", { intents: folder }) });
  });
  expect(await isSettled("ada")).toBe(true);
});

test("a create of another object than the registered one is not over", async () => {
  await begin("ada", "accounts/acme/users/other");
  await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
    config: { "modelplatform:intents": folder },
  });
  expect(await isSettled("ada")).toBe(false);
});

test("a preview settles nothing", async () => {
  await begin("ada", ada);
  await runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
    isPreview: true,
    config: { "modelplatform:intents": folder },
  });
  expect(await isSettled("ada")).toBe(false);
});

test("a program continues where its folder of notes cannot be used", async () => {
  await expect(
    runProgram(ada, () => new User("ada", { email: "ada@example.com" }), {
      config: { "modelplatform:intents": "/dev/null/notes" },
    }),
  ).resolves.toBeUndefined();
});
