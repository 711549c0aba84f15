import { confirmAbsent, findObject } from "../../provider/api/confirm-deleted";
import { createCatalogue } from "../../provider/api/operations";
import type { Overrides } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isNotFound } from "../../provider/core/errors";
import { specs } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { type MockAnswer, mockService } from "./support/mock-service";
import { keys, testClient } from "./support/test-client";

const base = "https://api.example.com";
const chat = "accounts/acme/deployments/chat";
const other = "accounts/acme/deployments/other";
const missing: MockAnswer = { status: 404, body: { code: 5, message: "chat does not exist" } };
const listOf = (...names: string[]): MockAnswer => ({ body: { deployments: names.map((name) => ({ name })) } });

const mine: MockAnswer = { body: { accounts: [{ name: "accounts/acme" }] } };
const refused: MockAnswer = { status: 403, body: { code: 7, message: "no" } };

interface Told {
  /** Answers of the list, one after the other; the last one stays. */
  lists?: MockAnswer[];
  /** Answers at `/v1/accounts`. Default: the account is there. */
  accounts?: MockAnswer;
  /** Answers at paths of their own, before anything else. */
  at?: Readonly<Record<string, MockAnswer>>;
  operations?: Overrides;
}

/** A service whose reads of one object and lists answer as told, one after the other; the last answer stays. */
function start(
  reads: MockAnswer[],
  { lists = [listOf()], accounts = mine, at = {}, operations = {} }: Told = {},
  spec: ResourceSpec = specs.Deployment as unknown as ResourceSpec,
) {
  const next = (answers: MockAnswer[]) => (answers.length > 1 ? answers.shift()! : answers[0]!);
  const isList = (path: string) => /\/(deployments|secrets)(\?|$)/.test(path);
  const service = mockService([base], ({ path, method }) => {
    const own = at[path.split("?")[0]!];
    if (own) return own;
    if (/\/v1\/accounts(\/acme)?(\?|$)/.test(path)) return accounts;
    return method === "GET" && isList(path) ? next(lists) : next(reads);
  });
  const client = testClient(base, {
    dispatcher: service.agent,
    catalogue: createCatalogue(
      [...Object.values(specs).filter((each) => each.kind !== spec.kind), spec] as ResourceSpec[],
      { overrides: operations },
    ),
  });
  const name = spec.singleton ? `accounts/acme/${spec.collection}` : `accounts/acme/${spec.collection}/chat`;
  const get = spec.kind === "PolicySettings" ? "getPolicySettings" : `get${spec.kind}`;
  const gone = async (how?: { deleted: boolean }) =>
    confirmAbsent(client, {
      spec,
      name,
      error: await rejection(client.call(get, { parameters: { name } })),
      ...how,
    });
  const listsRead = () => service.requests.filter(({ method, path }) => method === "GET" && isList(path)).length;
  const find = (how?: { deleted: boolean }) => findObject(client, { spec, name, ...how });
  return { client, service, gone, find, listsRead };
}

const bodies: [string, MockAnswer][] = [
  ["google.rpc", missing],
  ["the words of a missing route", { status: 404, body: { code: 5, message: "Not Found" } }],
  ["an RFC 9457 problem", { status: 404, body: { title: "Not Found", status: 404, detail: "No such object" } }],
  ["JSON:API", { status: 404, body: { errors: [{ status: "404", title: "Not Found" }] } }],
  ["{detail}", { status: 404, body: { detail: "Not found." } }],
  ["plain text", { status: 404, body: "Not Found", headers: { "content-type": "text/plain" } }],
  ["an HTML page", { status: 404, body: "<html></html>", headers: { "content-type": "text/html" } }],
  ["nothing", { status: 404, body: "" }],
  ["410 and nothing", { status: 410, body: "" }],
];

