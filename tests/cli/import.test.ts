import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { openBackend } from "../../engine/state/backend";
import { importDeployment } from "../../engine/state/checkpoint";
import { exported } from "../drift/support/stacks";
import { liveWorld } from "../e2e/live-world";
import { modelplatform, project, temporaryFolder } from "./terminal";

let emulator: Emulator;
let env: Record<string, string>;

beforeEach(async () => {
  emulator = createEmulator({ accounts: { acme: "acme-key" } });
  const { url } = await emulator.listen({ port: 0 });
  env = { MODELPLATFORM_BASE_URL: url, MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_API_KEY: "acme-key" };
  await fetch(`${url}/_emulator/seed`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      objects: {
        "accounts/acme/users/ada": { email: "ada@example.com", role: "user", state: "READY" },
        "accounts/acme/users/bob": { email: "bob@example.com", role: "user", state: "READY" },
      },
    }),
  });
});
afterEach(() => emulator.close());

const ada = "accounts/acme/users/ada";
const userType = "pulumi-nodejs:dynamic/modelplatform:User";

test("names are written as a program, on their own", async () => {
  const { code, stdout, stderr } = await modelplatform(["codify", ada], { cwd: temporaryFolder(), env });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'new User("ada", { userId: "ada", role: "user", email: "ada@example.com", adopt: "ifEqual" });\n',
  );
  expect(stdout).not.toContain("bob");
  expect(stderr).toMatch(/^Declared 1 of 1 object read\.\n(Time: [^\n]+\n)?$/);
});

test("a stack that manages the object already is named, and the program is written", async () => {
  const { cwd } = await project();
  const user = { kind: "User", inputs: { email: "ada@example.com" }, live: { name: ada, email: "ada@example.com" } };
  const state = importDeployment(exported([user], { project: "base", stack: "prod" }));
  await openBackend("file://.", { cwd }).createStack("base", "prod", state);
  const { code, stdout, stderr } = await modelplatform(["codify", ada], { cwd, env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('new User("ada"')]);
  expect(stderr).toContain(
    "warning: accounts/acme/users/ada is User ada of the stack organization/base/prod already: two declarations would undo each other's changes. Put this code into that stack's program if it lacks the resource; for another stack, remove it there first, with `state delete`.\n",
  );
  const elsewhere = { cwd: temporaryFolder(), env: { ...env, PULUMI_BACKEND_URL: `file://${cwd}` } };
  expect((await modelplatform(["codify", ada], elsewhere)).stderr).toContain(
    "of the stack organization/base/prod already",
  );
  expect((await modelplatform(["codify", "accounts/acme/users/bob"], elsewhere)).stderr).not.toContain("warning");
});

test("the plugin's classes and Python are written as well", async () => {
  const plugin = await modelplatform(["codify", ada, "--for", "plugin"], { cwd: temporaryFolder(), env });
  expect(plugin.stdout).toContain('import { User } from "pulumi-modelplatform/plugin";');
  const python = await modelplatform(["codify", ada, "--for", "python"], { cwd: temporaryFolder(), env });
  expect(python.stdout).toContain(
    'modelplatform.User(\n    "ada",\n    user_id="ada",\n    role="user",\n    email="ada@example.com",\n    adopt="ifEqual",\n)\n',
  );
});

test("an import file for the plugin leaves the reading to it", async () => {
  const cwd = temporaryFolder();
  const line = ["codify", ada, "--import", "--into", "organization/shop/dev", "--output", "."];
  const { code } = await modelplatform([...line, "--for", "plugin"], { cwd, env });
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, "index.ts"), "utf8")).toMatch(/^[^\n]* `import` puts each object into the state; /);
  expect(JSON.parse(readFileSync(join(cwd, "import.json"), "utf8"))).toEqual({
    resources: [{ type: "modelplatform:index:User", name: "ada", logicalName: "ada", id: ada }],
  });
});

