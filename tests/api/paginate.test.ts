import { items, pages } from "../../provider/api/paginate";
import type { Client } from "../../provider/api/types";
import { isAborted } from "../../provider/core/errors";
import { rejection } from "../rejection";
import { type MockAnswer, type MockRequest, mockService } from "./support/mock-service";
import { testClient } from "./support/test-client";

const user = (id: number, updateTime = "t0") => ({ name: `accounts/acme/users/u${id}`, updateTime });
const page = (ids: readonly number[], nextPageToken?: string, updateTime?: string): MockAnswer => ({
  body: {
    users: ids.map((id) => user(id, updateTime)),
    totalSize: 5,
    ...(nextPageToken !== undefined && { nextPageToken }),
  },
});
const expired: MockAnswer = { status: 400, body: { code: 3, message: "invalid page token" } };

function start(...answers: MockAnswer[]) {
  const service = mockService(["https://api.example.com"], (_, index) => answers[index] ?? { status: 500 });
  const client = testClient("https://api.example.com", { dispatcher: service.agent });
  const query = (index: number) => Object.fromEntries(new URLSearchParams(service.requests[index]?.path.split("?")[1]));
  return { client, query, requests: service.requests as MockRequest[] };
}

async function collect(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const item of items(client, "listUsers", { parameters: { account: "acme" } }))
    names.push(String(item["name"]).slice(-2));
  return names;
}

test.each([
  ["a missing token", [page([1, 2], "a"), page([3])]],
  ["an empty token", [page([1, 2], "a"), page([3], "")]],
  ["a page without members on the way", [page([1, 2], "a"), { body: { nextPageToken: "b" } }, page([3])]],
])("a list ends at %s (A094)", async (_, answers) => {
  const { client, requests } = start(...answers);
  expect(await collect(client)).toEqual(["u1", "u2", "u3"]);
  expect(requests).toHaveLength(answers.length);
});

test.each([
  ["counts objects without having the list", [{ body: { totalSize: 2 } }], /without `users`|at `totalSize`/],
  ["has pages and no list", [{ body: { nextPageToken: "a" } }, { body: {} }], /has 2 pages, and none with .*`users`/],
] as [string, MockAnswer[], RegExp][])("a list that %s is no empty one", async (_, answers, problem) => {
  const { client } = start(...answers);
  const error = await rejection(collect(client));
  expect(error).toMatchObject({ operation: "listUsers", status: 200, message: expect.stringMatching(problem) });
});

test("a list with nothing of what it counts proves no absence", async () => {
  const { client } = start({ body: { users: [], totalSize: 2 } });
  const read = async (): Promise<void> => {
    for await (const _ of pages(client, "listUsers", { parameters: { account: "acme" }, provesAbsence: true }));
  };
  expect(await rejection(read())).toMatchObject({ message: expect.stringMatching(/lists 0 of the 2 objects/) });
});

test.each([
  ["a filter lets nothing through", { query: { filter: 'role="admin"' } }],
  ["it is read from a later page", { from: "b" }],
])("a list without objects is believed where %s", async (_, options) => {
  const { client } = start({ body: { users: [], totalSize: 2 } });
  const read = pages(client, "listUsers", { parameters: { account: "acme" }, ...options });
  for await (const { items } of read) expect(items).toEqual([]);
});

test.each([
  ["as many objects as each page counts", 3, []],
  [
    "fewer objects than each page counts",
    4,
    ["listUsers lists 3 of the 4 objects that its `totalSize` counts: what it does not list is not seen"],
  ],
] as [string, number, string[]][])(
  "a total is a hint: a list of %s is read, and warned of",
  async (_, total, warnings) => {
    const counting = (answer: MockAnswer, totalSize: number): MockAnswer => ({
      body: { ...(answer.body as object), totalSize },
    });
    const { client } = start(counting(page([1, 2], "a"), total), counting(page([3]), total + 1));
    const names: unknown[] = [];
    for await (const { items } of pages(client, "listUsers", { parameters: { account: "acme" } }))
      names.push(...items.map(({ name }) => name));
    expect(names).toHaveLength(3);
    expect(client.log.map(({ text }) => text)).toEqual(warnings);
  },
);

test("every page is requested with the same parameters and the largest size", async () => {
  const { client, query } = start(page([1], "a"), page([2]));
  const read = pages(client, "listUsers", {
    parameters: { account: "acme" },
    query: {
      filter: 'role="admin"',
      orderBy: "displayName desc,createTime",
      readMask: ["displayName", "permissionPreset"],
      pageSize: undefined,
    },
  });
  for await (const { totalSize } of read) expect(totalSize).toBe(5);
  const common = {
    filter: 'role="admin"',
    orderBy: "display_name desc,create_time",
    readMask: "display_name,permission_preset",
    pageSize: "200",
  };
  expect([query(0), query(1)]).toEqual([common, { ...common, pageToken: "a" }]);
});

