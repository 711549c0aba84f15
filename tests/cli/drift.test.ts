import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { openBackend } from "../../engine/state/backend";
import { importDeployment } from "../../engine/state/checkpoint";
import { exported, type RecordedResource } from "../drift/support/stacks";
import type { Values } from "../values";
import { modelplatform, type Setting, temporaryFolder } from "./terminal";

const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2, description: "answers" };
const name = "accounts/demo/deployments/chat";
const live = { name, ...inputs, state: "READY" };

let emulator: Emulator;
let url: string;

beforeAll(async () => {
  emulator = createEmulator({ clock: "manual" });
  ({ url } = await emulator.listen({ port: 0 }));
});
afterAll(() => emulator.close());

const put = (fields: Values = {}): void =>
  emulator.world.put({ kind: "Deployment", name, fields: { ...live, ...fields } });

/** A folder with an exported stack, and the environment of a scan. */
function place(env: { [name: string]: string } = {}): Setting & { cwd: string } {
  const cwd = temporaryFolder();
  const recorded: RecordedResource = { kind: "Deployment", inputs, live, outputs: { endpoint: url } };
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([recorded])));
  return {
    cwd,
    env: {
      MODELPLATFORM_ACCOUNT_ID: "demo",
      MODELPLATFORM_API_KEY: "demo-key",
      MODELPLATFORM_BASE_URL: url,
      XDG_STATE_HOME: join(cwd, "state"),
      ...env,
    },
  };
}

const report = (text: string): Values & { findings: Values[] } => JSON.parse(text);

test.each<[string, Values, string, number]>([
  ["no drift", {}, "", 0],
  ["drift", { maxReplicaCount: 9 }, "", 2],
  ["drift that does not count", { maxReplicaCount: 9 }, "--fail-on missing", 0],
  ["what could not be read", { maxReplicaCount: 9 }, "--account nobody --account demo --stack-file other.json", 3],
])("%s decides the exit code", async (_, fields, flags, code) => {
  put(fields);
  const setting = place();
  writeFileSync(
    join(setting.cwd, "other.json"),
    JSON.stringify(
      exported(
        [
          {
            kind: "Deployment",
            inputs,
            live: { ...live, name: "accounts/nobody/deployments/chat" },
            outputs: { endpoint: url },
          },
        ],
        { project: "other" },
      ),
    ),
  );
  const outcome = await modelplatform(`drift --stack-file prod.json --json ${flags}`, setting);
  expect({ code: outcome.code, exitCode: report(outcome.stdout)["exitCode"] }).toEqual({ code, exitCode: code });
});

test("the default format is a table for users; progress and time go to standard error", async () => {
  put({ maxReplicaCount: 9 });
  const { stdout, stderr } = await modelplatform("drift --stack-file prod.json", place());
  expect(stdout).toMatch(/changed/);
  expect(stdout).toMatch(/maxReplicaCount/);
  expect(stderr).toMatch(
    /^note: what interrupted runs may have left [^\n]+\ndemo: read, \d+ objects?\n(Time: [^\n]+\n)?$/,
  );
});

test("an account that was named and refuses its key is reported, and the scan exits 3", async () => {
  put();
  const setting = place({
    MODELPLATFORM_ACCOUNTS: JSON.stringify({ other: { apiKey: "wrong-key" } }),
  });
  const { code, stderr, stdout } = await modelplatform(
    "drift --stack-file prod.json --account demo --account other",
    setting,
  );
  expect(code).toBe(3);
  expect(stderr).toContain("other: refused the key (401)\n");
  expect(stdout).toMatch(/not everything could be read/);
});

test("one format is a file, several are a folder", async () => {
  put();
  const setting = place();
  expect(
    (await modelplatform("drift --stack-file prod.json --format json --output out/one.json", setting)).stdout,
  ).toBe("");
  expect(report(readFileSync(join(setting.cwd, "out", "one.json"), "utf8"))["exitCode"]).toBe(0);
  await modelplatform("drift --stack-file prod.json --format json,csv --format sarif --output reports", setting);
  expect(readdirSync(join(setting.cwd, "reports")).sort()).toEqual(["drift.csv", "drift.json", "drift.sarif"]);
});

test("Markdown is added to the summary of a job that has one", async () => {
  put();
  const setting = place();
  const summary = join(setting.cwd, "summary.md");
  writeFileSync(summary, "# Job\n");
  const { stdout } = await modelplatform("drift --stack-file prod.json --format markdown", {
    ...setting,
    env: { ...setting.env, GITHUB_STEP_SUMMARY: summary },
  });
  expect(readFileSync(summary, "utf8")).toBe(`# Job\n${stdout}`);
});

