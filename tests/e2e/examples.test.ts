import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEmulator, type Emulator } from "../../emulator/index";
import { nativeCompiler } from "../../engine/processes/native-check";
import { InlineSite } from "../inline/site";
import { nightly, tonight } from "../nightly";
import { builtIn, enginePath, repository } from "./engines";
import { accountsOf, examples, exportsOf } from "./example-folders";
import { liveOf } from "./live-objects";
import { account } from "./site";

const run = promisify(execFile);

test.concurrent("every program has the types that it needs", async () => {
  // `engine/compilers` has both compilers find the same in each of them.
  const native = nativeCompiler();
  const [file, ...args] = native ? [native] : [process.execPath, require.resolve("typescript/bin/tsc")];
  const compiler = run(file, [...args, "-p", join(repository, "examples")]);
  const { stdout } = await compiler.catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});

describe("on the built-in engine, in one process", () => {
  test.each(examples)("%s goes up, needs nothing more, and leaves nothing behind", async (example) => {
    const accounts = Object.fromEntries(accountsOf(example));
    const site = await InlineSite.start({ program: `modelplatform-${example}`, accounts });
    const env = { ...Object.fromEntries(exportsOf(example)), ...site.env };
    const live = () => liveOf(site.emulator, example, account);
    try {
      expect((await site.expect(0, "up", { env })).output).not.toContain("warning");
      expect(live()).not.toEqual([]);
      await site.expect(0, "preview --refresh --expect-no-changes", { env });
      await site.expect(0, "destroy", { env });
      expect(live()).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

nightly("each program starts three processes, four times; a normal run covers them in one", () => {
  let emulator: Emulator;
  let url: string;
  let site: string;

  /**
   * The examples as they lie in the repository, where engines may write beside them; all at
   * one emulator, each in an account of its own.
   */
  beforeAll(async () => {
    const own = examples.map((example) => [example, `${example}-key`]);
    emulator = createEmulator({
      accounts: Object.fromEntries([...own, ...examples.flatMap(accountsOf)]),
      settings: { speed: 3000 },
    });
    ({ url } = await emulator.listen({ port: 0 }));
    site = mkdtempSync(join(realpathSync(tmpdir()), "examples-"));
    cpSync(join(repository, "examples"), join(site, "examples"), {
      recursive: true,
      filter: (path) => !/(node_modules|\.pulumi|Pulumi\.\w+\.yaml)$/.test(path),
    });
    symlinkSync(join(repository, "node_modules"), join(site, "node_modules"));
  });

  afterAll(async () => {
    await emulator.close();
    rmSync(site, { recursive: true, force: true });
  });

  /** What its README tells to set, and the rest of what the engine needs; types are checked once, for all of them. */
  const environmentOf = (example: string): Record<string, string> => ({
    PULUMI_CONFIG_PASSPHRASE: "only-for-the-emulator",
    ...Object.fromEntries(exportsOf(example)),
    PATH: enginePath,
    HOME: site,
    PULUMI_BACKEND_URL: `file://${join(site, "examples", example)}`,
    PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    MODELPLATFORM_BASE_URL: url,
    MODELPLATFORM_ACCOUNT_ID: example,
    MODELPLATFORM_API_KEY: `${example}-key`,
    MODELPLATFORM_INTENTS: join(site, "intents", example),
  });

  /** What a command printed, which must have ended well. */
  async function engine(example: string, ...args: string[]): Promise<string> {
    const { stdout, stderr } = await run(builtIn.command, [...builtIn.args, ...args], {
      cwd: join(site, "examples", example),
      env: environmentOf(example),
    }).catch((error: { stdout: string; stderr: string; code: number }) => {
      throw new Error(`\`${args.join(" ")}\` of ${example} ended with ${error.code}:\n${error.stdout}${error.stderr}`);
    });
    return `${stdout}${stderr}`;
  }

  const changes = ["--yes", "--skip-preview"];

  // One after the other: jest lets the emulator load nothing between concurrent tests.
  test.each(tonight(2, examples))("%s goes up, needs nothing more, and leaves nothing behind", async (example) => {
    await engine(example, "stack", "init", "dev");
    expect(await engine(example, "up", ...changes)).not.toContain("warning");
    expect(liveOf(emulator, example, example)).not.toEqual([]);
    await engine(example, "preview", "--refresh", "--expect-no-changes");
    await engine(example, "destroy", ...changes);
    expect(liveOf(emulator, example, example)).toEqual([]);
  });
});