test.each([
  [["import"], 64, "needs a type, a name and an id, or --file"],
  [["import", ada], 64, `run \`npx pulumi-modelplatform codify ${ada}\``],
  [["import", userType, "ada"], 64, "needs a type, a name and an id"],
  [["import", userType, "ada", ada, "--file", "x.json"], 64, "not both"],
  [["import", "modelplatform:User", "ada", ada], 64, `Write \`${userType}\``],
  [["import", "aws:s3/bucket:Bucket", "ada", ada], 64, "with one of Deployment, User,"],
  [["import", userType, "ada", "accounts/acme/models/m"], 64, "is not the id of a User"],
  [["import", "--file", "x.json", "--generate-code=true"], 64, "codify"],
  [["import", "--file", "x.json", "--protect=maybe"], 64, "true or false"],
  [["import", "--file", "x.json"], 1, "--file: x.json cannot be read: there is no such file (ENOENT). Check"],
  [["import", "--file", "."], 1, "--file: . cannot be read: it is a folder (EISDIR)."],
  [["codify", "accounts/acme/boxes/a"], 1, "names nothing that a program can declare"],
  [["codify", "accounts/acme/users/nobody"], 1, "accounts/acme/users/nobody does not exist. Check the name"],
  [["codify", ada, "--import"], 64, "--output"],
  [["codify", "--split", "account"], 64, "--output"],
  [["codify", "--split", "account", "--for", "python", "--output", "x"], 64, "one file"],
  [["codify", "--import", "--output", "x", "--into", "dev"], 64, "full name of a stack"],
  [["codify", "--filter", "role = = admin"], 64, "expected a value after `=` at character 8, found `=`"],
  [["codify", "--kind", "Secret", "--filter", "role = admin"], 64, "unknown field `role` at character 1"],
  [["codify", "--kind", "users"], 64, '--kind does not know "users"'],
])("%j ends with %i and says why", async (line, expected, message) => {
  const { code, stdout, stderr } = await modelplatform(line, { cwd: temporaryFolder(), env });
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toContain(message);
});