test("a caller that stops early asks for no further page", async () => {
  const { client, requests } = start(page([1, 2], "a"), page([3]));
  for await (const item of items(client, "listUsers")) if (item["name"] !== undefined) break;
  expect(requests).toHaveLength(1);
});

test("a token that comes back is an error, not another page", async () => {
  const { client } = start(page([1], "a"), page([2], "b"), page([3], "a"));
  expect((await rejection(collect(client))).message).toMatch(/^listUsers gave the same page token twice/);
});

test("after an expired token the list begins again, and nothing is given out twice", async () => {
  const { client, query, requests } = start(
    page([1], "a"),
    page([2], "b"),
    expired,
    page([1], "c"),
    page([2], "d"),
    page([3]),
  );
  expect(await collect(client)).toEqual(["u1", "u2", "u3"]);
  expect(requests.map((_, index) => query(index)["pageToken"])).toEqual([undefined, "a", "b", undefined, "c", "d"]);
});

test.each([400, 404, 410])(
  "a token that is refused with %d, whatever its words, is one that has expired",
  async (status) => {
    const refused: MockAnswer = { status, body: { code: 3, message: "cursor not valid" } };
    const { client } = start(page([1], "a"), refused, page([1], "b"), page([2]));
    const remarks: string[] = [];
    client.remark = (text) => void remarks.push(text);
    expect(await collect(client)).toEqual(["u1", "u2"]);
    expect(remarks).toEqual([
      `listUsers refused its own page token (${status}): the list is read again from its start`,
      expect.stringContaining("lists 2 of the 5 objects"),
    ]);
  },
);

test.each([
  ["an object that moved", [page([1], "a"), page([2], "b"), expired, page([1], "c"), page([4], "d"), page([3])]],
  [
    "an object that changed",
    [page([1], "a"), page([2], "b"), expired, page([1], "c", "t1"), page([2], "d"), page([3])],
  ],
  ["a list that got shorter", [page([1], "a"), page([2], "b"), expired, page([1])]],
])("after an expired token %s is an error", async (_, answers) => {
  const { client } = start(...answers);
  expect((await rejection(collect(client))).message).toBe(
    "listUsers changed while it was read, and its page token expired. List again.",
  );
});

test("a second expired token is an error, and so is any other refusal", async () => {
  const twice = start(page([1], "a"), expired, page([1], "b"), expired);
  expect(await rejection(collect(twice.client))).toMatchObject({ status: 400 });
  const first = start(expired);
  expect(await rejection(collect(first.client))).toMatchObject({ status: 400 });
  const denied = start(page([1], "a"), { status: 403, body: { code: 7, message: "no" } });
  expect(await rejection(collect(denied.client))).toMatchObject({ status: 403 });
});

test("a list can begin with a page of an earlier one, and each page has its token", async () => {
  const { client, query } = start(page([3], "c"), expired, page([3], "d"), page([4]));
  const tokens: unknown[] = [];
  for await (const { token } of pages(client, "listUsers", { parameters: { account: "acme" }, from: "b" }))
    tokens.push(token);
  expect(tokens).toEqual(["b", "d"]);
  expect([0, 1, 2, 3].map((index) => query(index)["pageToken"])).toEqual(["b", "c", "b", "d"]);
});

test("an expired first token is an error: the list from its start is another page", async () => {
  const { client, requests } = start(expired, page([1]));
  const read = pages(client, "listUsers", { parameters: { account: "acme" }, from: "b" });
  expect(await rejection(read.next())).toMatchObject({ status: 400 });
  expect(requests).toHaveLength(1);
});

test("accounts take no order: the compiler says so, and the call as well", async () => {
  const { client, requests } = start();
  // @ts-expect-error accounts are always ordered by name
  const read = items(client, "listAccounts", { query: { orderBy: "name" } });
  expect((await rejection(read.next())).message).toMatch(/listAccounts takes no `orderBy`/);
  expect(requests).toEqual([]);
});

test("a caller can stop a list between two pages", async () => {
  const { client } = start(page([1], "a"), page([2]));
  const controller = new AbortController();
  const read = items(client, "listUsers", { signal: controller.signal });
  await read.next();
  controller.abort(new Error("enough"));
  expect(isAborted(await rejection(read.next()))).toBe(true);
});
