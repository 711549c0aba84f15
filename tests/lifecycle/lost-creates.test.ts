import { createHarness, type Harness } from "./harness";

/** A create whose engine was killed before it could record anything, and a program that was edited since. */

let at: Harness;
beforeEach(async () => void (at = await createHarness()));
afterEach(() => at.close());

const served = { baseModel: "accounts/platform/models/open-8b", deploymentShape: "default" };

test.each([
  ["User", "users", { email: "ada@example.com", role: "user" }, { email: "bob@example.com", role: "user" }],
  ["Secret", "secrets", { keyName: "STORAGE_KEY", value: "one" }, { keyName: "TRACKING_KEY", value: "one" }],
  ["Deployment", "deployments", served, { ...served, deploymentId: "chat" }],
  ["Deployment", "deployments", { ...served, deploymentId: "chat" }, { ...served, deploymentId: "search" }],
])(
  "a %s that was begun is found, or people are told of it, after its identity was edited",
  async (kind, collection, before, after) => {
    const lost = await at.process().create(kind, "it", before);
    const process = at.process();
    const made = await process.create(kind, "it", after).catch((error: Error) => error);
    const told = [...process.messages, made instanceof Error ? made.message : ""].join("\n");
    const orphans = at
      .live(collection)
      .map(({ name }) => String(name))
      .filter((name) => name === lost.id && (made instanceof Error || made.id !== name));
    expect(orphans.filter((name) => !told.includes(name))).toEqual([]);
  },
);