test("unreadable objects are reported, and the rest is written", async () => {
  await fetch(`${env["MODELPLATFORM_BASE_URL"]!}/_emulator/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      match: { operation: "listSecrets" },
      fault: { kind: "status", status: 403, body: { code: 7, message: "no" } },
      times: null,
    }),
  });
  const { code, stdout, stderr } = await modelplatform("codify", { cwd: temporaryFolder(), env });
  expect(code).toBe(3);
  expect(stdout).toContain('new User("bob"');
  expect(stderr).toContain("accounts/acme/secrets: ");
});

test("a filter and kinds choose what is declared, and what they leave out is counted", async () => {
  const names = async (...flags: string[]) => {
    const line = ["codify", "--json", ...flags];
    const { code, stdout } = await modelplatform(line, { cwd: temporaryFolder(), env });
    expect(code).toBe(0);
    const { resources, filtered } = JSON.parse(stdout) as { resources: { name: string }[]; filtered: number };
    return { names: resources.map(({ name }) => name), filtered };
  };
  const all = await names();
  expect(all).toMatchObject({ names: expect.arrayContaining([ada]), filtered: 0 });
  const users = await names("--kind", "User", "--filter", "email = ada*");
  expect(users).toEqual({ names: [ada], filtered: all.names.length - 1 });
  const { stderr } = await modelplatform(["codify", "--filter", "email = ada*"], { cwd: temporaryFolder(), env });
  expect(stderr).toContain(`Left out by --filter or --kind: ${all.names.length - 1} object`);
});

test("a refused key is an error and writes nothing", async () => {
  const { code, stdout, stderr } = await modelplatform("codify", {
    cwd: temporaryFolder(),
    env: { ...env, MODELPLATFORM_API_KEY: "wrong" },
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("401");
});

test("what is imported is where the account's pattern says", async () => {
  const { MODELPLATFORM_BASE_URL: baseUrl } = env;
  const accounts = { "ac*": { keyCommand: [process.execPath, "-p", "'{account}-key'"], baseUrl } };
  const { cwd, env: own } = await project("dev");
  const { stdout } = await modelplatform(["codify", ada, "--import", "--json"], {
    cwd,
    env: {
      ...own,
      MODELPLATFORM_BASE_URL: "http://127.0.0.1:9",
      MODELPLATFORM_ACCOUNT_ID: "other",
      MODELPLATFORM_API_KEY: "other-key",
      MODELPLATFORM_ACCOUNTS: JSON.stringify(accounts),
    },
  });
  const { resources } = JSON.parse(JSON.parse(stdout).files["import.json"]);
  expect(resources.at(-1)).toMatchObject({ id: ada, outputs: { endpoint: baseUrl } });
});

test("an import file names the stack of the project, and holds the whole state", async () => {
  const { cwd, env: own } = await project("dev");
  const { code, stdout } = await modelplatform(["codify", ada, "--import", "--json"], {
    cwd,
    env: { ...own, ...env },
  });
  expect(code).toBe(0);
  const { files } = JSON.parse(stdout) as { files: Record<string, string> };
  expect(Object.keys(files).sort()).toEqual(["import.json", "index.ts"]);
  const { resources } = JSON.parse(files["import.json"]!) as { resources: Record<string, unknown>[] };
  expect(resources).toEqual([
    {
      type: "pulumi-nodejs:dynamic/modelplatform:User",
      name: "ada",
      logicalName: "ada",
      id: ada,
      inputs: expect.objectContaining({
        accountId: "acme",
        userId: "ada",
        email: "ada@example.com",
        __provider: expect.any(String),
        __modelplatform: {
          kind: "User",
          urn: "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/modelplatform:User::ada",
          organization: "organization",
          stack: "dev",
        },
      }),
      outputs: expect.objectContaining({
        name: ada,
        managedFields: ["email", "role", "userId"],
        endpoint: env["MODELPLATFORM_BASE_URL"],
        __provider: expect.any(String),
      }),
    },
  ]);
  expect(files["index.ts"]).not.toContain("adopt");
});

test.each([
  ["modelplatform:index:Usr", "modelplatform:index:User"],
  ["modelplattform:index:User", "modelplatform:index:User"],
  ["pulumi-nodejs:dynamic/modelplatform:Deploymnet", "pulumi-nodejs:dynamic/modelplatform:Deployment"],
  ["User", "pulumi-nodejs:dynamic/modelplatform:User"],
])("--file names the type %s, which it does not know, with %s", async (type, meant) => {
  const { cwd } = await project();
  writeFileSync(join(cwd, "import.json"), JSON.stringify({ resources: [{ type, name: "ada", id: ada }] }));
  const { code, stderr } = await modelplatform(["import", "--file", "import.json", "--yes"], { cwd, env });
  expect([code, stderr]).toEqual([64, expect.stringContaining(`error: ${type} is not a type of this provider.`)]);
  expect(stderr).toContain(`\`${meant}\``);
});

test.each(["pulumi-nodejs:dynamic/acme:Box", "acme:index:User"])(
  "--file leaves the type %s to its package",
  async (type) => {
    const { cwd } = await project();
    writeFileSync(join(cwd, "import.json"), JSON.stringify({ resources: [{ type, name: "ada", id: ada }] }));
    const { stderr } = await modelplatform(["import", "--file", "import.json", "--yes"], { cwd, env });
    expect(stderr).not.toContain("is not a type of this provider");
  },
);

test("--file hands its entries to the engine", async () => {
  const { cwd, env: own } = await project("dev");
  mkdirSync(join(cwd, "infra"));
  writeFileSync(
    join(cwd, "infra", "import.json"),
    JSON.stringify({ resources: [{ type: "t:m:Box", name: "box", id: "1" }] }),
  );
  const asked: unknown[] = [];
  const engine = () =>
    Promise.resolve((_place: unknown, request: { kind: string; imports?: unknown; preview: boolean }) => {
      asked.push({ kind: request.kind, imports: request.imports, preview: request.preview });
      return Promise.resolve({
        result: "succeeded" as const,
        changes: { create: 1, update: 0, replace: 0, delete: 0, same: 0 },
        left: [],
      });
    });
  const { code } = await modelplatform(["import", "--file", "infra/import.json", "--protect=false", "--skip-preview"], {
    cwd,
    env: own,
    engine,
  });
  expect(code).toBe(0);
  expect(asked).toEqual([
    {
      kind: "import",
      imports: { resources: [{ type: "t:m:Box", name: "box", id: "1" }], nameTable: {}, protect: false },
      preview: false,
    },
  ]);
  expect(await openBackend("file://.", { cwd }).stack("shop", "dev").exists()).toBe(true);
});

