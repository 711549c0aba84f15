// First, so that the engine is read with its processes replaced.
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { elvish } from "../core/dialects";
import { InlineSite } from "../inline/site";

/**
 * Commands that have nothing but a state read the service as `up` does: the settings that a stack's config alone has
 * are recorded with its objects.
 */

const isMoved = (method: string, path: string): boolean => method === "GET" && /\/secrets(\/|\?|$)/.test(path);

/** Where a request arrives at a service that has secrets at another place: at the usual one it knows no route. */
const placeOf = (method: string, path: string): string =>
  isMoved(method, path) ? "/v1/nowhere" : path.replace("/vault", "/secrets");

/** Moves the secrets of the site's service, and serves it on a port of its own for what runs in no site. */
async function moved({ emulator }: InlineSite): Promise<Server> {
  const { handle } = emulator;
  Object.assign(emulator, {
    handle: (request: Parameters<typeof handle>[0]) =>
      handle({ ...request, path: placeOf(request.method, request.path) }),
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const place = new URL(placeOf(request.method!, request.url!), "http://service.test");
    const answer = await emulator.fetch(
      new Request(place, {
        method: request.method!,
        headers: request.headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

const operations = {
  getSecret: { path: "/v1/accounts/{account}/vault/{secretId}" },
  listSecrets: { path: "/v1/accounts/{account}/vault" },
};
const secret = { kind: "Secret", secretId: "storage", keyName: "STORAGE_KEY", value: "a-value-of-a-secret" };
const ada = { kind: "User", userId: "ada", email: "ada@example.com", role: "admin", displayName: "Ada" };

let site: InlineSite;
let server: Server | undefined;
afterEach(async () => {
  server?.close();
  server = undefined;
  await site.close();
});

/** A stack whose settings are in its config and nowhere else. */
async function brought(up: Record<string, unknown>, resources: Record<string, { kind: string }>) {
  const config = Object.entries(up).map(([key, value]) => `  modelplatform:${key}: '${JSON.stringify(value)}'\n`);
  appendFileSync(join(site.program, "Pulumi.dev.yaml"), config.join(""));
  site.declare({ resources });
  await site.expect(0, "up");
}

/** Runs a command in a folder that is no project. */
const elsewhereRuns = (line: string, env: Record<string, string> = {}) =>
  site.play(line.split(" "), { cwd: site.folder, env: { ...site.env, ...env } });

describe("where read paths are moved by the stack's config", () => {
  let env: Record<string, string>;
  beforeEach(async () => {
    site = await InlineSite.start();
    server = await moved(site);
    env = { MODELPLATFORM_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    await brought({ operations }, { storage: secret });
  });

  test.each([
    "drift --backend file://state",
    "codify --backend file://state --account demo --json",
    "call listSecrets --account demo --backend file://state",
    "probe --backend file://state --json",
  ])("`%s` reads them where `up` does", async (line) => {
    const { code, output } = await elsewhereRuns(line, env);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.not.stringContaining("Not Found") });
  });

  test("`doctor` reads them there, too", async () => {
    const { stdout } = await site.play(["doctor", "--json"], { cwd: site.program, env: { ...site.env, ...env } });
    const { findings } = JSON.parse(stdout) as { findings: { subject: string; level: string; found: string }[] };
    expect(findings.find(({ subject }) => subject === "reads of demo")).toMatchObject({ level: "ok" });
    expect(findings.map(({ subject }) => subject)).not.toContain("trust in `operations`");
  });

  test("the environment and `--setting` come before what a state records", async () => {
    const nowhere = JSON.stringify({ listSecrets: { path: "/v1/accounts/{account}/cellar" } });
    expect(
      await elsewhereRuns("drift --backend file://state", { ...env, MODELPLATFORM_OPERATIONS: nowhere }),
    ).toMatchObject({
      code: 3,
    });
    const flag = `modelplatform:operations=${JSON.stringify(operations)}`;
    expect(
      await elsewhereRuns(`drift --backend file://state --setting ${flag}`, {
        ...env,
        MODELPLATFORM_OPERATIONS: nowhere,
      }),
    ).toMatchObject({ code: 0 });
  });

  test("a secret is no value of `--setting`", async () => {
    const { code, stderr } = await elsewhereRuns(
      "drift --backend file://state --setting modelplatform:apiKey=k-1",
      env,
    );
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("`MODELPLATFORM_API_KEY`") });
  });
});

describe("where a state is not to be trusted", () => {
  /** Edits every state of the backend. */
  const edit = (change: (text: string) => string): void => {
    const folder = join(site.folder, "state", ".pulumi", "stacks", site.project);
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".json")))
      writeFileSync(join(folder, name), change(readFileSync(join(folder, name), "utf8")));
  };

  test.each([
    ["another address", "https://evil.example/v1/accounts/{account}/secrets"],
    ["another address without a scheme", "//evil.example/v1/accounts/{account}/secrets"],
    ["a verb", "/v1/accounts/{account}/models/m:validateUpload"],
    ["a path outside of the account", "/v1/accounts/other/{account}"],
    ["a way up", "/v1/accounts/{account}/../other/secrets"],
  ])("it cannot have reads go to %s", async (_, path) => {
    site = await InlineSite.start();
    await brought({ operations: { listUsers: { path: "/v1/accounts/{account}/users" } } }, { storage: secret });
    edit((text) => text.replaceAll("/v1/accounts/{account}/users", path).replaceAll("listUsers", "listSecrets"));
    await site.emulator.fetch(new Request("http://e.test/_emulator/requests", { method: "DELETE" }));
    expect(await elsewhereRuns("drift --backend file://state")).toMatchObject({ code: 0 });
  });

  test("it cannot move a write", async () => {
    site = await InlineSite.start();
    await brought({ operations: { listUsers: { path: "/v1/accounts/{account}/users" } } }, { ada });
    edit((text) =>
      text
        .replaceAll("/v1/accounts/{account}/users", "/v1/accounts/{account}/secrets/{userId}")
        .replaceAll("listUsers", "deleteUser"),
    );
    const line = "call deleteUser --account demo --user-id ada --yes --backend file://state";
    expect(await elsewhereRuns(line)).toMatchObject({ code: 0 });
    expect(site.emulator.world.get("accounts/demo/users/ada")).toMatchObject({ fields: { state: "DELETING" } });
  });
});

