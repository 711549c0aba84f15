// First, so that keys cost nothing.
import "../state/quick-keys";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import { emptySnapshot } from "../../engine/state/deployment";
import type { PropertyMap, ResourceState } from "../../engine/state/resource-state";
import { modelplatform, project, temporaryFolder } from "./terminal";

const rootOf = (stack: string, outputs: PropertyMap = {}): ResourceState => ({
  urn: `urn:pulumi:${stack}::shop::pulumi:pulumi:Stack::shop-${stack}`,
  custom: false,
  type: "pulumi:pulumi:Stack",
  outputs,
});

/** A project whose stack dev has the outputs. */
async function projectWith(outputs: PropertyMap) {
  const place = await project();
  const snapshot = emptySnapshot(new Date("2026-01-02T12:00:00Z"));
  await openBackend("file://.", { cwd: place.cwd }).createStack("shop", "dev", {
    ...snapshot,
    resources: [rootOf("dev", outputs)],
  });
  return place;
}

/** A folder with the stack's state as `stack export` writes it, given its resources. */
function stateFile(resources: ResourceState[]): string {
  const file = join(temporaryFolder(), "state.json");
  writeFileSync(
    file,
    JSON.stringify({
      version: 3,
      deployment: { manifest: { time: "2026-01-02T12:00:00Z", magic: "", version: "" }, resources },
    }),
  );
  return file;
}

test("a new stack is selected and has an encryption salt", async () => {
  const { cwd, env } = await project();
  expect(await modelplatform("stack init dev", { cwd, env })).toMatchObject({
    code: 0,
    stdout: "Created the stack dev and selected it.\n",
    stderr: "",
  });
  expect(readFileSync(join(cwd, "Pulumi.dev.yaml"), "utf8")).toMatch(/^encryptionsalt: v1:/);
  const { stdout } = await modelplatform("stack ls", { cwd, env });
  expect(stdout).toMatch(/^NAME +LAST UPDATE +RESOURCES\ndev\* +\d{4}-\d\d-\d\d \d\d:\d\d UTC +0\n$/);
});

test("a stack without a passphrase is not created; the error says what to set", async () => {
  const { cwd } = await project();
  const { code, stderr } = await modelplatform("stack init dev", { cwd, env: {} });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "error: The stack's secrets need a passphrase: set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE to a file that holds it.\n",
  );
  expect(existsSync(join(cwd, ".pulumi", "stacks"))).toBe(false);
});

test("a stack that exists is not created again", async () => {
  const { code, stderr } = await modelplatform("stack init dev", await project("dev"));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: The stack dev of project shop already exists /);
});

test("selecting a stack is what later commands go by", async () => {
  const { cwd, env } = await project("dev", "prod");
  expect((await modelplatform("stack select prod", { cwd, env })).stdout).toBe("Selected the stack prod.\n");
  const { stdout } = await modelplatform("stack ls --json", { cwd, env });
  expect(JSON.parse(stdout)).toMatchObject([
    { name: "dev", current: false, resourceCount: 0 },
    { name: "prod", current: true, resourceCount: 0 },
  ]);
});

test("PULUMI_STACK comes before the selection, --stack before both", async () => {
  const { cwd, env } = await project("dev", "prod", "test");
  await modelplatform("stack select dev", { cwd, env });
  await modelplatform("config set -s prod color red", { cwd, env });
  await modelplatform("config set -s organization/shop/test color blue", { cwd, env });
  expect((await modelplatform("config get color", { cwd, env })).code).toBe(1);
  expect((await modelplatform("config get color", { cwd, env: { ...env, PULUMI_STACK: "prod" } })).stdout).toBe(
    "red\n",
  );
  expect((await modelplatform("config get color -s test", { cwd, env: { ...env, PULUMI_STACK: "prod" } })).stdout).toBe(
    "blue\n",
  );
});

test("a stack of another project is refused", async () => {
  const { code, stderr } = await modelplatform("stack output -s organization/other/dev", await project("dev"));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "error: organization/other/dev is not a stack of project shop. Write its name alone, or organization/shop/<stack>.\n",
  });
});

test("without a project file, the error names the places searched", async () => {
  const cwd = temporaryFolder();
  const { code, stderr } = await modelplatform("stack ls", { cwd });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: There is no Pulumi.yaml in ${cwd} or above it. Change to the project's folder, or pass it with --cwd.\n`,
  });
});