test("values that an answer may as well leave out change nothing about the program", async () => {
  const programs: string[] = [];
  for (const emitUnset of [false, true]) {
    const other = createEmulator({ accounts: { acme: "acme-key" }, settings: { emitUnset } });
    const { url } = await other.listen({ port: 0 });
    await fetch(`${url}/_emulator/seed`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ objects: liveWorld("acme") }),
    });
    const { stdout } = await modelplatform("codify --finished-jobs", {
      cwd: temporaryFolder(),
      env: { ...env, MODELPLATFORM_BASE_URL: url },
    });
    programs.push(stdout);
    await other.close();
  }
  expect(programs[0]).toContain("new Deployment(");
  expect(programs[1]).toBe(programs[0]);
});

/** An engine that records what it is asked for, and says that it went well. */
function recordingEngine(): { asked: Record<string, unknown>[]; engine: () => Promise<never> } {
  const asked: Record<string, unknown>[] = [];
  const run = (_place: unknown, request: Record<string, unknown>) => {
    asked.push(request);
    const changes = { create: 1, update: 0, replace: 0, delete: 0, same: 0 };
    return Promise.resolve({ result: "succeeded" as const, changes });
  };
  return { asked, engine: () => Promise.resolve(run as never) };
}

test.each([
  ["the dynamic provider", userType, 'from "pulumi-modelplatform";', { email: "ada@example.com" }],
  ["the plugin", "modelplatform:index:User", 'from "pulumi-modelplatform/plugin";', undefined],
])("an object of %s goes into the stack by type, name and id", async (_, type, source, inputs) => {
  const { cwd, env: own } = await project("dev");
  const { MODELPLATFORM_BASE_URL: url, ...keys } = env;
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), `config:\n  modelplatform:baseUrl: ${url}\n`);
  const { asked, engine } = recordingEngine();
  const line = ["import", type, "boss", ada, "--skip-preview"];
  const { code, stdout } = await modelplatform(line, { cwd, env: { ...own, ...keys }, engine });
  expect(code).toBe(0);
  expect(asked).toMatchObject([{ kind: "import", preview: false }]);
  const { resources } = asked[0]!["imports"] as { resources: Record<string, unknown>[] };
  expect(resources).toMatchObject([{ type, name: "boss", id: ada, ...(inputs && { inputs }) }]);
  expect(stdout).toContain('new User("boss"');
  expect(stdout).toContain(source);
});

describe("an object that another stack has", () => {
  async function importBeside(endpoint: string) {
    const { cwd, env: own } = await project("dev");
    const live = { name: ada, email: "ada@example.com" };
    const user = { kind: "User", inputs: { email: live.email }, live, outputs: { endpoint } };
    const state = importDeployment(exported([user], { project: "base", stack: "prod" }));
    await openBackend("file://.", { cwd }).createStack("base", "prod", state);
    const { asked, engine } = recordingEngine();
    const line = ["import", userType, "ada", ada, "--skip-preview"];
    return { asked, ...(await modelplatform(line, { cwd, env: { ...own, ...env }, engine })) };
  }

  test("at the same service is refused with its URN", async () => {
    const { asked, code, stderr } = await importBeside(env["MODELPLATFORM_BASE_URL"]!);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        `${ada} is urn:pulumi:prod::base::${userType}::ada of the stack organization/base/prod`,
      ),
    });
    expect(asked).toEqual([]);
  });

  test("at another service is another object", async () => {
    const { asked, code } = await importBeside("https://api.example.com");
    expect({ code, kinds: asked.map(({ kind }) => kind) }).toEqual({ code: 0, kinds: ["import"] });
  });
});