test.each([
  ["drift", "give --backend or --stack-file"],
  ["drift --stack-file prod.json --format odd", 'does not know "odd"'],
  ["drift --stack-file prod.json --kind User", "add --unmanaged"],
  ["drift --stack-file prod.json --filter state=READY", "add --unmanaged"],
  ["drift --stack-file prod.json --unmanaged --kind Users", 'does not know "Users"; there are Deployment, '],
  ["drift --stack-file prod.json --unmanaged --filter stat=READY", "unknown field `stat` at character 1; did you mean"],
  ["drift --stack-file prod.json --format json,csv", "give --output"],
  ["drift --stack-file prod.json --shard 0/2", "the first is 1"],
  ["drift --stack-file prod.json --fail-on changed,odd", 'does not know "odd"'],
  ["drift --stack-file prod.json --concurrency 0", "a whole number from 1 on"],
  ["drift --stack-file prod.json --timeout soon", "such as 90s"],
  ["drift baseline --stack-file prod.json --owner me", "needs --owner, --reason and --expires"],
  ["drift merge prod.json --cause 01", "--cause says what a baseline accepts"],
  [
    "drift baseline --stack-file prod.json --output b.json --owner me --reason x --expires 2999-01-01",
    "--expires takes a day",
  ],
])("%s is a mistake of the command line", async (line, says) => {
  const { code, stderr } = await modelplatform(line, place());
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(says) });
});

test.each([
  [
    "drift --stack-file absent.json",
    "The stack file absent.json cannot be read: there is no such file (ENOENT). Check its name",
  ],
  [
    "drift --stack-file prod.json --ignore absent",
    "absent cannot be read: there is no such file (ENOENT). Check its name",
  ],
  [
    "drift --stack-file prod.json --since prod.json",
    "prod.json is not a report of `npx pulumi-modelplatform drift --format json`",
  ],
  ["drift --stack-file prod.json --baseline prod.json", "prod.json is not a baseline"],
])("%s is an error", async (line, says) => {
  const { code, stderr } = await modelplatform(line, place());
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
});

test("a baseline is written, used, and commented on", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const terms = ["--stack-file", "prod.json", "--owner", "team", "--reason", "load test", "--expires", day];
  const written = await modelplatform(["drift", "baseline", "--output", "b.json", ...terms], setting);
  const accepted = expect.stringContaining(`Accepted 1 finding until ${day} in b.json`);
  expect(written).toMatchObject({ code: 0, stdout: "", stderr: accepted });
  const { entries } = JSON.parse(readFileSync(join(setting.cwd, "b.json"), "utf8")) as { entries: Values[] };
  writeFileSync(
    join(setting.cwd, "b.yaml"),
    `# agreed on Monday\nversion: 1\nentries:\n  - ${JSON.stringify(entries[0])}\n`,
  );
  for (const file of ["b.json", "b.yaml"])
    expect((await modelplatform(`drift --stack-file prod.json --baseline ${file}`, setting)).code).toBe(0);
});

test("a baseline that has ended is not written", async () => {
  const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const line = `drift baseline --stack-file prod.json --owner team --reason moved --expires ${day} --output b.json`;
  const { code, stderr } = await modelplatform(line, place());
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("--expires takes a day like") });
});

test("an ignore file leaves out what it names", async () => {
  put({ maxReplicaCount: 9, description: "tuned" });
  const setting = place();
  writeFileSync(join(setting.cwd, ".driftignore"), "demo/Deployment/*#maxReplicaCount\n");
  const { stdout } = await modelplatform("drift --stack-file prod.json --ignore .driftignore --json", setting);
  expect((report(stdout).findings[0]!["changes"] as Values[]).map(({ path }) => path)).toEqual(["description"]);
});

test("^C ends a scan with 130, and the next one goes on", async () => {
  put();
  const setting = place();
  const outcome = await modelplatform("drift --stack-file prod.json", {
    ...setting,
    onListen: (interrupt) => interrupt(),
  });
  expect(outcome).toMatchObject({
    code: 130,
    stdout: "",
    stderr: expect.stringContaining("interrupted; the same scan, run within an hour"),
  });
  expect((await modelplatform("drift --stack-file prod.json", setting)).code).toBe(0);
  expect(
    existsSync(join(setting.cwd, "state", "pulumi-modelplatform", "drift"))
      ? readdirSync(join(setting.cwd, "state", "pulumi-modelplatform", "drift"))
      : [],
  ).toEqual([]);
});

test("shards are merged from their files", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  for (const index of [1, 2])
    await modelplatform(
      `drift --stack-file prod.json --shard ${index}/2 --format json --output ${index}.json`,
      setting,
    );
  const { code, stdout } = await modelplatform("drift merge 1.json 2.json --format json", setting);
  expect({ code, changed: report(stdout)["summary"] }).toMatchObject({ code: 2, changed: { changed: 1 } });
  expect(await modelplatform("drift merge 1.json 2.json --exit-zero", setting)).toMatchObject({ code: 0 });
  const zero = "drift --stack-file prod.json --exit-zero --json";
  const scanned = await modelplatform(zero, setting);
  expect({ code: scanned.code, ...report(scanned.stdout) }).toMatchObject({ code: 0, exitCode: 2, drifted: true });
  expect(await modelplatform(`${zero} --shard 3/2`, setting)).toMatchObject({ code: 64 });
  const part = await modelplatform("drift merge 2.json --format json", setting);
  expect({ code: part.code, ...report(part.stdout) }).toMatchObject({
    ...{ code: 3, complete: false, missing: expect.arrayContaining([expect.objectContaining({ name: "1/2" })]) },
  });
  expect(await modelplatform("drift merge 2.json --require-complete", setting)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("Missing: shard 1/2 (no report of it)") },
  });
});

