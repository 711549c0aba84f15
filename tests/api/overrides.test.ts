import { createCatalogue } from "../../provider/api/operations";
import type { Overrides } from "../../provider/api/types";
import { isUnsupportedOperation } from "../../provider/core/errors";
import { parametersOf } from "../../provider/core/values/names";
import { allSpecs } from "../../provider/resources/index";
import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { catalogue, testClient } from "./support/test-client";

const base = "https://api.example.com";

const conventional = catalogue.operations.filter(({ provenance }) => provenance === "conventional");
const movable = catalogue.operations.filter(
  ({ provenance, assumedPath }) => provenance === "conventional" || assumedPath,
);

function start(overrides: Parameters<typeof createCatalogue>[1], answer: { status: number; body: unknown }) {
  const service = mockService([base], () => answer);
  return {
    client: testClient(base, { dispatcher: service.agent, catalogue: createCatalogue(allSpecs, overrides) }),
    requests: service.requests,
  };
}

const parametersFor = (path: string) =>
  Object.fromEntries(parametersOf(path).map((parameter) => [parameter, parameter === "account" ? "acme" : "x"]));

test.each(conventional)(
  "$name that is off sends nothing, and names the convention and the setting (A001)",
  async ({ name, path, convention }) => {
    const { client, requests } = start({ overrides: { [name]: "off" } }, { status: 200, body: {} });
    const error = await rejection(client.call(name, { parameters: parametersFor(path) }));
    expect(isUnsupportedOperation(error)).toBe(true);
    expect(error.message).toContain(name);
    expect(error.message).toContain(
      `remove its \`off\` from the setting \`operations\`: it follows a convention (${convention}).`,
    );
    expect(requests).toEqual([]);
  },
);

test.each(movable)("$name goes where a setting says", async ({ name, path }) => {
  const elsewhere = `/elsewhere${path}`;
  const { client, requests } = start(
    { overrides: { [name]: { path: elsewhere } } },
    { status: 400, body: { code: 3, message: "seen" } },
  );
  await rejection(client.call(name, { parameters: parametersFor(path), ...(path.includes(":") && { body: {} }) }));
  expect(requests.map((request) => request.path)).toEqual([
    elsewhere.replace("{account}", "acme").replace(/\{\w+\}/g, "x"),
  ]);
});

test.each(movable)(
  "$name on an unknown path is one error that names convention and setting (A001)",
  async ({ name, path, convention, assumedPath }) => {
    const { client } = start({}, { status: 404, body: { code: 5, message: "Not Found" } });
    const error = await rejection(client.call(name, { parameters: parametersFor(path) }));
    expect(isUnsupportedOperation(error)).toBe(true);
    expect(error.message).toContain(`\`${name}\``);
    expect(error.message).toContain(`convention (${convention})`);
    expect(error.message).toMatch(
      assumedPath
        ? /The path of .*another `path` or `idParam` in the setting `operations`\. See /
        : /`path`.* in the setting `operations`, or turn it `off`\. See /,
    );
  },
);

test.each([
  ['unknown query parameter "userId"', "`idParam`"],
  ["user_id is required; id is required", "`wrap`"],
])("a create that refuses where its id is (%s) names convention and setting (A011)", async (message, named) => {
  const { client } = start({}, { status: 400, body: { code: 3, message } });
  const error = await rejection(client.call("createUser", { query: { userId: "ada" }, body: {} }));
  expect(error.message).toMatch(/convention \(A011\): in the setting `operations`/);
  expect(error.message).toContain(named);
});

test.each([
  ["createUser", 400, "invalid update mask path", /Correct what the message above names\./],
  ["updateUser", 400, "invalid update mask path", /`modelplatform:updateMask` to `snake`, `camel`, or `off`/],
  ["updateUser", 422, '{"fault":"odd"}', /fault.*odd.*Correct what the message above names\./],
  ["createSecret", 400, "secret_id is required", /another `idParam`/],
])("%s refused with %i and %j gets advice that leads somewhere", async (operation, status, message, advice) => {
  const body = message.startsWith("{") ? (JSON.parse(message) as unknown) : { code: 3, message };
  const { client } = start({}, { status, body });
  const parameters = operation === "updateUser" ? { account: "acme", userId: "ada" } : { account: "acme" };
  const error = await rejection(client.call(operation, { parameters, body: {} }));
  expect(error.message).toMatch(advice);
});

test("a setting gives an operation another method, and a create its id in the query", async () => {
  const overrides: Overrides = { deleteSecret: { method: "POST" as const }, createSecret: { idParam: "id" } };
  const { client, requests } = start({ overrides }, { status: 200, body: { name: "accounts/acme/secrets/a" } });
  await client.call("deleteSecret", { parameters: { account: "acme", secretId: "a" } });
  await client.call("createSecret", {
    parameters: { account: "acme" },
    query: { secretId: "a" },
    body: { keyName: "A" },
  });
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /v1/accounts/acme/secrets/a",
    "POST /v1/accounts/acme/secrets?id=a",
  ]);
});

test("an operation that creates nothing with an id has no `wrap`", () => {
  expect(() => createCatalogue(allSpecs, { overrides: { getUser: { wrap: "user" } } })).toThrow(
    /is not a create with an id/,
  );
});
