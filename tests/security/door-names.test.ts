import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { items } from "../../provider/api/paginate";
import type { Client } from "../../provider/api/types";
import { mockService } from "../api/support/mock-service";
import { testClient } from "../api/support/test-client";
import { temporaryFolder } from "../cli/terminal";
import { exported } from "../drift/support/stacks";
import { rejection } from "../rejection";
import { testPairs } from "./pairs";
import { answers, ending, expectRefusal, listening, operator } from "./scene";

/**
 * The attacker runs the service of the account acme. The operator holds a key of the account beta, too, and the
 * attacker wants it used: names in answers lead to beta, to another kind, or to anywhere that a path can lead.
 */
const origin = "https://api.acme.example";
const betas = "https://api.beta.example";

type Values = Record<string, unknown>;

/** What a service could write where the name of a user of acme belongs. */
const lies: readonly (readonly [string, unknown])[] = [
  ["another account's user", "accounts/beta/users/root"],
  ["another kind of the same account", "accounts/acme/secrets/ada"],
  ["something below a user", "accounts/acme/users/ada/keys/k1"],
  ["a path that climbs", "accounts/acme/users/../../beta/users/root"],
  ["an address of another host", "https://evil.example/v1/accounts/acme/users/ada"],
  ["an address without a scheme", "//evil.example/accounts/acme/users/ada"],
  ["no id", "accounts/acme/users/"],
  ["the wildcard for an account", "accounts/-/users/ada"],
  ["the account in capitals", "accounts/ACME/users/ada"],
  ["two names on two lines", "accounts/acme/users/ada\naccounts/beta/users/root"],
  ["slashes that only look like some", "accounts\u2215beta\u2215users\u2215root"],
  ["a number", 7],
  ["a list of names", ["accounts/acme/users/ada", "accounts/beta/users/root"]],
  ["an object that turns into a text", { toString: "accounts/acme/users/ada" }],
];

/** A client of both accounts, and what reached either service, by `METHOD origin path`. */
function bothAccounts(body: unknown): { client: Client; sent: () => string[] } {
  const { agent, requests } = mockService([origin, betas], () => ({ body }));
  const client = testClient(
    origin,
    { dispatcher: agent },
    { MODELPLATFORM_ACCOUNTS: JSON.stringify({ beta: { apiKey: "beta-key-2", baseUrl: betas } }) },
  );
  return { client, sent: () => requests.map(({ method, origin: at, path }) => `${method} ${at}${path}`) };
}

async function listed(client: Client): Promise<Values[]> {
  const found: Values[] = [];
  for await (const each of items(client, "listUsers", { parameters: { account: "acme" } })) found.push(each);
  return found;
}

const ada = { email: "ada@example.com", role: "user", state: "READY" };
const named = { parameters: { account: "acme", userId: "ada" } };

const asked: readonly (readonly [string, (name: unknown) => Promise<Error>])[] = [
  [
    "a member of a list",
    async (name) =>
      rejection(
        listed(
          bothAccounts({
            users: [
              { ...ada, name: "accounts/acme/users/bo" },
              { ...ada, name },
            ],
          }).client,
        ),
      ),
  ],
  ["the answer of a read", async (name) => rejection(bothAccounts({ ...ada, name }).client.call("getUser", named))],
];

testPairs(
  asked,
  lies,
  (place, lie) => `${lie} as the name in ${place} is refused, and the operation is named`,
  async (ask, name) => expect((await ask(name)).message).toMatch(/^(list|get)Users?\b.*\b(answer|name)/i),
);

for (const [lie, name] of lies) {
  test(`${lie} as the name of what was created is refused`, async () => {
    const { client } = bothAccounts({ ...ada, name });
    const call = client.call("createUser", {
      parameters: { account: "acme" },
      body: { email: ada.email, role: "user" },
    });
    expect((await rejection(call)).message).toMatch(/create ?User/i);
  });
}

test("one lie among ten thousand honest members is refused", async () => {
  const users = Array.from({ length: 10_000 }, (_, index) => ({ ...ada, name: `accounts/acme/users/u${index}` }));
  users[9_876]!.name = "accounts/beta/users/root";
  expect((await rejection(listed(bothAccounts({ users }).client))).message).toContain("accounts/beta/users/root");
});

/** Ids that a list may have, for all that the API's description says, and that must stay one segment of a path. */
for (const id of [
  "..%2F..%2Fbeta%2Fusers%2Froot",
  "ada?hard=true",
  "ada#x",
  "ada:cancel",
  "ada%00",
  "ada eve",
  "%2e%2e",
]) {
  test(`the id ${JSON.stringify(id)} is refused, or stays within its segment of the path`, async () => {
    const { client, sent } = bothAccounts({ ...ada, name: `accounts/acme/users/${id}` });
    await client.call("getUser", { parameters: { account: "acme", userId: id } }).catch(() => undefined);
    const left = sent().map((each) =>
      each.replace(/^GET https:\/\/api\.acme\.example\/v1\/accounts\/acme\/users\//, ""),
    );
    expect(left.map((segment) => decodeURIComponent(segment)).filter((segment) => segment !== id)).toEqual([]);
    expect(left.filter((segment) => /[/?#]|^\.+$/.test(segment))).toEqual([]);
  });
}

test("the honest answers beside these lies are taken", async () => {
  const user = { ...ada, name: "accounts/acme/users/ada" };
  expect(await listed(bothAccounts({ users: [user] }).client)).toEqual([user]);
  expect(await bothAccounts(user).client.call("getUser", named)).toMatchObject({ value: user });
});
test("a public model of another account is read by its name", async () => {
  const name = "accounts/platform/models/open-8b";
  const { client } = bothAccounts({ name, kind: "HUB_BASE_MODEL" });
  expect(await client.call("getModel", { parameters: { account: "platform", modelId: "open-8b" } })).toMatchObject({
    value: { name },
  });
});

/** Commands that read acme's lists, with one member that is beta's. */
const strayList = {
  users: [
    { ...ada, name: "accounts/beta/users/root" },
    { ...ada, name: "accounts/acme/users/ada" },
  ],
};
for (const line of [
  "codify",
  "codify --for python",
  "drift --stack-file prod.json --unmanaged --account acme",
  "drift --stack-file prod.json --unmanaged --account acme --format markdown",
  "drift --stack-file prod.json --unmanaged --account acme --format json",
  "call listUsers",
] as const) {
  test(`\`${line}\` does not take over a member of a list that is another account's`, async () => {
    const service = await listening(answers({ "GET /v1/accounts/acme/users": { body: strayList }, "GET /v1/": {} }));
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([])));
    const ended = await ending(line, { cwd, env: operator(service.url) });
    expectRefusal(ended, /accounts\/beta\/users\/root/);
    expect(ended.stdout.replace(/.*(answered|refused).*/g, "")).not.toContain("beta");
  });
}

for (const [what, name] of [
  ["another account's", "accounts/beta/users/root"],
  ["another kind's", "accounts/acme/secrets/ada"],
] as const) {
  test(`\`import\` of a name that is answered with ${what} writes no program`, async () => {
    const service = await listening(
      answers({ "GET /v1/accounts/acme/users/ada": { body: { ...ada, name } }, "GET /v1/": {} }),
    );
    const ended = await ending("import accounts/acme/users/ada", {
      cwd: temporaryFolder(),
      env: operator(service.url),
    });
    expectRefusal(ended, /get ?User|accounts\/acme\/users\/ada/i);
    expect(ended.stdout).not.toMatch(/new User|new Secret/);
  });
}