test("a dialect of the stack's config alone makes no drift: other scans are refused", async () => {
  site = await InlineSite.start({ settings: { dialect: elvish } as never });
  await brought({ dialect: elvish }, { ada });
  const { code, stderr } = await elsewhereRuns("drift --backend file://state");
  expect(code).toBe(1);
  expect(stderr).toMatch(/record a dialect.*--setting modelplatform:dialect=.*MODELPLATFORM_DIALECT.*--trust-project/s);
  const dialect = JSON.stringify(elvish);
  expect(await elsewhereRuns("drift --backend file://state", { MODELPLATFORM_DIALECT: dialect })).toMatchObject({
    code: 0,
  });
  expect(await elsewhereRuns("drift --backend file://state --trust-project")).toMatchObject({ code: 0 });
});

test("a refresh after `up` records the settings of today", async () => {
  site = await InlineSite.start();
  await brought({}, { ada });
  appendFileSync(
    join(site.program, "Pulumi.dev.yaml"),
    `  modelplatform:operations: '${JSON.stringify({ listUsers: { path: "/v1/accounts/{account}/users" } })}'\n`,
  );
  await site.expect(0, "up");
  await site.expect(0, "refresh --yes");
  expect(site.resources()[0]!.outputs).toMatchObject({
    serviceSettings: { operations: { listUsers: { path: "/v1/accounts/{account}/users" } } },
  });
});
