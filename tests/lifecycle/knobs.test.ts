import type { Settings } from "../../emulator/index";
import type { Values } from "../../provider/lifecycle/types";
import { elvish } from "../core/dialects";
import { createHarness, type Harness } from "./harness";

const model = "accounts/platform/models/open-8b";
const chat = {
  deploymentId: "chat",
  baseModel: model,
  deploymentShape: "default",
  minReplicaCount: 1,
  maxReplicaCount: 2,
  displayName: "Chat",
  annotations: { "custom/team": "a" },
};
const later = {
  ...chat,
  minReplicaCount: 0,
  maxReplicaCount: 5,
  displayName: null,
  annotations: { "custom/team": "b" },
};
const made = { minReplicaCount: 0, maxReplicaCount: 5, displayName: "", annotations: { "custom/team": "b" } };

let at: Harness;

afterEach(() => at.close());

async function patches(): Promise<{ query: Values; body: Values }[]> {
  const answer = await at.emulator.fetch(
    new Request("http://127.0.0.1/_emulator/requests", { headers: { host: "127.0.0.1" } }),
  );
  const { requests } = (await answer.json()) as { requests: { method: string; query: Values; body: Values }[] };
  return requests.filter(({ method }) => method === "PATCH").map(({ query, body }) => ({ query, body }));
}

/** Makes the deployment, changes it, and gives the object as it is in the end. */
async function changed(settings: Partial<Settings>, config: Record<string, string>): Promise<Values> {
  at = await createHarness(settings);
  const process = at.process(config);
  const { outputs } = await process.create("Deployment", "chat", chat);
  const updated = await process.update("Deployment", "chat", outputs, later);
  expect(await process.diff("Deployment", "chat", updated, later)).toMatchObject({ changes: false });
  const { displayName = "", ...object } = at.object("accounts/acme/deployments/chat")!;
  return { ...object, displayName: displayName ?? "" };
}

const works: readonly [knobs: Record<string, string>, settings: Partial<Settings>][] = [
  ...(["mask", "derive", "populated", "replace"] as const).flatMap((patch) => [
    [{ updateMask: "snake" }, { patch }] as const,
    [{ updateMask: "camel" }, { patch, maskPaths: "lenient" }] as const,
  ]),
  ...(["mask", "derive", "replace"] as const).map((patch) => [{ updateMask: "off" }, { patch }] as const),
  ...(["mask", "derive", "populated"] as const).map((patch) => [{ patchBody: "minimal" }, { patch }] as const),
  [{ patchBody: "minimal", updateMask: "off" }, { patch: "mask" }],
  [{ patchBody: "minimal", updateMask: "off" }, { patch: "derive" }],
].map(([knobs, settings]) => [knobs as Record<string, string>, settings as Partial<Settings>]);

test.each(works)("with %j an update is right on a service with %j (A030, A031)", async (knobs, settings) => {
  expect(await changed(settings, knobs)).toMatchObject(made);
});

test("masks are in camel case or absent where the setting says so", async () => {
  await changed({ maskPaths: "lenient" }, { updateMask: "camel" });
  expect((await patches()).map(({ query }) => query["updateMask"])).toEqual([
    "displayName,minReplicaCount,maxReplicaCount",
    "annotations",
  ]);
  await at.close();
  await changed({}, { updateMask: "off" });
  for (const { query } of await patches()) expect(query).not.toHaveProperty("updateMask");
});

test("a mask in camel case is in the service's own words", async () => {
  await changed({ maskPaths: "lenient", dialect: elvish }, { updateMask: "camel", dialect: JSON.stringify(elvish) });
  expect((await patches()).map(({ query }) => query["updateMask"])).toEqual([
    "title,minReplicaCount,maxReplicaCount",
    "labels",
  ]);
});

test("a minimal body holds what changes and what is always required", async () => {
  await changed({}, { patchBody: "minimal" });
  expect((await patches()).map(({ body }) => body)).toEqual([
    { baseModel: model, displayName: null, minReplicaCount: 0, maxReplicaCount: 5 },
    { baseModel: model, annotations: { "custom/team": "b" } },
  ]);
});

test("a mask that the service refuses is an error that names the setting", async () => {
  await expect(changed({ maskPaths: "strict" }, { updateMask: "camel" })).rejects.toThrow(
    /paths are written in snake_case.*`modelplatform:updateMask` to `snake`, `camel`, or `off`/s,
  );
});

test("a service that clears nothing without a mask is detected (A033)", async () => {
  await expect(changed({ patch: "populated" }, { updateMask: "off" })).rejects.toThrow(
    /accepted the change but did not apply it.*`displayName`/s,
  );
});

test("an operation that is switched off behaves as if the service did not offer it", async () => {
  at = await createHarness();
  const config = { operations: JSON.stringify({ deleteUser: "off" }) };
  const ada = { email: "ada@example.com", role: "admin" };
  const { outputs } = await at.process(config).create("User", "ada", ada);
  await expect(at.process(config).delete("User", "ada", outputs)).rejects.toThrow(
    /deleteUser is turned off.*convention \(A050\).*`operations`|onDeleteUnsupported/s,
  );
  await at.process(config).delete("User", "ada", { ...outputs, onDeleteUnsupported: "abandon" });
  expect(at.object("accounts/acme/users/ada")).toMatchObject({ role: "admin" });
  expect((await at.requests()).filter((request) => request.startsWith("DELETE"))).toEqual([]);
});

test("an id goes into the body, beside the message, where the setting says so (A011)", async () => {
  at = await createHarness();
  const config = { operations: JSON.stringify({ createUser: { idParam: "user_id", wrap: "user" } }) };
  const ada = { userId: "ada", email: "ada@example.com", role: "admin" };
  await expect(at.process(config).create("User", "ada", ada)).rejects.toThrow();
  const answer = await at.emulator.fetch(
    new Request("http://127.0.0.1/_emulator/requests", { headers: { host: "127.0.0.1" } }),
  );
  const { requests } = (await answer.json()) as { requests: { method: string; query: Values; body: Values }[] };
  expect(requests.find(({ method }) => method === "POST")).toMatchObject({
    query: {},
    body: { user_id: "ada", user: { email: "ada@example.com", role: "admin" } },
  });
});