describe.each(bodies)("a 404 with %s (A093)", (_, answer) => {
  test("means gone where a fresh list lacks the object", async () => {
    const { gone } = start([answer], { lists: [listOf(other)], at: { [`/v1/${other}`]: { body: { name: other } } } });
    expect(await gone()).toBe(true);
  });

  test("means gone after an accepted deletion, without a list", async () => {
    const { gone, listsRead } = start([answer], { lists: [refused] });
    expect([await gone({ deleted: true }), listsRead()]).toEqual([true, 0]);
  });

  test("is no proof against a list that shows the object", async () => {
    const { gone, listsRead } = start([answer], { lists: [listOf(chat)] });
    expect([await gone(), listsRead()]).toEqual([false, 2]);
  });

  test("is no proof for a key that no longer sees the account", async () => {
    const { gone } = start([answer], { accounts: refused });
    expect(await gone()).toBe(false);
  });

  test("means that settings were never saved, where the key sees the account (A060)", async () => {
    const policy = specs.PolicySettings as unknown as ResourceSpec;
    expect(await start([answer], {}, policy).find()).toBeUndefined();
    await expect(start([answer], { accounts: refused }, policy).find()).rejects.toThrow(/answered 4(04|10)/);
  });
});

test.each([
  ["another code", { status: 404, body: { code: 7, message: "x" } }],
  ["401", { status: 401, body: { code: 16, message: "chat does not exist" } }],
  ["403", { status: 403, body: { code: 7, message: "chat does not exist" } }],
  ["500", { status: 500, body: { code: 5, message: "chat does not exist" } }],
  ["429", { status: 429, body: { code: 8, message: "quota" } }],
] as [string, MockAnswer][])("%s is never gone, and no list is read for it", async (_, answer) => {
  const { gone, listsRead } = start([answer]);
  expect(await gone()).toBe(false);
  expect(listsRead()).toBe(0);
});

const bare: MockAnswer = { status: 404, body: "" };

test("a bare 404 proves nothing where no object of the kind can be read", async () => {
  const { gone } = start([bare], { lists: [listOf(other)] });
  expect(await gone()).toBe(false);
});

test("a bare 404 of a kind that has answered before needs no second read", async () => {
  const { gone, client, service } = start([{ body: { name: other } }, bare], { lists: [listOf(other)] });
  await client.call("getDeployment", { parameters: { name: other } });
  expect(await gone()).toBe(true);
  expect(service.requests.map(({ path }) => path.split("?")[0])).toEqual([
    `/v1/${other}`,
    `/v1/${chat}`,
    "/v1/accounts/acme/deployments",
  ]);
});

test.each([
  [
    "can be read",
    { accounts: { body: { accounts: [] } }, at: { "/v1/accounts/acme": { body: { name: "accounts/acme" } } } },
    true,
  ],
  ["is not there", { accounts: { body: { accounts: [] } }, at: { "/v1/accounts/acme": bare } }, false],
] as [string, Told, boolean][])("an empty list counts by whether the account %s", async (_, told, expected) => {
  expect(await start([missing], told).gone()).toBe(expected);
});

test("an account that nothing shows is seen by another object that is still live", async () => {
  const secret = "accounts/acme/secrets/storage";
  const at = { [`/v1/${secret}`]: { body: { name: secret, keyName: "STORAGE" } } };
  const { client, gone } = start([missing], { accounts: refused, at });
  await client.call("getSecret", { parameters: { name: secret } });
  expect(await gone()).toBe(true);
});

test("a list that an object has left meanwhile is read again", async () => {
  expect(await start([missing], { lists: [listOf(chat), listOf()] }).gone()).toBe(true);
});

test("a list that cannot be read leaves it open, and is read again the next time", async () => {
  const { gone } = start([missing], { lists: [refused, listOf()] });
  await expect(gone()).rejects.toMatchObject({ status: 403 });
  expect(await gone()).toBe(true);
});

test("the list is read once for many objects, and again after a create", async () => {
  const { gone, listsRead, client } = start([missing]);
  await Promise.all([gone(), gone(), gone()]);
  expect(listsRead()).toBe(1);
  await rejection(client.call("createDeployment", { body: {} }));
  await gone();
  expect(listsRead()).toBe(2);
});

