import { confirmedGone } from "../../provider/api/gone";
import { createCatalogue } from "../../provider/api/operations";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isNotFound } from "../../provider/core/errors";
import { specs } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { type MockAnswer, mockService } from "./support/mock-service";
import { keys, testClient } from "./support/test-client";

const base = "https://api.example.com";
const chat = "accounts/acme/deployments/chat";
const missing: MockAnswer = { status: 404, body: { code: 5, message: "chat does not exist" } };
const listOf = (...names: string[]): MockAnswer => ({ body: { deployments: names.map((name) => ({ name })) } });

/** A service whose single reads and lists answer as told, one after the other; the last answer stays. */
function start(
  reads: MockAnswer[],
  lists: MockAnswer[],
  spec: ResourceSpec = specs.Deployment as unknown as ResourceSpec,
) {
  const next = (answers: MockAnswer[]) => (answers.length > 1 ? answers.shift()! : answers[0]!);
  const isList = (path: string) => /\/(deployments|secrets|accounts)(\?|$)/.test(path);
  const service = mockService([base], ({ path, method }) =>
    method === "GET" && isList(path) ? next(lists) : next(reads),
  );
  const client = testClient(base, {
    dispatcher: service.agent,
    catalogue: createCatalogue([
      ...Object.values(specs).filter((other) => other.kind !== spec.kind),
      spec,
    ] as ResourceSpec[]),
  });
  const name = spec.singleton ? `accounts/acme/${spec.collection}` : `accounts/acme/${spec.collection}/chat`;
  const gone = async (how?: { deleted: boolean }) =>
    confirmedGone(client, {
      spec,
      name,
      error: await rejection(client.call(client.catalogue.require(spec.kind, "get").name, { parameters: { name } })),
      ...how,
    });
  const listsRead = () => service.requests.filter(({ method, path }) => method === "GET" && isList(path)).length;
  return { client, service, gone, listsRead };
}

test("gone is what answers 404 with code 5 and is not in the list (A093)", async () => {
  expect(await start([missing], [listOf("accounts/acme/deployments/other")]).gone()).toBe(true);
});

test.each([
  ["a route that is not there", { status: 404, body: { code: 5, message: "Not Found" } }],
  ["a 404 without a code", { status: 404, body: { message: "chat does not exist" } }],
  ["a 404 in words that name the route", { status: 404, body: "Cannot GET /v1/accounts/acme/deployments/chat" }],
  ["a 404 with an empty body", { status: 404, body: "" }],
  ["a 404 with an HTML page", { status: 404, body: "<html></html>" }],
  ["another code", { status: 404, body: { code: 7, message: "x" } }],
  ["401", { status: 401, body: { code: 16, message: "chat does not exist" } }],
  ["403", { status: 403, body: { code: 7, message: "chat does not exist" } }],
  ["500", { status: 500, body: { code: 5, message: "chat does not exist" } }],
  ["429", { status: 429, body: { code: 8, message: "quota" } }],
] as [string, MockAnswer][])("%s is never gone, and no list is read for it", async (_, answer) => {
  const { gone, listsRead } = start([answer], [listOf()]);
  expect(await gone()).toBe(false);
  expect(listsRead()).toBe(0);
});

test("a refusal in words means gone if it has the object's whole name (A091, A093)", async () => {
  const inWords: MockAnswer = { status: 404, body: `${chat} does not exist.` };
  expect(await start([inWords], [listOf()]).gone()).toBe(true);
  expect(await start([inWords], [listOf(chat)]).gone()).toBe(false);
});

test("an object that the list shows is not gone", async () => {
  const { gone, listsRead } = start([missing], [listOf(chat)]);
  expect(await gone()).toBe(false);
  expect(listsRead()).toBe(2);
});

test("a list that an object has left meanwhile is read again", async () => {
  expect(await start([missing], [listOf(chat), listOf()]).gone()).toBe(true);
});

test("after its accepted deletion, a list that showed it need not be read again", async () => {
  const { gone, listsRead } = start([missing], [listOf(chat)]);
  expect([await gone({ deleted: true }), await gone({ deleted: true }), listsRead()]).toEqual([true, true, 1]);
  expect(await gone()).toBe(false);
});

