import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelplatform, project, temporaryFolder } from "../cli/terminal";
import { listener } from "./listener";

const ownKey = "operators-own-key-1";

interface Checkout {
  /** Lines of the stack's config. */
  config: readonly string[];
  env?: Record<string, string>;
  flags?: readonly string[];
}

/** `doctor` in somebody else's checkout. */
async function doctorIn({ config, env = {}, flags = [] }: Checkout): Promise<string> {
  const { cwd, env: own } = await project("dev");
  writeFileSync(join(cwd, "Pulumi.dev.yaml"), `config:\n${config.map((line) => `  ${line}\n`).join("")}`);
  const { stdout, stderr } = await modelplatform(["doctor", "--json", ...flags], {
    cwd,
    env: { ...own, MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_INTENTS: temporaryFolder(), ...env },
  });
  return stdout + stderr;
}

const marker = (): { path: string; command: string } => {
  const path = join(temporaryFolder(), "ran");
  return { path, command: JSON.stringify(["touch", path]) };
};

test("doctor runs no key command of the project's files", async () => {
  const { path, command } = marker();
  const text = await doctorIn({
    config: [
      "modelplatform:baseUrl: http://127.0.0.1:9",
      `modelplatform:accounts: '{"acme":{"keyCommand":${command}}}'`,
    ],
  });
  expect(existsSync(path)).toBe(false);
  expect(text).toContain("has not been run");
});
test("doctor runs no key command of the project for an address of the environment", async () => {
  const { path, command } = marker();
  await doctorIn({
    config: [`modelplatform:accounts: '{"acme":{"keyCommand":${command}}}'`],
    env: { MODELPLATFORM_BASE_URL: "http://127.0.0.1:9" },
  });
  expect(existsSync(path)).toBe(false);
});
test("doctor runs the key command of the project's files when it is told to trust them", async () => {
  const { path, command } = marker();
  await doctorIn({
    config: [
      "modelplatform:baseUrl: http://127.0.0.1:9",
      `modelplatform:accounts: '{"acme":{"keyCommand":${command}}}'`,
    ],
    flags: ["--trust-project"],
  });
  expect(existsSync(path)).toBe(true);
});
for (const [what, env] of [
  ["a key", { MODELPLATFORM_API_KEY: ownKey }],
  ["a table of keys", { MODELPLATFORM_ACCOUNTS: JSON.stringify({ acme: { apiKey: ownKey } }) }],
] as const) {
  test(`doctor sends ${what} of the environment to no address of the project's files`, () =>
    listener(async (url, seen) => {
      const text = await doctorIn({ config: [`modelplatform:baseUrl: ${url}`], env });
      expect(seen).toEqual([]);
      expect(text).toContain("has not been sent there");
      expect(text).not.toContain(ownKey);
    }));
}
test("doctor runs no key command of the environment for an address of the project", () =>
  listener(async (url, seen) => {
    const { path, command } = marker();
    await doctorIn({
      config: [`modelplatform:baseUrl: ${url}`],
      env: { MODELPLATFORM_ACCOUNTS: `{"acme":{"keyCommand":${command}}}` },
    });
    expect([existsSync(path), seen]).toEqual([false, []]);
  }));
test("doctor told to trust the project sends its address a key of the environment", () =>
  listener(async (url, seen) => {
    await doctorIn({
      config: [`modelplatform:baseUrl: ${url}`],
      env: { MODELPLATFORM_API_KEY: ownKey },
      flags: ["--trust-project"],
    });
    expect(seen.some((line) => line.includes(ownKey))).toBe(true);
  }));
test("doctor reads no device that the project's files name as a dialect", async () => {
  const text = await doctorIn({
    config: ["modelplatform:dialect: /dev/zero"],
    env: { MODELPLATFORM_API_KEY: ownKey, MODELPLATFORM_BASE_URL: "http://127.0.0.1:9" },
  });
  expect(text).toContain("not a regular file");
});
test("a scan takes no key, command or address of the project's files", () =>
  listener(async (url, seen) => {
    const { path, command } = marker();
    const { cwd, env } = await project("dev");
    writeFileSync(
      join(cwd, "Pulumi.dev.yaml"),
      `config:\n  modelplatform:baseUrl: ${url}\n  modelplatform:accounts: '{"acme":{"keyCommand":${command}}}'\n`,
    );
    const { code } = await modelplatform("drift --backend file://. --account acme", {
      cwd,
      env: { ...env, MODELPLATFORM_API_KEY: ownKey, MODELPLATFORM_ACCOUNT_ID: "acme", XDG_STATE_HOME: cwd },
    });
    expect([code === 0, existsSync(path), seen]).toEqual([false, false, []]);
  }));
test("a call takes no address of the project's files", () =>
  listener(async (url, seen) => {
    const { cwd, env } = await project("dev");
    writeFileSync(join(cwd, "Pulumi.dev.yaml"), `config:\n  modelplatform:baseUrl: ${url}\n`);
    await modelplatform("call listAccounts", {
      cwd,
      env: { ...env, MODELPLATFORM_API_KEY: ownKey, MODELPLATFORM_ACCOUNT_ID: "acme" },
    });
    expect(seen).toEqual([]);
  }));
test("doctor looks for the Pulumi CLI on the PATH, not in the checkout", async () => {
  const { cwd, env } = await project("dev");
  const ran = join(cwd, "ran");
  mkdirSync(join(cwd, "node_modules", ".bin"), { recursive: true });
  for (const file of [join(cwd, "pulumi"), join(cwd, "node_modules", ".bin", "pulumi")])
    writeFileSync(file, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  await modelplatform("doctor", { cwd, env: { ...env, PATH: "/usr/bin:/bin" } });
  expect(existsSync(ran)).toBe(false);
});
