import fc from "fast-check";
import {
  accountOf,
  camelCase,
  fillTemplate,
  InvalidParameterError,
  lastSegment,
  matchTemplate,
  parametersOf,
  parseRoute,
  slug,
  snakeCase,
} from "../../provider/core/values/names";
import { allSpecs } from "../../provider/resources/index";

test("a route says method, path and the query parameters that it may carry", () => {
  expect(parseRoute("PATCH /v1/{name}?updateMask={updateMask}&skipShapeValidation={skipShapeValidation}")).toEqual({
    method: "PATCH",
    path: "/v1/{name}",
    query: ["updateMask", "skipShapeValidation"],
  });
  expect(parseRoute("POST /v1/{name}:cancel")).toEqual({ method: "POST", path: "/v1/{name}:cancel", query: [] });
});

test("a whole name keeps its slashes, and the colon of a verb stays literal (A017)", () => {
  expect(fillTemplate("/v1/{name}:cancel", { name: "accounts/acme/rlorTrainerJobs/step-1" })).toBe(
    "/v1/accounts/acme/rlorTrainerJobs/step-1:cancel",
  );
});

test.each([
  ["a/b", "/v1/accounts/a%2Fb"],
  ["a b", "/v1/accounts/a%20b"],
  ["a?b#c%d", "/v1/accounts/a%3Fb%23c%25d"],
  ["a:b", "/v1/accounts/a%3Ab"],
  ["ä", "/v1/accounts/%C3%A4"],
  ["-", "/v1/accounts/-"],
  ["...", "/v1/accounts/..."],
])("a parameter is one segment: %s becomes %s (A017)", (account, path) => {
  expect(fillTemplate("/v1/accounts/{account}", { account })).toBe(path);
});

test("a name is text: it is encoded once, when it goes into a path", () => {
  const name = fillTemplate("accounts/{account}/users/{userId}", { account: "acme", userId: "ada@example.com" });
  expect(name).toBe("accounts/acme/users/ada@example.com");
  expect(fillTemplate("/v1/{name}", { name })).toBe("/v1/accounts/acme/users/ada%40example.com");
});

test("an id with a slash makes no name", () => {
  expect(() => fillTemplate("accounts/{account}/users/{userId}", { account: "acme", userId: "a/b" })).toThrow(
    InvalidParameterError,
  );
});

test.each([[""], ["."], [".."], [undefined], ["a\nb"], ["a\r"], ["\u0000"], ["\u007f"], ["\ud800"]])(
  "the parameter %j is refused before anything is sent (A017)",
  (account) => {
    expect(() => fillTemplate("/v1/accounts/{account}", { account })).toThrow(InvalidParameterError);
  },
);

test.each([
  "accounts//users/a",
  "accounts/../users/a",
  "accounts/./users/a",
  "/accounts/a",
  "accounts/a/",
  "",
  "accounts/a\r\nHost: x",
])("the name %j is refused (A017)", (name) => {
  expect(() => fillTemplate("/v1/{name}", { name })).toThrow(/the path parameter `name` is/);
});

test("no parameter that is let through changes the shape of a path", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (account) => {
      const path = (() => {
        try {
          return fillTemplate("/v1/accounts/{account}/users", { account });
        } catch {
          return "/v1/accounts/refused/users";
        }
      })();
      expect(new URL(path, "https://api.example.com").pathname.split("/")).toHaveLength(5);
      expect(path).toMatch(/^\/v1\/accounts\/[^/?#\s]+\/users$/);
    }),
  );
});

test.each(allSpecs.filter(({ name }) => parametersOf(name).length > 0).map(({ kind, name }) => [kind, name] as const))(
  "a name of %s is read back into what it was made from",
  (_, template) => {
    const ids = fc.tuple(
      ...parametersOf(template).map((key) =>
        fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).map((id) => [key, id] as const),
      ),
    );
    fc.assert(
      fc.property(ids, (entries) => {
        const parameters = Object.fromEntries(entries);
        expect(matchTemplate(template, fillTemplate(template, parameters))).toEqual(parameters);
      }),
    );
  },
);

test.each([
  "accounts/acme/users/a",
  "accounts/acme/deployments",
  "accounts/acme/deployments/a/b",
  "accounts//deployments/a",
  "v1/accounts/acme/deployments/a",
])("%s is not the name of a deployment", (name) => {
  expect(matchTemplate("accounts/{account}/deployments/{deploymentId}", name)).toBeUndefined();
});

test("a template's punctuation is not a pattern", () => {
  expect(matchTemplate("a.b/{id}", "axb/1")).toBeUndefined();
  expect(matchTemplate("a.b/{id}", "a.b/1")).toEqual({ id: "1" });
});

test("account and id are segments of a name", () => {
  expect(accountOf("accounts/acme/deployments/chat")).toBe("acme");
  expect(accountOf("responses/resp_1")).toBeUndefined();
  expect(lastSegment("accounts/acme/deployments/chat")).toBe("chat");
  expect(lastSegment("accounts/acme/policySettings")).toBe("policySettings");
});

test.each([
  ["displayName", "display_name"],
  ["cloudS3Config", "cloud_s3_config"],
  ["mtpNumDraftTokens", "mtp_num_draft_tokens"],
  ["zeroDataRetention", "zero_data_retention"],
  ["hotLoadBucketUrl", "hot_load_bucket_url"],
  ["public", "public"],
])("%s is %s in masks and filters (A030)", (camel, snake) => {
  expect(snakeCase(camel)).toBe(snake);
  expect(camelCase(snake)).toBe(camel);
});

test("every field's name survives the way to snake case and back", () => {
  const names = allSpecs
    .filter(({ kind }) => kind !== "StoredResponse")
    .flatMap(({ fields }) => [...fields.message, ...fields.outputs].map(({ name }) => name));
  expect(names.filter((name) => camelCase(snakeCase(name)) !== name)).toEqual([]);
});

test.each([
  ["chat", "chat"],
  ["My Chat_Bot 2", "my-chat-bot-2"],
  ["2nd", "nd"],
  ["--a--b--", "a-b"],
  ["Größe", "gro-e"],
  ["日本", "x"],
  ["", "x"],
])("the slug of %j is %s", (text, expected) => {
  expect(slug(text)).toBe(expected);
});

test("a slug fits into an id (A016)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => expect(slug(text)).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/)),
  );
});
