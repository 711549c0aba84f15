import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportDeployment } from "../../engine/state/checkpoint";
import { openSecrets } from "../../engine/state/passphrase";
import { readProject } from "../../engine/state/project";
import type { Snapshot } from "../../engine/state/resource-state";
import { encryptSnapshot, openStack, showSecrets } from "../../engine/state/secrets";
import { readStackConfig, resolveConfig, writeStackConfig } from "../../engine/state/stack-config";
import { describeWithPulumi, Sandbox } from "./real-pulumi";
import { plaintext, resource, secret, snapshotOf, urnOf } from "./states";

// Starting the CLI takes its time, several times per test.
jest.setTimeout(120_000);

const root = urnOf("demo-dev", "pulumi:pulumi:Stack");
const provider = urnOf("default", "pulumi:providers:test");
const within = { parent: root, provider: `${provider}::p1` };

/** In memory form, in no good order. */
const state: Snapshot = snapshotOf([
  resource("b", {
    ...within,
    dependencies: [urnOf("a")],
    deletedWith: urnOf("a"),
    propertyDependencies: { x: [urnOf("a")] },
    protect: true,
  }),
  resource("a", {
    ...within,
    inputs: { "9": 1, "10": 2, password: secret({ deep: ["<&>", secret("inner")] }) },
    initErrors: ["slow"],
    customTimeouts: { create: 1.5 },
  }),
  { urn: provider, custom: true, id: "p1", type: "pulumi:providers:test" },
  { urn: root, custom: false, type: "pulumi:pulumi:Stack", outputs: { out: secret("top"), text: "é <&> \u2028 😀" } },
]);
const shownPassword = plaintext(JSON.stringify({ deep: ["<&>", plaintext('"inner"')] }));

async function written(sandbox: Sandbox, snapshot = state): Promise<void> {
  const config = await readStackConfig(await readProject(sandbox.project), "dev");
  const { manager } = await openStack(config, undefined, sandbox.env);
  config.set("token", "s3cret <&>", { secret: manager });
  config.set("deep.list[0]", "7", { path: true });
  await writeStackConfig(config);
  await sandbox.backend().createStack("demo", "dev", encryptSnapshot(snapshot, manager));
}

describeWithPulumi("a stack that the CLI made", () => {
  test("is listed, selected, read and decrypted", async () => {
    const sandbox = new Sandbox();
    sandbox.pulumi(["stack", "init", "dev"]);
    sandbox.pulumi(["config", "set", "--secret", "token", "s3cret <&>"]);
    const project = await readProject(sandbox.project);
    const config = await readStackConfig(project, "dev");
    const secretsProvider = { type: "passphrase", state: { salt: config.encryptionSalt ?? "" } };
    writeFileSync(
      join(sandbox.root, "in.json"),
      JSON.stringify(exportDeployment(showSecrets({ ...state, secretsProvider }))),
    );
    sandbox.pulumi(["stack", "import", "--file", join(sandbox.root, "in.json")]);
    const { manager, snapshot } = await openStack(
      config,
      await sandbox.backend().stack("demo", "dev").load(),
      sandbox.env,
    );
    expect(await sandbox.backend().listStacks()).toEqual([{ project: "demo", name: "dev" }]);
    expect(await sandbox.backend().selectedStack(project)).toBe("dev");
    expect(config.get("token", manager)).toBe("s3cret <&>");
    const byUrn = new Map(snapshot!.resources.map((one) => [one.urn, one]));
    for (const expected of state.resources) expect(byUrn.get(expected.urn)).toEqual(expected);
  });

  test.each([
    ["PULUMI_DIY_BACKEND_GZIP", "dev.json.gz"],
    ["PULUMI_DIY_BACKEND_ZSTD", "dev.json.zst"],
  ])("with %s stays one stack with one state when we or the CLI write it again", async (variable, file) => {
    const sandbox = new Sandbox();
    const names = (): string[] =>
      readdirSync(join(sandbox.root, "state/.pulumi/stacks/demo")).filter((name) => !/\.(bak|attrs)/.test(name));
    const ids = (): unknown =>
      JSON.parse(sandbox.pulumi(["stack", "export"])).deployment.resources?.map(({ id }: { id: string }) => id);
    sandbox.pulumi(["stack", "init", "dev"], { [variable]: "true" });
    expect(names()).toEqual([file]);
    const stack = sandbox.backend().stack("demo", "dev");
    const before = await stack.load();
    await stack.save({ ...before!, resources: [resource("a")] });
    expect([names().length, ids()]).toEqual([1, ["id-a"]]);
    sandbox.pulumi(["stack", "export", "--file", "out.json"]);
    sandbox.pulumi(["stack", "import", "--file", "out.json"], { [variable]: "true" });
    expect([names(), ids()]).toEqual([[file], ["id-a"]]);
    expect((await sandbox.backend().stack("demo", "dev").load())!.resources).toHaveLength(1);
  });
});

