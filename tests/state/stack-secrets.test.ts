import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSecrets } from "../../engine/state/passphrase";
import { readProject } from "../../engine/state/project";
import { encryptSnapshot, openStack } from "../../engine/state/secrets";
import { readStackConfig, type StackConfig } from "../../engine/state/stack-config";
import { fixturePassphrase, fixtureSalt, resource, secret, snapshotOf } from "./states";
import { temporaryFolder } from "./temporary-folder";

// A key takes a million rounds to derive, however long that is.
jest.setTimeout(120_000);

const env = { PULUMI_CONFIG_PASSPHRASE: fixturePassphrase };
const state = snapshotOf([resource("a", { outputs: { x: secret("hidden") } })]);

async function configWith(salt?: string): Promise<StackConfig> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), "name: demo\nruntime: nodejs\n");
  const config = await readStackConfig(await readProject(folder), "dev");
  if (salt !== undefined) config.encryptionSalt = salt;
  return config;
}

describe("the secrets of a stack", () => {
  test("are opened with the config's salt", async () => {
    const { manager, snapshot } = await openStack(await configWith(fixtureSalt), undefined, env);
    expect([manager.state.salt, snapshot]).toEqual([fixtureSalt, undefined]);
  });

  test("are opened with the state's salt where the config has none, which then gets it", async () => {
    const sealed = encryptSnapshot(state, await openSecrets({ passphrase: fixturePassphrase, salt: fixtureSalt }));
    const config = await configWith();
    const { manager, snapshot } = await openStack(config, sealed, env);
    expect([manager.state.salt, config.encryptionSalt]).toEqual([fixtureSalt, fixtureSalt]);
    expect(snapshot!.resources).toEqual(state.resources);
  });

  test("get a new salt where there is none", async () => {
    const config = await configWith();
    const { manager, snapshot } = await openStack(config, snapshotOf([]), env);
    expect(config.encryptionSalt).toBe(manager.state.salt);
    expect(snapshot!.resources).toEqual([]);
  });

  test("sealed with another salt are opened with that, and sealed with the config's", async () => {
    const sealed = encryptSnapshot(state, await openSecrets({ passphrase: fixturePassphrase }));
    const { manager, snapshot } = await openStack(await configWith(fixtureSalt), sealed, env);
    expect(snapshot!.resources).toEqual(state.resources);
    const again = encryptSnapshot(snapshot!, manager);
    expect(again.secretsProvider).toEqual({ type: "passphrase", state: { salt: fixtureSalt } });
    const reopened = await openStack(await configWith(fixtureSalt), again, env);
    expect(reopened.snapshot!.resources).toEqual(state.resources);
  });

  test("stay closed without a passphrase, and with another provider", async () => {
    await expect(openStack(await configWith(fixtureSalt), undefined, {})).rejects.toThrow(/PULUMI_CONFIG_PASSPHRASE/);
    const cloud = snapshotOf([], { secretsProvider: { type: "service", state: {} } });
    await expect(openStack(await configWith(), cloud, env)).rejects.toThrow(/`service`.*Pulumi CLI/);
  });
});