describe("operations that the settings turn off", () => {
  const noList = { listDeployments: "off" } as const;
  const noGet = { getDeployment: "off" } as const;
  const both = { ...noList, ...noGet };

  test("without a list, a 404 in the words of a missing object is enough", async () => {
    expect(await start([missing], { operations: noList }).find()).toBeUndefined();
    await expect(start([missing], { operations: noList, accounts: refused }).find()).rejects.toThrow("404");
  });

  test("without a list, a bare 404 is enough after an object of the kind was read", async () => {
    await expect(start([bare], { operations: noList }).find()).rejects.toThrow("404");
    const { client, find } = start([{ body: { name: other } }, bare], { operations: noList });
    await client.call("getDeployment", { parameters: { name: other } });
    expect(await find()).toBeUndefined();
  });

  test("without a read by name, the list shows the object", async () => {
    const lists = [{ body: { deployments: [{ name: other }, { name: chat, state: "READY" }] } }];
    expect(await start([], { operations: noGet, lists }).find()).toEqual({ name: chat, state: "READY" });
  });

  test("without a read by name, an object is gone that the list lacks", async () => {
    expect(await start([], { operations: noGet, lists: [listOf(other)], accounts: refused }).find()).toBeUndefined();
    expect(await start([], { operations: noGet }).find()).toBeUndefined();
    await expect(start([], { operations: noGet, accounts: refused }).find()).rejects.toThrow("lost its rights");
  });

  test("without both, only an accepted deletion is known", async () => {
    expect(await start([], { operations: both }).find({ deleted: true })).toBeUndefined();
    await expect(start([], { operations: both }).find()).rejects.toThrow(
      "turns both `getDeployment` and the list of its kind off",
    );
  });
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
    confirmAbsent(client, {
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
    const { gone, service } = start([internal], { lists: [{ body: { secrets: [] } }] }, secret);
    expect(await gone()).toBe(true);
    expect(service.requests.map(({ path }) => path.split("?")[0])).toEqual([
      "/v1/accounts/acme/secrets/chat",
      "/v1/accounts/acme/secrets",
      "/v1/accounts",
    ]);
  });

  test("is repeated where the list shows it", async () => {
    const found = { body: { name: "accounts/acme/secrets/chat", keyName: "CHAT" } };
    const { client } = start(
      [internal, internal, found],
      { lists: [{ body: { secrets: [{ name: "accounts/acme/secrets/chat" }] } }] },
      secret,
    );
    expect((await read(client)).value["keyName"]).toBe("CHAT");
  });

  test("is an error of the service where the list shows it and it stays so", async () => {
    const { gone } = start(
      [internal],
      { lists: [{ body: { secrets: [{ name: "accounts/acme/secrets/chat" }] } }] },
      secret,
    );
    expect(await gone()).toBe(false);
  });

  test("answers 404 as well", async () => {
    const { client, gone } = start([missing], { lists: [{ body: { secrets: [] } }] }, secret);
    expect(isNotFound(await rejection(read(client)))).toBe(true);
    expect(await gone()).toBe(true);
  });
});

test("a 500 of any other kind is repeated and never means gone", async () => {
  const { gone, service, listsRead } = start([{ status: 500, body: { code: 13, message: "internal" } }]);
  expect(await gone()).toBe(false);
  expect(service.requests).toHaveLength(8);
  expect(listsRead()).toBe(0);
});

describe("a service that answers no read by name", () => {
  const unsupported: MockAnswer = { status: 405, body: { code: 12, message: "no reads by name" } };
  const find = (read: MockAnswer, lists: MockAnswer[]) => {
    const { client } = start([read], { lists });
    return findObject(client, { spec: specs.Deployment as unknown as ResourceSpec, name: chat });
  };

  test.each([
    [405, unsupported],
    [403, refused],
  ])("has the object that its list shows (%i)", async (_, read) => {
    expect(await find(read, [listOf(other, chat)])).toEqual({ name: chat });
  });

  test("lacks what its list lacks", async () => {
    expect(await find(unsupported, [listOf(other)])).toBeUndefined();
  });

  test("may hide what it refuses to show: that its list lacks it proves nothing", async () => {
    expect((await rejection(find(refused, [listOf(other)]))).message).toContain("403");
  });

  test("is asked no more than it answers: a list that fails leaves the first error", async () => {
    expect((await rejection(find(refused, [refused]))).message).toContain("getDeployment");
  });
});
