import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEmulator, type Emulator } from "../../emulator/index";
import { nightly } from "../nightly";
import { type Engine, enginePath, homeIn, repository, withCliAtNight } from "./engines";

const example = join(repository, "examples/stack-per-account");
const accounts = Object.keys(JSON.parse(readFileSync(join(example, "accounts.json"), "utf8")) as object);
const keysOf = (key: (account: string) => string): string =>
  JSON.stringify(Object.fromEntries(accounts.map((account) => [account, { apiKey: key(account) }])));
const right = keysOf((account) => `${account}-key`);
const oneWrong = keysOf((account) => (account === accounts[0] ? "another" : `${account}-key`));

let emulator: Emulator;
let url: string;
let folder: string;

beforeEach(async () => {
  emulator = createEmulator({
    accounts: Object.fromEntries(accounts.map((account) => [account, `${account}-key`])),
    settings: { speed: 3000 },
  });
  ({ url } = await emulator.listen({ port: 0 }));
  folder = mkdtempSync(join(realpathSync(tmpdir()), "stacks-"));
  mkdirSync(join(folder, "examples/.pulumi"), { recursive: true });
  cpSync(example, join(folder, "examples/stacks"), { recursive: true });
  cpSync(join(repository, "examples/tsconfig.json"), join(folder, "examples/tsconfig.json"));
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
});

afterEach(async () => {
  await emulator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** How `node all.mjs` ended, and what it printed. */
async function all(engine: Engine, args: readonly string[], keys = right): Promise<{ code: number; output: string }> {
  const env = {
    PATH: enginePath,
    ...homeIn(folder),
    PULUMI_BACKEND_URL: `file://${join(folder, "examples")}`,
    PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    MODELPLATFORM_BASE_URL: url,
    MODELPLATFORM_ACCOUNTS: keys,
    MODELPLATFORM_INTENTS: join(folder, "intents"),
  };
  const command = [
    join(folder, "examples/stacks/all.mjs"),
    ...args,
    "--engine",
    engine.isBuiltIn ? "built-in" : "pulumi",
  ];
  const ended = await promisify(execFile)(process.execPath, command, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
  return ended;
}

/** Accounts whose policy has a residency. */
const governed = (): string[] =>
  accounts.filter(
    (account) => emulator.world.get(`accounts/${account}/policySettings`)?.fields["residency"] !== undefined,
  );

withCliAtNight("only the command that the script starts differs", (engine) => {
  test("an account whose stack fails costs only itself", async () => {
    const { code, output } = await all(engine, ["up"], oneWrong);
    expect([code, output]).toEqual([1, expect.stringContaining("2 of 3 accounts done")]);
    expect(governed()).toEqual(accounts.slice(1));
  });

  nightly("five commands on each of three stacks; a normal run covers the first", () => {
    test("every account has a stack of its own, and one that fails costs only itself", async () => {
      const first = await all(engine, ["up"], oneWrong);
      expect(first).toMatchObject({ code: 1, output: expect.stringContaining(`${accounts[0]}: up failed`) });
      expect(first.output).toContain("2 of 3 accounts done");
      expect(governed()).toEqual(accounts.slice(1));

      expect(await all(engine, ["up"])).toMatchObject({
        code: 0,
        output: expect.stringContaining("3 of 3 accounts done"),
      });
      expect(governed()).toEqual(accounts);
      const clean = await all(engine, ["preview"]);
      expect(clean.output.match(/: preview succeeded: \d+ same$/gm)).toHaveLength(3);

      expect(await all(engine, ["destroy", "--shard", "1/2"])).toMatchObject({
        code: 0,
        output: expect.stringContaining("2 of 2 accounts done"),
      });
      expect(governed()).toEqual([accounts[1]]);
      expect(await all(engine, ["destroy", "--shard", "2/2"])).toMatchObject({
        code: 0,
        output: expect.stringContaining("1 of 1 accounts done"),
      });
      expect(governed()).toEqual([]);
    });
  });
});