test("--cwd finds the project from elsewhere", async () => {
  const { cwd, env } = await project("dev");
  expect((await modelplatform(["stack", "ls", "-C", cwd], { env })).stdout).toContain("\ndev ");
  expect((await modelplatform(["--cwd", cwd, "stack", "ls"], { env })).stdout).toContain("\ndev ");
});

test("a backend that is not a folder is left to the Pulumi CLI", async () => {
  const { cwd, env } = await project();
  const { code, stderr } = await modelplatform("stack ls", { cwd, env: { ...env, PULUMI_BACKEND_URL: "s3://bucket" } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: The backend s3:\/\/bucket is not a `file:\/\/` one\. .*Pulumi CLI/);
});

test("removing a stack needs --yes, or its name typed", async () => {
  const { cwd, env } = await project("dev");
  expect(await modelplatform("stack rm dev", { cwd, env })).toMatchObject({
    code: 64,
    stderr: "error: Removing a stack needs --yes when there is no terminal.\n",
  });
  expect(await modelplatform("stack rm dev", { cwd, env, isTTY: true, answers: ["yes"] })).toMatchObject({
    code: 1,
    stderr: "error: The name was not typed: nothing was removed.\n",
  });
  const removed = await modelplatform("stack rm dev", { cwd, env, isTTY: true, answers: ["dev"] });
  expect(removed).toMatchObject({ code: 0, stdout: "Removed the stack dev.\n" });
  expect((await modelplatform("stack ls", { cwd, env })).stdout).toMatch(/^Project shop has no stack yet\./);
});

test("removing a stack takes its config file along, unless told otherwise", async () => {
  const { cwd, env } = await project("dev", "prod");
  for (const stack of ["dev", "prod"]) await modelplatform(`config set -s ${stack} color red`, { cwd, env });
  await modelplatform("stack rm dev --yes", { cwd, env });
  await modelplatform("stack rm prod --yes --preserve-config", { cwd, env });
  expect(["dev", "prod"].map((stack) => existsSync(join(cwd, `Pulumi.${stack}.yaml`)))).toEqual([false, true]);
});

test("outputs are listed, secrets masked, one of them printed bare", async () => {
  const { cwd, env } = await projectWith({
    url: "https://example.com",
    replicas: 2,
    key: { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" },
    __hidden: true,
  });
  expect((await modelplatform("stack output", { cwd, env })).stdout).toBe(
    "OUTPUT    VALUE\nkey       [secret]\nreplicas  2\nurl       https://example.com\n",
  );
  expect((await modelplatform("stack output url", { cwd, env })).stdout).toBe("https://example.com\n");
  expect(JSON.parse((await modelplatform("stack output --json", { cwd, env })).stdout)).toEqual({
    url: "https://example.com",
    replicas: 2,
    key: "[secret]",
  });
});

test("an unknown output is named with its likeness", async () => {
  const { cwd, env } = await projectWith({ url: "https://example.com" });
  expect(await modelplatform("stack output address", { cwd, env })).toMatchObject({
    code: 1,
    stderr: "error: The stack dev has no output address.\n",
  });
  for (const near of ["urls", "ulr"])
    expect(await modelplatform(`stack output ${near}`, { cwd, env })).toMatchObject({
      code: 1,
      stderr: `error: The stack dev has no output ${near}. Did you mean url?\n`,
    });
});

test("a state goes out and comes back, with secrets opened only when asked", async () => {
  const { cwd, env } = await project("dev");
  const box: ResourceState = {
    urn: "urn:pulumi:dev::shop::acme:index:Box::a",
    custom: true,
    id: "box-1",
    type: "acme:index:Box",
    inputs: { key: { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"hunter2"' } },
  };
  const file = stateFile([rootOf("dev", { key: { ...(box.inputs?.["key"] as PropertyMap) } }), box]);
  expect(await modelplatform(["stack", "import", "--file", file], { cwd, env })).toMatchObject({
    code: 0,
    stdout: "Imported 2 resources into the stack dev.\n",
    stderr: "",
  });
  const sealed = (await modelplatform("stack export", { cwd, env })).stdout;
  expect(sealed).toContain('"ciphertext": "v1:');
  expect(sealed).not.toContain("hunter2");
  expect((await modelplatform("stack export --show-secrets", { cwd, env })).stdout).toContain(
    '"plaintext": "\\"hunter2\\""',
  );
  expect((await modelplatform("stack output key", { cwd, env })).stdout).toBe("[secret]\n");
  expect((await modelplatform("stack output key --show-secrets", { cwd, env })).stdout).toBe("hunter2\n");
  expect(await modelplatform("stack import", { cwd, env, stdin: sealed })).toMatchObject({ code: 0 });
  expect((await modelplatform("stack export --show-secrets", { cwd, env })).stdout).toContain("hunter2");
});

test("an exported file is for its owner only", async () => {
  const { cwd, env } = await project("dev");
  expect((await modelplatform("stack export --file state.json", { cwd, env })).stdout).toBe(
    "Wrote the state of the stack dev to state.json.\n",
  );
  expect(statSync(join(cwd, "state.json")).mode & 0o777).toBe(0o600);
});

test("the state of another stack is imported only by force", async () => {
  const { cwd, env } = await project("dev");
  const file = stateFile([rootOf("prod")]);
  const { code, stderr } = await modelplatform(["stack", "import", "--file", file], { cwd, env });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "error: The state is of another stack or project: urn:pulumi:prod::shop::pulumi:pulumi:Stack::shop-prod. Import it into that one, or add --force.\n",
  );
  expect((await modelplatform(["stack", "import", "--force", "--file", file], { cwd, env })).code).toBe(0);
});

test.each([
  ["no json", "error: The state to import into dev is not JSON. Give it as `stack export` writes it.\n"],
  [
    "{}",
    "error: This is not a stack export: it needs `version` and `deployment`, as `pulumi stack export` writes them.\n",
  ],
])("%s is no state", async (stdin, stderr) => {
  expect(await modelplatform("stack import", { ...(await project("dev")), stdin })).toMatchObject({ code: 1, stderr });
});

test("a missing file is named", async () => {
  expect((await modelplatform("stack import --file /nowhere.json", await project("dev"))).stderr).toBe(
    "error: --file: /nowhere.json cannot be read: there is no such file (ENOENT). Check its name and the folder.\n",
  );
});

test("cancel says whose lock it removed", async () => {
  const { cwd, env } = await project("dev");
  expect((await modelplatform("cancel --yes", { cwd, env })).stdout).toBe("The stack dev is not locked.\n");
  const lock = openBackend("file://.", { cwd }).lock("shop", "dev");
  await lock.acquire();
  expect(await modelplatform("cancel", { cwd, env, isTTY: true, answers: ["no"] })).toMatchObject({
    code: 1,
    stderr: "error: Not confirmed: nothing was removed.\n",
  });
  expect((await modelplatform("cancel", { cwd, env, isTTY: true, answers: ["yes"] })).stdout).toMatch(
    new RegExp(`^Removed the lock of process ${process.pid} of .+, held since `),
  );
  expect((await modelplatform("cancel", { cwd, env })).code).toBe(64);
  await lock.release();
});

test("selecting a stack makes it when asked to", async () => {
  const { cwd, env } = await project("dev");
  expect((await modelplatform("stack select prod", { cwd, env })).code).toBe(1);
  expect((await modelplatform("stack select prod --create", { cwd, env })).stdout).toBe(
    "Created the stack prod and selected it.\n",
  );
  expect((await modelplatform("stack select dev --create", { cwd, env })).stdout).toBe("Selected the stack dev.\n");
  expect((await modelplatform("stack --show-name", { cwd, env })).stdout).toBe("dev\n");
});

test.each([
  ["stack ls", 0],
  ["stack", 1],
  ["stack output", 1],
  ["stack export", 1],
  ["stack history", 1],
  ["stack select dev", 1],
  ["config", 1],
  ["preview", 1],
  ["up --yes", 1],
  ["state delete urn:x --yes", 1],
  ["cancel --yes", 1],
  ["stack rm dev --yes", 1],
])("%s creates no folder of a backend that does not exist", async (line, code) => {
  const { cwd, env } = await project();
  const backend = join(cwd, "elsewhere");
  const place = { cwd, env: { ...env, PULUMI_BACKEND_URL: `file://${backend}` } };
  expect((await modelplatform(line, place)).code).toBe(code);
  expect(existsSync(backend)).toBe(false);
});

test("stack tells what the stack has, by URN if asked", async () => {
  const { cwd, env } = await projectWith({});
  const urn = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev";
  expect((await modelplatform("stack", { cwd, env })).stdout).toContain("\npulumi:pulumi:Stack shop-dev\n");
  expect((await modelplatform("stack --show-urns", { cwd, env })).stdout).toContain(`\n${urn}\n`);
});

test.each([["stack"], ["config"]])("%s with a subcommand that does not exist says so", async (group) => {
  const { code, stderr } = await modelplatform(`${group} ouput`, await project("dev"));
  expect(code).toBe(64);
  expect(stderr).toContain("error: unknown command 'ouput'");
});

test("what was done to a stack is listed page by page, the newest first", async () => {
  const { cwd, env } = await project("dev");
  const files = openBackend("file://.", { cwd }).stack("shop", "dev");
  for (const message of ["first", "second"])
    await files.record({
      ...{ kind: "update", message, environment: {}, config: {}, result: "succeeded", resourceChanges: { create: 2 } },
      ...{ startTime: 1_767_355_200, endTime: 1_767_355_205 },
    });
  const line = "stack history --page-size 1";
  expect((await modelplatform(line, { cwd, env })).stdout).toBe(
    "2026-01-02T12:00:00.000Z  update  succeeded  5.0s\n  second\n  2 create\n",
  );
  expect(JSON.parse((await modelplatform(`${line} --page 2 --json`, { cwd, env })).stdout)).toMatchObject([
    { kind: "update", message: "first", startTime: "2026-01-02T12:00:00.000Z", resourceChanges: { create: 2 } },
  ]);
});

test("a stack that has the name already is not renamed, and nobody's lock is named", async () => {
  const { cwd, env } = await project();
  await modelplatform("stack init dev", { cwd, env });
  expect(await modelplatform("stack rename dev --stack dev", { cwd, env })).toMatchObject({
    code: 64,
    stderr: "error: The stack dev has this name already. Choose another one.\n",
  });
  expect((await modelplatform("stack ls", { cwd, env })).stdout).toContain("dev*");
});

test("a renamed stack takes its config along, and overwrites nobody else's", async () => {
  const { cwd, env } = await project();
  await modelplatform("stack init dev", { cwd, env });
  const config = readFileSync(join(cwd, "Pulumi.dev.yaml"), "utf8");
  expect((await modelplatform("stack rename live --stack dev", { cwd, env })).code).toBe(0);
  expect(readFileSync(join(cwd, "Pulumi.live.yaml"), "utf8")).toBe(config);
  writeFileSync(join(cwd, "Pulumi.prod.yaml"), "config: {}\n");
  const { code, stderr } = await modelplatform("stack rename prod --stack live", { cwd, env });
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Pulumi.prod.yaml is there already"),
  });
  expect(readFileSync(join(cwd, "Pulumi.prod.yaml"), "utf8")).toBe("config: {}\n");
});

test.each([
  ["stack ls", 0],
  ["stack select dev", 1],
  ["stack init live", 1],
  ["config --stack live", 1],
  ["stack", 1],
  ["doctor --stack dev", 1],
])("where a rename was cut off, `%s` names the command that finishes it", async (line, code) => {
  const { cwd, env } = await project("dev");
  const states = join(cwd, ".pulumi/stacks/shop");
  renameSync(join(states, "dev.json"), join(states, "dev.json@live.renamed"));
  const ended = await modelplatform(line, { cwd, env });
  expect([ended.code, ended.stdout + ended.stderr]).toEqual([
    code,
    expect.stringContaining("npx pulumi-modelplatform stack rename live --stack dev"),
  ]);
});

test("doctor says that a move was cut off, although its lock is gone", async () => {
  const place = await projectWith({});
  const file = join(place.cwd, ".pulumi/stacks/shop/dev.json");
  const document = JSON.parse(readFileSync(file, "utf8"));
  document.checkpoint.latest.resources[0].movingTo = { stack: "people", retained: false };
  writeFileSync(file, JSON.stringify(document));
  const { stdout } = await modelplatform("doctor --stack dev", place);
  expect(stdout).toMatch(/`state move` of dev to people was cut off/);
  expect(stdout).toContain("npx pulumi-modelplatform state move --yes --source dev --dest people");
});

test("a state that is nested thousands deep is refused in words", async () => {
  const { cwd } = await projectWith({});
  const file = join(cwd, ".pulumi/stacks/shop/dev.json");
  const text = readFileSync(file, "utf8");
  const document = JSON.parse(text);
  document.checkpoint.latest.resources[0].outputs = { x: "DEEP" };
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  writeFileSync(file, JSON.stringify(document).replace('"DEEP"', deep));
  const { code, stderr } = await modelplatform(["stack", "export", "--stack", "dev"], { cwd });
  expect([code, stderr]).toEqual([1, expect.stringContaining("is nested too deeply to be read")]);
});