test("a report cut in half is a missing part, one of a newer version is refused", async () => {
  put();
  const setting = place();
  const path = (file: string): string => join(setting.cwd, file);
  for (const index of [1, 2])
    await modelplatform(`drift --stack-file prod.json --shard ${index}/2 --json --output ${index}.json`, setting);
  const whole = readFileSync(path("1.json"), "utf8");
  writeFileSync(path("1.json"), whole.slice(0, whole.length / 2));
  const merged = await modelplatform("drift merge 1.json 2.json --json", setting);
  expect({ code: merged.code, ...report(merged.stdout) }).toMatchObject({
    ...{ code: 3, complete: false, missing: expect.arrayContaining([expect.objectContaining({ name: "1/2" })]) },
  });
  expect(merged.stderr).toMatch(
    /^warning: 1\.json is not a report: it is not JSON, or was cut off\. It is left out\.$/m,
  );
  for (const line of ["drift merge 1.json 2.json --require-complete", "drift merge 1.json"])
    expect(await modelplatform(line, setting)).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining("1.json is not a report: it is not JSON") },
    });
  const written = await modelplatform("drift merge 1.json 2.json --output merged.txt", setting);
  expect(written.stderr).toMatch(/^warning: missing: shard 1\/2\. The report names each, and why\.$/m);
  writeFileSync(path("1.json"), JSON.stringify({ ...(JSON.parse(whole) as object), schemaVersion: 2 }));
  expect(await modelplatform("drift merge 1.json 2.json", setting)).toMatchObject({
    ...{
      code: 1,
      stderr: expect.stringContaining("1.json is a report of version 2, and this release reads version 1."),
    },
  });
});

test("a run is named by --run or by the pipeline, and only its reports are merged", async () => {
  put();
  const setting = place();
  const scan = (index: number, more: string, env: Record<string, string> = {}) =>
    modelplatform(`drift --stack-file prod.json --shard ${index}/2 --json --output ${index}.json ${more}`, {
      ...setting,
      env: { ...setting.env, ...env },
    });
  const runIn = (file: string) =>
    (JSON.parse(readFileSync(join(setting.cwd, file), "utf8")) as { scope: { run?: string } }).scope.run;
  await scan(1, "", { GITHUB_RUN_ID: "41" });
  await scan(2, "--run 42", { CI_PIPELINE_ID: "7" });
  expect([runIn("1.json"), runIn("2.json")]).toEqual(["41", "42"]);
  expect(await modelplatform("drift merge 1.json 2.json", setting)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("2.json is of the run 42, and 1.json of the run 41.") },
  });
  await scan(1, "--run 42");
  expect(await modelplatform("drift merge 1.json 2.json", setting)).toMatchObject({ code: 0 });
  expect(await modelplatform("drift merge 1.json 2.json --run 43", setting)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("and not of 43.") },
  });
  expect((await scan(1, "--run a,b")).code).toBe(64);
});

test.each(["drift --help", "drift merge --help", "help drift"])("%s shows an example", async (line) => {
  const { code, stdout } = await modelplatform(line);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/Example:\n {2}\$ npx pulumi-modelplatform drift /),
  });
});

/** A folder of a project whose own states are those of two stacks, each with the deployment. */
async function projectFolder(): Promise<Setting & { cwd: string }> {
  const setting = place();
  writeFileSync(join(setting.cwd, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  const backend = openBackend("file://.", { cwd: setting.cwd });
  for (const stack of ["dev", "prod"]) {
    const recorded: RecordedResource = { kind: "Deployment", inputs, live, outputs: { endpoint: url } };
    await backend.createStack("shop", stack, importDeployment(exported([recorded], { stack })));
  }
  return setting;
}

test.each([
  ["drift --json", ["organization/shop/dev", "organization/shop/prod"]],
  ["drift --json --stack prod", ["organization/shop/prod"]],
  ["drift --json -s shop/dev", ["organization/shop/dev"]],
  ["audit --json --stack prod", ["organization/shop/prod"]],
])("%s in a project's folder reads the project's states, without any CLI", async (line, stacks) => {
  put();
  const { stdout, stderr } = await modelplatform(line, await projectFolder());
  expect(stderr).not.toContain("error");
  expect((report(stdout)["scope"] as { stacks: string[] }).stacks).toEqual(stacks);
});

test("a stack that the project does not have is answered with what it has", async () => {
  const { code, stderr } = await modelplatform("drift --stack prdo", await projectFolder());
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: There is no stack prdo in .*\. Did you mean prod\?\n/),
  });
});

test("without a project and without flags the error says what to give", async () => {
  expect(await modelplatform("drift", place())).toMatchObject({
    code: 64,
    stderr:
      "error: drift needs to know which stacks: run it in the folder of a project that has some, or give --backend or --stack-file.\n",
  });
});