test.each([
  ["answers in other words", { status: 404, body: { code: 5, message: "Not Found" } }, listOf()],
  ["cannot be listed", missing, { status: 403, body: { code: 7, message: "no" } } as MockAnswer],
])("an accepted deletion proves nothing of what %s", async (_, read, list) => {
  const { gone } = start([read], [list]);
  expect(await gone({ deleted: true }).catch(() => false)).toBe(false);
});

test("a list that cannot be read leaves it open, and is read again the next time", async () => {
  const { gone } = start([missing], [{ status: 403, body: { code: 7, message: "no" } }, listOf()]);
  await expect(gone()).rejects.toMatchObject({ status: 403 });
  expect(await gone()).toBe(true);
});

test("the list is read once for many objects, and again after a create", async () => {
  const { gone, listsRead, client } = start([missing], [listOf()]);
  await Promise.all([gone(), gone(), gone()]);
  expect(listsRead()).toBe(1);
  await rejection(client.call("createDeployment", { body: {} }));
  await gone();
  expect(listsRead()).toBe(2);
});

test("what exists once per account is gone where the key can read the account (A060)", async () => {
  const policy = specs.PolicySettings as unknown as ResourceSpec;
  expect(await start([missing], [{ body: { accounts: [{ name: "accounts/acme" }] } }], policy).gone()).toBe(true);
  expect(await start([missing], [{ body: { accounts: [{ name: "accounts/other" }] } }], policy).gone()).toBe(false);
});

test("an account is looked up with the key that read it, not with the default one", async () => {
  const service = mockService([base], ({ path, headers }) => {
    if (!/\/accounts(\?|$)/.test(path)) return missing;
    return {
      body: {
        accounts: [{ name: headers["authorization"] === `Bearer ${keys.other}` ? "accounts/other" : "accounts/acme" }],
      },
    };
  });
  const client = testClient(base, { dispatcher: service.agent });
  const spec = specs.PolicySettings as unknown as ResourceSpec;
  const gone = async (name: string) =>
    confirmedGone(client, {
      spec,
      name,
      error: await rejection(client.call("getPolicySettings", { parameters: { name } })),
    });
  expect([await gone("accounts/other/policySettings"), await gone("accounts/acme/policySettings")]).toEqual([
    true,
    true,
  ]);
});

describe("a kind whose missing objects may answer 500 (A053)", () => {
  const secret = { ...specs.Secret, missingAnswers: [{ status: 500, code: 13 }] } as unknown as ResourceSpec;
  const internal: MockAnswer = { status: 500, body: { code: 13, message: "internal" } };
  const read = (client: ReturnType<typeof start>["client"]) =>
    client.call("getSecret", { parameters: { name: "accounts/acme/secrets/chat" } });

  test("is looked up in the list before any retry", async () => {
    const { gone, service } = start([internal], [{ body: { secrets: [] } }], secret);
    expect(await gone()).toBe(true);
    expect(service.requests.map(({ path }) => path.split("?")[0])).toEqual([
      "/v1/accounts/acme/secrets/chat",
      "/v1/accounts/acme/secrets",
    ]);
  });

  test("is repeated where the list shows it", async () => {
    const found = { body: { name: "accounts/acme/secrets/chat", keyName: "CHAT" } };
    const { client } = start(
      [internal, internal, found],
      [{ body: { secrets: [{ name: "accounts/acme/secrets/chat" }] } }],
      secret,
    );
    expect((await read(client)).value["keyName"]).toBe("CHAT");
  });

  test("is an error of the service where the list shows it and it stays so", async () => {
    const { gone } = start([internal], [{ body: { secrets: [{ name: "accounts/acme/secrets/chat" }] } }], secret);
    expect(await gone()).toBe(false);
  });

  test("answers 404 as well", async () => {
    const { client, gone } = start([missing], [{ body: { secrets: [] } }], secret);
    expect(isNotFound(await rejection(read(client)))).toBe(true);
    expect(await gone()).toBe(true);
  });
});

test("a 500 of any other kind is repeated and never means gone", async () => {
  const { gone, service, listsRead } = start([{ status: 500, body: { code: 13, message: "internal" } }], [listOf()]);
  expect(await gone()).toBe(false);
  expect(service.requests).toHaveLength(8);
  expect(listsRead()).toBe(0);
});