describeWithPulumi("a stack that we made", () => {
  test("is listed, exported with its secrets and selected by the CLI", async () => {
    const sandbox = new Sandbox();
    await written(sandbox);
    await sandbox.backend().selectStack(await readProject(sandbox.project), "dev");
    expect(JSON.parse(sandbox.pulumi(["stack", "ls", "--json"]))).toMatchObject([
      { name: "dev", current: true, resourceCount: 4 },
    ]);
    const { deployment } = JSON.parse(sandbox.pulumi(["stack", "export", "--show-secrets"]));
    expect(deployment.resources.map(({ urn }: { urn: string }) => urn)).toEqual([
      provider,
      root,
      urnOf("a"),
      urnOf("b"),
    ]);
    expect(JSON.parse(deployment.resources[2].inputs.password.plaintext)).toEqual(
      JSON.parse(String(shownPassword["plaintext"])),
    );
    expect(sandbox.pulumi(["stack", "output", "--show-secrets", "--json"])).toContain('"out": "top"');
    expect(JSON.parse(sandbox.pulumi(["stack", "output", "--json"]))).toEqual({
      out: "[secret]",
      text: "é <&> \u2028 😀",
    });
  });

  test("has config that the CLI reads, and can be changed by it", async () => {
    const sandbox = new Sandbox();
    await written(sandbox);
    expect(sandbox.pulumi(["config", "get", "token", "--stack", "dev"])).toBe("s3cret <&>\n");
    expect(sandbox.pulumi(["config", "get", "--path", "deep.list[0]", "--stack", "dev"])).toBe("7\n");
    expect(sandbox.pulumi(["state", "unprotect", urnOf("b"), "--yes", "--stack", "dev"])).toMatch(/unprotected/);
    const read = await sandbox.backend().stack("demo", "dev").load();
    expect(read!.resources.some(({ protect }) => protect)).toBe(false);
  });

  test("has a history that the CLI shows", async () => {
    const sandbox = new Sandbox();
    await written(sandbox);
    const config = { "demo:token": { secure: "v1:x" } };
    const done = {
      kind: "destroy",
      startTime: 1_767_323_045,
      endTime: 1_767_323_047,
      message: "clean up",
      environment: { "exec.kind": "x" },
      config,
    } as const;
    await sandbox
      .backend()
      .stack("demo", "dev")
      .record({ ...done, result: "failed", resourceChanges: { delete: 3 } });
    expect(JSON.parse(sandbox.pulumi(["stack", "history", "--json", "--stack", "dev"]))).toMatchObject([
      {
        kind: "destroy",
        startTime: "2026-01-02T03:04:05.000Z",
        endTime: "2026-01-02T03:04:07.000Z",
        message: "clean up",
        result: "failed",
        resourceChanges: { delete: 3 },
      },
    ]);
  });

  test("is closed to the CLI while we have its lock, until `pulumi cancel`", async () => {
    const sandbox = new Sandbox();
    await written(sandbox);
    const lock = sandbox.backend().lock("demo", "dev");
    await lock.acquire();
    expect(() => sandbox.pulumi(["stack", "rm", "dev", "--yes", "--force"])).toThrow(
      new RegExp(`currently locked.*pid ${process.pid}`, "s"),
    );
    sandbox.pulumi(["cancel", "dev", "--yes"]);
    expect(readdirSync(join(sandbox.root, "state/.pulumi/locks/organization/demo/dev"))).toEqual([]);
    await lock.release();
    sandbox.pulumi(["stack", "rm", "dev", "--yes", "--force"]);
    expect(await sandbox.backend().listStacks()).toEqual([]);
  });

  test("is refused to the CLI with a wrong passphrase, as the CLI's own is to us", async () => {
    const sandbox = new Sandbox();
    await written(sandbox);
    const env = { PULUMI_CONFIG_PASSPHRASE: "wrong" };
    expect(() => sandbox.pulumi(["config", "get", "token", "--stack", "dev"], env)).toThrow(/incorrect passphrase/);
    sandbox.pulumi(["stack", "init", "other"]);
    const config = await readStackConfig(await readProject(sandbox.project), "other");
    await expect(openSecrets({ passphrase: "wrong", salt: config.encryptionSalt })).rejects.toThrow(
      /passphrase does not fit/,
    );
  });
});

