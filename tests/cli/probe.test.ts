import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { untrustedCheckout } from "../../cli/checkout/checkout";
import type { CliContext } from "../../cli/command/context";
import { openProbeClient } from "../../cli/platform/probe/asker";
import { createEmulator, type Emulator, type Settings } from "../../emulator/index";
import { elvish } from "../core/dialects";
import { modelplatform, temporaryFolder } from "./terminal";

interface Finding {
  convention: string;
  asked: string;
  answered: string;
  said: string | null;
  verdict: "holds" | "differs" | "unknown" | "not probed";
  knob: string | null;
}

interface Report {
  service: string;
  account: string;
  verdict: string;
  reasons: string[];
  requests: number;
  summary: Record<string, number>;
  settings: Record<string, string>;
  findings: Finding[];
}

let emulator: Emulator;
let env: Record<string, string>;

async function start(settings: Partial<Settings> = {}): Promise<void> {
  emulator = createEmulator({ clock: "manual", settings });
  const { url } = await emulator.listen({ port: 0 });
  env = { MODELPLATFORM_BASE_URL: url, MODELPLATFORM_ACCOUNT_ID: "demo", MODELPLATFORM_API_KEY: "demo-key" };
}

afterEach(() => emulator.close());

async function control<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await emulator.fetch(
    new Request(`http://127.0.0.1/_emulator/${path}`, {
      method,
      headers: { host: "127.0.0.1" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  return (await answer.json()) as T;
}

async function probed(): Promise<Report & { code: number }> {
  const { code, stdout, stderr } = await modelplatform("probe --json", { env });
  expect(stderr).toBe("");
  return { ...(JSON.parse(stdout) as Report), code };
}

const differing = ({ findings }: Report): string[] =>
  findings.filter(({ verdict }) => verdict === "differs").map(({ convention, asked }) => `${convention} ${asked}`);

const finding = ({ findings }: Report, asked: RegExp): Finding =>
  findings.find((candidate) => asked.test(candidate.asked))!;

describe("on a service that keeps every convention", () => {
  beforeEach(() => start());

  test("everything that is asked holds, and there is nothing to set", async () => {
    const report = await probed();
    expect(report).toMatchObject({
      code: 0,
      account: "demo",
      service: env["MODELPLATFORM_BASE_URL"],
      settings: {},
      summary: { differs: 0, unknown: 0 },
      verdict: "fits",
      reasons: [],
    });
    expect([...new Set(report.findings.map(({ convention }) => convention))]).toEqual(
      expect.arrayContaining([
        "A003",
        "A010",
        "A015",
        "A018",
        "A020",
        "A053",
        "A060",
        "A070",
        "A091",
        "A093",
        "A094",
        "A095",
        "A100",
        "listed",
      ]),
    );
  });

  test("nothing is written: each request reads, matches or validates", async () => {
    const before = await control("GET", "objects");
    const { requests: told } = await probed();
    const { requests } = await control<{ requests: { method: string; path: string; query: Record<string, string> }[] }>(
      "GET",
      "requests",
    );
    expect(requests).toHaveLength(told);
    const others = requests.filter(
      ({ method, path, query }) =>
        !(
          method === "GET" ||
          path.endsWith("/deploymentShapeVersions:match") ||
          (method === "POST" && path === "/v1/accounts/demo/deployments" && query["validateOnly"] === "true")
        ),
    );
    expect(others).toEqual([]);
    expect(requests.filter(({ path }) => /:(validateUpload|getUploadEndpoint|getDownloadEndpoint)/.test(path))).toEqual(
      [],
    );
    expect(await control("GET", "objects")).toEqual(before);
  });

  test("what only a change could show is listed as not probed, with the knob", async () => {
    const { findings } = await probed();
    const silent = findings.filter(({ verdict }) => verdict === "not probed");
    // Several operations of new kinds may rest on one.
    expect([...new Set(silent.map(({ convention }) => convention))]).toEqual([
      "A011",
      "A012",
      "A013",
      "A014",
      "A015",
      "A030",
      "A040",
      "A050",
      "A060",
      "A070",
      "A080",
    ]);
    for (const { answered, knob } of silent)
      expect({ answered, knob }).toEqual({
        answered: "not probed: would write",
        knob: expect.stringMatching(/operations|updateMask, patchBody/) as string,
      });
  });

  test("a probe's client cannot write, whatever it is asked to send", async () => {
    const asker = openProbeClient({ env, checkout: untrustedCheckout } as unknown as CliContext, undefined);
    await expect(asker.call("deleteUser", { parameters: { userId: "ada" } })).rejects.toThrow(
      /effect `write`.*may be sent here/,
    );
    await expect(asker.call("createDeployment", { body: {} })).rejects.toThrow(/may be sent here/);
    await expect(asker.call("getModelUploadEndpoint", { parameters: { modelId: "m" }, body: {} })).rejects.toThrow(
      /mintsCredential/,
    );
    await asker.close();
    expect((await control<{ requests: unknown[] }>("GET", "requests")).requests).toEqual([]);
  });

  test("people get a table of number, question, answer, verdict and knob", async () => {
    const { code, stdout } = await modelplatform("probe", { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Convention +Asked +Answered +Verdict +Knob\n/);
    expect(stdout).toMatch(/\nA015 +GET users\/\{userId\} +404 NOT_FOUND \(code 5\) +holds\n/);
    expect(stdout).toMatch(/\nA050 +deleteUser +not probed: would write +not probed +operations\n/);
    const silent = stdout.split("\n").filter((line) => / not probed {2,}\S/.test(line));
    const summary = /\n\d+ hold, 0 differ, 0 unknown, (\d+) not probed\. \d+ requests, none of which writes\.\n/;
    expect(summary.exec(stdout)?.[1]).toBe(String(silent.length));
    expect(stdout).toMatch(
      /\nSettings for this service:\n {2}npx pulumi-modelplatform config set modelplatform:validateOnly honored\n\nVerdict: fits\n$/,
    );
  });

  test("a key that the service does not know is an error", async () => {
    const { code, stderr } = await modelplatform("probe", { env: { ...env, MODELPLATFORM_API_KEY: "wrong" } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/401.*does not accept the API key/);
  });
});

const modes: readonly [settings: Partial<Settings>, differs: string[], asked: RegExp, answered: RegExp][] = [
  [{ errorStyle: "nested" }, ["A091 an error is {code, message, details}"], /an error is/, /^nested/],
  [
    { errorStyle: "text" },
    ["A091 an error is {code, message, details}", "A093 an object that is not there is 404 with code 5"],
    /an error is/,
    /^text/,
  ],
  [
    { errorStyle: "html" },
    ["A091 an error is {code, message, details}", "A093 an object that is not there is 404 with code 5"],
    /an error is/,
    /HTML/,
  ],
  [
    { errorStyle: "empty" },
    ["A091 an error is {code, message, details}", "A093 an object that is not there is 404 with code 5"],
    /an error is/,
    /empty/,
  ],
  [{ unknownFields: "ignore" }, ["A018 an unknown field of a body is refused"], /unknown field of a body/, /^200$/],
  [{ missingSecret: 500 }, [], /a secret that is not there/, /^500 INTERNAL \(code 13\)$/],
  [{ denied: 404 }, [], /another account/, /^404/],
  [{ emitUnset: true }, [], /values that are not set/, /^they carry them$/],
  [
    { dialect: elvish },
    ["A020 POST deploymentShapeVersions:match", "A100 names and values are those of the API's description"],
    /names and values/,
    /`title`|`phase`|`llm`|`blueprint`/,
  ],
];

test.each(modes.map((mode) => [Object.keys(mode[0])[0]!, ...mode] as const))(
  "a service with another %s is told apart (%#)",
  async (_, settings, differs, asked, answered) => {
    await start(settings);
    const report = await probed();
    expect(differing(report)).toEqual(differs);
    expect(finding(report, asked).answered).toMatch(answered);
    expect(report.code).toBe(differs.length > 0 ? 2 : 0);
    expect(report.verdict).toMatch(/^fits/);
  },
);

test("a dialect in the settings is used", async () => {
  await start({ dialect: elvish });
  env = { ...env, MODELPLATFORM_DIALECT: JSON.stringify(elvish) };
  expect(await probed()).toMatchObject({ code: 0, summary: { differs: 0, unknown: 0 } });
});

async function without(...operations: string[]): Promise<void> {
  await start();
  for (const operation of operations)
    await control("POST", "faults", {
      match: { operation },
      fault: { kind: "status", status: 501, body: { code: 12, message: "no" } },
      times: 50,
    });
}

test("a service that creates despite `validateOnly` has written: the last line says so", async () => {
  await start();
  const name = "accounts/demo/deployments/modelplatform-probe";
  const operation = "createDeployment";
  const fault = { kind: "status", status: 200, body: { name } };
  await control("POST", "faults", { match: { operation }, fault, times: 50 });
  await control("POST", "faults", {
    match: { operation: "getDeployment", path: `/v1/${name}` },
    fault,
    times: 50,
  });
  const { code, stdout } = await modelplatform("probe", { env });
  expect(code).toBe(2);
  expect(stdout).toMatch(new RegExp(`\\d+ requests, which created ${name}: delete it\\.\\n`));
  expect(stdout).not.toContain("none of which writes");
  expect(stdout).toContain("npx pulumi-modelplatform config set modelplatform:validateOnly ignored");
});

describe("the verdict", () => {
  const answering = (operation: string, body: unknown): Promise<unknown> =>
    control("POST", "faults", {
      match: { operation },
      fault: { kind: "status", status: 200, body },
      times: 50,
    });

  test("names the settings with which a service fits, in words that a shell takes", async () => {
    await without("getUser");
    const { code, stdout } = await modelplatform("probe", { env });
    expect(code).toBe(2);
    expect(stdout).toContain(`config set modelplatform:operations '{"getUser":"off"}'\n`);
    expect(stdout).toMatch(/\n\nVerdict: fits with these settings\n$/);
  });

  test("is that a service does not fit which lacks an operation of the description", async () => {
    await without("listDeployedModels");
    const reason = "`GET deployedModels` is not answered as the API's description has it.";
    expect(await probed()).toMatchObject({ verdict: "does not fit", reasons: [reason] });
    const { stdout } = await modelplatform("probe", { env });
    expect(stdout.endsWith(`\nVerdict: does not fit\n  ${reason}\n`)).toBe(true);
  });

  test("is that a service does not fit whose deployments nobody can see", async () => {
    await without("getDeployment", "listDeployments");
    expect((await probed()).reasons).toEqual([
      "A Deployment can be neither read nor listed, so that nothing shows when it is ready.",
    ]);
  });

  test("is not that a list under another key is an empty one", async () => {
    await start();
    await answering("listDeployedModels", { items: [], totalSize: 2 });
    expect(await probed()).toMatchObject({
      verdict: "does not fit",
      reasons: [expect.stringMatching("deployedModels")],
    });
  });

  test("is that a service does not fit whose objects have other names for what they need", async () => {
    await start();
    await answering("listDeployments", { deployments: [{ name: "accounts/demo/deployments/d", llm: "m" }] });
    expect((await probed()).reasons).toEqual([expect.stringMatching(/`Deployment.baseModel` is missing.*`dialect`/)]);
  });

  test("names the account that the service's names are of", async () => {
    await start();
    await answering("listDeployedModels", { deployedModels: [{ name: "accounts/acct-7/deployedModels/m" }] });
    expect((await probed()).reasons).toEqual([
      "`GET deployedModels` has names of the account `acct-7`; try `--account acct-7`.",
    ]);
  });

  test("goes into a file that names neither the service nor the account", async () => {
    await without("getUser");
    await answering("listUsers", { users: [{ name: "accounts/demo/users/ada", email: "ada@example.com", role: 7 }] });
    const folder = temporaryFolder();
    await modelplatform("probe --report shared.json", { env, cwd: folder });
    const shared = readFileSync(join(folder, "shared.json"), "utf8");
    expect(JSON.parse(shared)).toMatchObject({
      service: "{service}",
      account: "{account}",
      verdict: expect.stringMatching(/fit/),
    });
    expect(shared).not.toMatch(/demo|127\.0\.0\.1|@/);
  });
});

describe("where operations are missing", () => {
  test("conventional ones are turned off in the settings, which go into a stack's file", async () => {
    await without("listBatchInferenceJobs", "getUser", "matchDeploymentShapeVersions");
    const folder = temporaryFolder();
    const { code, stdout } = await modelplatform("probe --output found.yaml", { env, cwd: folder });
    const expected = { listBatchInferenceJobs: "off", getUser: "off", matchDeploymentShapeVersions: "off" };
    expect(code).toBe(2);
    expect(stdout).toContain("npx pulumi-modelplatform config set modelplatform:operations '{");
    const { config } = parse(readFileSync(join(folder, "found.yaml"), "utf8")) as { config: Record<string, string> };
    expect(JSON.parse(config["modelplatform:operations"]!)).toEqual(expected);
    await modelplatform("probe --output found.json", { env, cwd: folder });
    const found = JSON.parse(readFileSync(join(folder, "found.json"), "utf8")) as { config: Record<string, string> };
    expect(JSON.parse(found.config["modelplatform:operations"]!)).toEqual(expected);
  });

  test("a person has to look up one whose path is not shown", async () => {
    await without("createDeployment");
    const report = await probed();
    expect(report).toMatchObject({ code: 2, settings: {} });
    expect(finding(report, /validateOnly=true/)).toMatchObject({
      convention: "A010",
      verdict: "differs",
      knob: "operations.createDeployment: its path",
    });
  });

  test("a listed one points to the base URL", async () => {
    await without("listDeployedModels");
    expect(finding(await probed(), /^GET deployedModels$/)).toMatchObject({
      convention: "listed",
      verdict: "differs",
      knob: "baseUrl",
    });
  });

  test.each([
    "listUsers",
    "listDeployments",
    "listDeploymentShapes",
    "getSecret",
    "createDeployment",
    "matchDeploymentShapeVersions",
  ])("%s that the key may not call makes answers unknown, and no difference", async (operation) => {
    await start();
    await control("POST", "faults", { match: { operation }, fault: { kind: "status", status: 403 }, times: 50 });
    const report = await probed();
    expect(report.code).toBe(0);
    expect(report.summary["unknown"]).toBeGreaterThan(0);
    expect(
      report.findings
        .filter(({ verdict }) => verdict === "unknown")
        .map(({ answered }) => answered)
        .join(),
    ).toContain("403");
  });
});