describeWithPulumi("the config of a stack", () => {
  const texts = [
    "42",
    "007",
    "+5",
    "-0",
    "1.5",
    "true",
    "True",
    "null",
    "",
    "a: b",
    "9223372036854775807",
    "99999999999999999999",
  ];

  test("is the same whoever sets it", async () => {
    const sandbox = new Sandbox();
    sandbox.pulumi(["stack", "init", "dev"]);
    const config = await readStackConfig(await readProject(sandbox.project), "ours");
    const pairs = texts.flatMap(
      (text, index) =>
        [
          [`list[${index}]`, text],
          [`plain${index}`, text],
        ] as const,
    );
    sandbox.pulumi([
      "config",
      "set-all",
      "--path",
      ...pairs.flatMap(([key, text]) => ["--plaintext", `${key}=${text}`]),
    ]);
    for (const [key, text] of pairs) config.set(key, text, { path: true });
    const theirs = await readStackConfig(config.project, "dev");
    expect(theirs.values()).toEqual(config.values());
  });

  test("is resolved as the CLI resolves it, the project's defaults included", async () => {
    const sandbox = new Sandbox(`name: demo
runtime: nodejs
config:
  region: eu
  count: {type: integer, default: 3}
  tags: {type: array, items: {type: string}, default: [a, "<b>"]}
  ratio: {default: 1.5}
  deep.inner: {default: x}
  other:zone: {value: {b: 1, a: [true]}}
`);
    sandbox.pulumi(["stack", "init", "dev"]);
    sandbox.pulumi([
      "config",
      "set-all",
      "--path",
      "--plaintext",
      "o.n=1",
      "--plaintext",
      "o.big=12345678901234567890",
      "--secret",
      "o.s=hidden <&>",
      "--plaintext",
      "x=1.50",
    ]);
    const config = await readStackConfig(await readProject(sandbox.project), "dev");
    const { manager } = await openStack(config, undefined, sandbox.env);
    const theirs: { [key: string]: { value: string; secret: boolean } } = JSON.parse(
      sandbox.pulumi(["config", "--json", "--show-secrets"]),
    );
    const ours = resolveConfig(config.project, config, manager);
    expect(ours.values).toEqual(Object.fromEntries(Object.entries(theirs).map(([key, { value }]) => [key, value])));
    expect(ours.secretKeys).toEqual(Object.keys(theirs).filter((key) => theirs[key]!.secret));
  });
});
