import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { delivery } from "../../drift/notify/webhook";
import type { DriftReport } from "../../drift/scan/document";
import { instantTime } from "../api/support/instant-time";
import { hang, json, type Reply, raw, type ScriptedServer, scriptedServer } from "../api/support/scripted-server";
import type { Values } from "../values";
import { name, place, put } from "./recorded-deployment";
import { type CommandOutput, modelplatform, type Setting } from "./terminal";

let receiver: ScriptedServer;

beforeEach(async () => {
  receiver = await scriptedServer(json(200, {}));
});
afterEach(() => receiver.close());

let day = 1;

/** One scan, a day after the one before; what waits so long as a try may never ends. */
const scan = (setting: Setting, flags = "", limit: number = delivery.tryMs): Promise<CommandOutput> =>
  modelplatform(
    `drift --stack-file prod.json --json --history history --notify ${receiver.url}/hooks/t0ken?sig=s1g ${flags}`,
    { ...setting, time: instantTime(Date.UTC(2026, 2, day++), () => 0.5, limit) },
  );

interface Section {
  count: number;
  causes: { names: string[]; changes: string[] }[];
}

const received = (): Partial<Record<"new" | "worse" | "resolved", Section>>[] =>
  receiver.seen.map(({ body }) => (JSON.parse(body) as { data: Partial<Record<"new", Section>> }).data);

test("each scan reports once what is new, worse or resolved, and else nothing", async () => {
  const setting = place();
  put({ maxReplicaCount: 9 });
  expect((await scan(setting)).code).toBe(2);
  expect((await scan(setting)).code).toBe(2);
  put({ maxReplicaCount: 9, description: "by hand" });
  await scan(setting);
  put();
  expect((await scan(setting)).code).toBe(0);
  expect(received()).toMatchObject([
    { new: { count: 1, causes: [{ names: [name], changes: ["maxReplicaCount: 2 → 9"] }] } },
    { worse: { count: 1, causes: [{ names: [name] }] } },
    { resolved: { count: 1, causes: [{ names: [name] }] } },
  ]);
});

test.each<[string, Reply, string, number]>([
  ["answers 500", raw(500, "no"), "answered 500 (after 4 attempts)", delivery.tryMs],
  ["redirects", raw(302, "", { location: "https://elsewhere.example/" }), "answered 302, a redirect", delivery.tryMs],
  ["hangs", hang, "did not answer within 10 s (after 4 attempts)", 50_000],
])("a receiver that %s costs one warning, and the report and its exit code stand", async (_, reply, told, limit) => {
  receiver.replies.splice(0, 1, reply);
  put({ maxReplicaCount: 9 });
  const { code, stdout, stderr } = await scan(place(), "", limit);
  expect([code, (JSON.parse(stdout) as { findings: unknown[] }).findings.length]).toEqual([2, 1]);
  expect(stderr.match(/^warning:.*$/gm)).toEqual([expect.stringContaining(`POST ${receiver.url}/… ${told}`)]);
  expect(stdout + stderr).not.toMatch(/t0ken|s1g/);
});

test("a message is signed with the secret of the variable that is named", async () => {
  put({ maxReplicaCount: 9 });
  const { stdout, stderr } = await scan(place({ HOOK_SECRET: "not-for-print" }), "--notify-secret-env HOOK_SECRET");
  expect(receiver.seen[0]!.headers["webhook-signature"]).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  expect(stdout + stderr + receiver.seen[0]!.body).not.toContain("not-for-print");
});

test.each([
  ["cloudevents", "application/cloudevents+json", '"specversion":"1.0"'],
  ["slack", "application/json", '"blocks":'],
  ["teams", "application/json", '"AdaptiveCard"'],
])("--notify-format %s sends that form", async (format, type, part) => {
  put({ maxReplicaCount: 9 });
  await scan(place(), `--notify-format ${format}`);
  expect(receiver.seen[0]!.headers["content-type"]).toContain(type);
  expect(receiver.seen[0]!.body).toContain(part);
});

test("a dry run prints the message and sends nothing", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  const first = await scan(setting, "--notify-dry-run --notify-format slack");
  const printed = /^Would send to http:\/\/127\.0\.0\.1:\d+\/…:\n(\{.*?\n\})$/ms.exec(first.stderr)![1]!;
  expect((JSON.parse(printed) as { blocks: { type: string }[] }).blocks.map(({ type }) => type)).toEqual([
    ...["header", "divider", "rich_text", "rich_text", "rich_text"],
  ]);
  expect((await scan(setting, "--notify-dry-run")).stderr).toContain("Would send nothing: nothing is new, worse or");
  expect(receiver.seen).toEqual([]);
});

test("what is found by a scan whose report cannot be written is told by the next one", async () => {
  const setting = place();
  put({ maxReplicaCount: 9 });
  expect(await scan(setting, "--output prod.json/report.json")).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("report.json cannot be written") },
  });
  await scan(setting);
  await scan(setting);
  expect(received()).toMatchObject([{ new: { count: 1, causes: [{ names: [name] }] } }]);
});

test.each([
  ["a dry run", "--notify-dry-run", '{"schemaVersion":1,"mess', "Would send to "],
  ["a scan", "", "{}", "has not been told is not kept: "],
])("%s names a damaged file of unsent messages, and goes on", async (_, flags, text, says) => {
  const setting = place();
  put({ maxReplicaCount: 9 });
  mkdirSync(join(setting.cwd, "history"));
  writeFileSync(join(setting.cwd, "history", "unsent.json"), text);
  const { code, stderr } = await scan(setting, flags);
  expect([code, receiver.seen.length]).toEqual([2, flags === "" ? 1 : 0]);
  expect(stderr).toContain(says);
  expect(stderr.match(/^warning: .*$/gm)).toEqual([
    expect.stringMatching(/\/unsent\.json is damaged, .*: remove it, /),
  ]);
});

test.each([
  ["--notify https://hooks.example.com/x", "give --history"],
  ["--notify-dry-run", "needs --notify or --notify-owners"],
  ["--notify-format slack --history h", "need --notify"],
  ["--history h --notify http://hooks.example.com/t0ken", "uses http. Give an https URL"],
  ["--history h --notify https://me:t0ken@hooks.example.com/", "holds a user name or password"],
  ["--history h --notify https://hooks.example.com/t0ken --notify-secret-env S3CRET", "none of that name is set"],
  ["--history h --notify https://hooks.example.com/t0ken --notify-format pigeon", "pigeon"],
])("`drift %s` is refused before anything is read", async (flags, expected) => {
  const setting = place();
  const { code, stderr } = await modelplatform(`drift --stack-file missing.json ${flags}`, setting);
  expect([code, stderr]).toEqual([64, expect.stringContaining(expected)]);
  expect(stderr).not.toMatch(/t0ken|S3CRET/);
  expect(existsSync(join(setting.cwd, "h"))).toBe(false);
});

/** The reports of both shards of a fleet with one changed deployment, as `1.json` and `2.json`. */
async function shards(setting = place({ HOOK_SECRET: "not-for-print" })): Promise<Setting & { cwd: string }> {
  put({ maxReplicaCount: 9 });
  for (const shard of ["1/2", "2/2"])
    await modelplatform(`drift --stack-file prod.json --shard ${shard} --json --output ${shard[0]}.json`, {
      ...setting,
      time: nightly(),
    });
  return setting;
}

/** Which of the reports has the deployment. */
const changedShard = ({ cwd }: { cwd: string }): string =>
  ["1.json", "2.json"].find((each) => readFileSync(join(cwd, each), "utf8").includes("maxReplicaCount"))!;

/** A report of a time that is still to come is refused. */
const nightly = () => instantTime(Date.UTC(2026, 4, 1), () => 0.5, delivery.tryMs);

const merge = (setting: Setting, flags: string, files = ["1.json", "2.json"]): Promise<CommandOutput> =>
  modelplatform(`drift merge ${files.join(" ")} --json ${flags}`, {
    ...setting,
    time: nightly(),
  });

test("merged shards send one message, in the form and with the signature of a scan's", async () => {
  const setting = await shards();
  const flags = `--history history --notify ${receiver.url}/hooks`;
  expect((await merge(setting, `${flags} --notify-dry-run`)).stderr).toContain("Would send to ");
  const signed = "--notify-format slack --notify-secret-env HOOK_SECRET";
  const { code } = await merge(setting, `${flags.replace("history history", "history other")} ${signed}`);
  expect([code, receiver.seen.length]).toEqual([2, 1]);
  expect(receiver.seen[0]!.body).toContain('"blocks":');
  expect(receiver.seen[0]!.headers["webhook-signature"]).toMatch(/^v1,/);
});

test("a merge judges by baseline, ignore file, --since and --fail-on as a scan does", async () => {
  const setting = await shards();
  const at = (file: string): string => join(setting.cwd, file);
  writeFileSync(at("ignored"), "demo/Deployment/chat#maxReplicaCount\n");
  expect((await merge(setting, "--ignore ignored")).code).toBe(0);
  expect((await merge(setting, "--fail-on missing")).code).toBe(0);
  writeFileSync(at("before.json"), (await merge(setting, "")).stdout);
  expect((await merge(setting, "--since before.json")).code).toBe(0);
  const terms = "--owner ada --reason tried --expires 2026-06-01";
  expect((await merge(setting, `--write-baseline accepted.json ${terms}`)).code).toBe(2);
  const accepted = await merge(setting, "--baseline accepted.json");
  const { findings, staleBaseline } = JSON.parse(accepted.stdout) as Values;
  expect([accepted.code, findings, staleBaseline]).toMatchObject([0, [{ suppressed: { owner: "ada" } }], []]);
});

test("one entry accepts a cause in every object, and says what it does not accept", async () => {
  const setting = await shards();
  const file = join(setting.cwd, changedShard(setting));
  const report = JSON.parse(readFileSync(file, "utf8")) as DriftReport;
  const other = { name: "accounts/demo/deployments/other", fingerprint: "0123456789abcdef" };
  writeFileSync(
    file,
    JSON.stringify({ ...report, findings: [...report.findings, { ...report.findings[0], ...other }] }),
  );
  const found = JSON.parse((await merge(setting, "")).stdout) as DriftReport;
  const terms = "--owner ada --reason tried --expires 2026-06-01";
  const written = await merge(setting, `--write-baseline causes.json --cause ${found.groups![0]!.id} ${terms}`);
  expect(written.stderr).toContain(
    "Accepted the cause until 2026-06-01 in causes.json, in every object of Deployment. Another value, field or service counts",
  );
  const accepted = await merge(setting, "--baseline causes.json");
  const { findings } = JSON.parse(accepted.stdout) as DriftReport;
  expect([accepted.code, findings.map(({ suppressed }) => suppressed?.owner)]).toEqual([0, ["ada", "ada"]]);
  const over = await merge(setting, `--write-baseline causes.json --cause ${found.groups![0]!.id} ${terms}`);
  expect(over).toMatchObject({ code: 64, stderr: expect.stringContaining("causes.json exists. Give --baseline") });
  await merge(setting, `--baseline causes.json --write-baseline causes.json ${terms}`);
  const kept = JSON.parse(readFileSync(join(setting.cwd, "causes.json"), "utf8")) as Values;
  expect(kept).toMatchObject({ entries: [], causes: [{ kind: "Deployment", path: "maxReplicaCount" }] });
  const unknown = await merge(setting, `--write-baseline none.json --cause absent --history unknown ${terms}`);
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/No cause of this report is absent: it has/),
  });
  expect(existsSync(join(setting.cwd, "unknown"))).toBe(false);
});

test("a flag that says what is read is refused by a merge", async () => {
  expect(await modelplatform("drift merge 1.json --unmanaged")).toMatchObject({
    ...{ code: 64, stderr: expect.stringContaining("`drift merge` does not take --unmanaged. It takes --") },
  });
});

test("a key that is refused sends one message, until a scan has been answered with it", async () => {
  const setting = place();
  put();
  const wrong = { ...setting, env: { ...setting.env, MODELPLATFORM_API_KEY: "wrong-key" } };
  for (const each of [setting, wrong, wrong, setting, setting, wrong]) await scan(each);
  const message = expect.objectContaining({ scope: expect.arrayContaining(["key refused: demo"]) });
  expect(receiver.seen.map(({ body }) => (JSON.parse(body) as { data: object }).data)).toEqual([message, message]);
});

test("of a refused key nobody could be told of, the next run tells", async () => {
  const setting = place();
  put();
  const wrong = { ...setting, env: { ...setting.env, MODELPLATFORM_API_KEY: "wrong-key" } };
  receiver.replies.splice(0, 1, raw(500, "no"));
  await scan(wrong);
  receiver.replies.splice(0, 1, json(200, {}));
  const before = receiver.seen.length;
  await scan(setting);
  await scan(setting);
  const bodies = receiver.seen.slice(before).map(({ body }) => (JSON.parse(body) as { data: object }).data);
  expect(bodies).toEqual([
    expect.objectContaining({
      scope: expect.arrayContaining([expect.stringMatching(/^account demo missing: its key is refused, in the scan/)]),
    }),
  ]);
});

test("a missing shard alone sends one message, however often its run is merged", async () => {
  put();
  const setting = place();
  await modelplatform("drift --stack-file prod.json --json --shard 1/2 --output 1.json", setting);
  const merge = () =>
    modelplatform(`drift merge 1.json --json --history history --notify ${receiver.url}/hooks`, setting);
  expect([(await merge()).code, (await merge()).code]).toEqual([3, 3]);
  expect(receiver.seen.map(({ body }) => (JSON.parse(body) as { data: object }).data)).toEqual([
    expect.objectContaining({ scope: expect.arrayContaining(["shard 2/2 missing: no report of it"]) }),
  ]);
});

test("a missing shard of which no message could be sent is told by the next run", async () => {
  put();
  const setting = place();
  const merge = (url: string) =>
    modelplatform(`drift merge 1.json --json --history history --notify ${url}/hooks`, {
      ...setting,
      time: instantTime(Date.UTC(2026, 9, 1), () => 0.5, delivery.tryMs),
    });
  const shard = (time: number) =>
    modelplatform("drift --stack-file prod.json --json --shard 1/2 --output 1.json", {
      ...setting,
      time: instantTime(time),
    });
  await shard(Date.UTC(2026, 8, 1));
  expect((await merge("http://127.0.0.1:1")).stderr).toContain("The next run with this history sends it.");
  await merge(receiver.url);
  await merge(receiver.url);
  await shard(Date.UTC(2026, 8, 2));
  await merge("http://127.0.0.1:1");
  const whole = (day: number) =>
    modelplatform(`drift --stack-file prod.json --json --history history --notify ${receiver.url}/hooks`, {
      ...setting,
      time: instantTime(Date.UTC(2026, 9, day), () => 0.5, delivery.tryMs),
    });
  await whole(2);
  await whole(3);
  expect(receiver.seen.map(({ body }) => (JSON.parse(body) as { data: object }).data)).toEqual([
    expect.objectContaining({ scope: expect.arrayContaining(["shard 2/2 missing: no report of it"]) }),
    expect.objectContaining({
      scope: expect.arrayContaining([
        expect.stringMatching(/^shard 2\/2 missing: no report of it, in the scan that ended 2026-09-02T/),
      ]),
    }),
  ]);
});

test("--format openmetrics writes a file for a node exporter, with the history's times", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  const flags = "--stack-file prod.json --history history --format openmetrics --output drift.prom";
  const run = (at: number) =>
    modelplatform(`drift ${flags}`, { ...setting, time: instantTime(Date.UTC(2026, 5, at), () => 0.5) });
  await run(1);
  await run(2);
  const read = (): string => readFileSync(join(setting.cwd, "drift.prom"), "utf8");
  expect(read()).toMatch(
    /^modelplatform_drift_oldest_finding_age_seconds\{account="demo",severity="warning"\} 864\d\d/m,
  );
  const timeOf = (metric: string): number => Number(new RegExp(`^${metric} (\\d+)`, "m").exec(read())?.[1]) * 1000;
  expect(timeOf("modelplatform_drift_last_complete_scan_seconds")).toBeGreaterThanOrEqual(Date.UTC(2026, 5, 2));
  // An audit in the same folder is no scan.
  await modelplatform("audit --stack-file prod.json --history history", {
    ...{ ...setting, time: instantTime(Date.UTC(2026, 5, 2, 6), () => 0.5) },
  });
  await modelplatform(`drift ${flags}`, {
    ...{ ...setting, time: instantTime(Date.UTC(2026, 5, 2, 12), () => 0.5) },
    env: { ...setting.env, MODELPLATFORM_API_KEY: "wrong-key" },
  });
  // A refused key resolves nothing.
  expect(read()).toMatch(/^modelplatform_drift_oldest_finding_age_seconds\{account="demo",severity="warning"\} 129/m);
  expect(read()).toMatch(/^modelplatform_drift_findings\{account="demo",verdict="changed",severity="warning"\} 1$/m);
  expect(timeOf('modelplatform_drift_account_last_scan_seconds\\{account="demo"\\}')).toBeLessThan(
    Date.UTC(2026, 5, 2, 1),
  );
  expect(timeOf("modelplatform_drift_last_complete_scan_seconds")).toBeLessThan(Date.UTC(2026, 5, 2, 1));
  put();
  await run(3);
  expect(read()).toMatch(
    /^modelplatform_drift_time_to_remedy_median_seconds\{account="demo",severity="warning"\} 1728\d\d/m,
  );
});

describe("each team is told", () => {
  const owners = `owners:
  - { team: search, account: demo }
  - { team: serving, stack: nowhere }
teams:
  search: { notifyEnv: SEARCH_HOOK, notifyFormat: slack, notifySecretEnv: SEARCH_SECRET }
  serving: { notifyEnv: SERVING_HOOK }
`;
  const placeOfTeams = (hooks: { [name: string]: string } = {}): Setting & { cwd: string } => {
    const hook = `${receiver.url}/t0ken`;
    const setting = place({ SEARCH_HOOK: hook, SERVING_HOOK: hook, SEARCH_SECRET: "s1g", ...hooks });
    writeFileSync(join(setting.cwd, "owners.yaml"), owners);
    return setting;
  };
  const night = (setting: Setting, flags = "--owners owners.yaml --notify-owners"): Promise<CommandOutput> =>
    modelplatform(`drift --stack-file prod.json --json --history history ${flags}`, {
      ...setting,
      time: instantTime(Date.UTC(2026, 6, day++), () => 0.5, delivery.tryMs),
    });

  test("of its findings alone, in its own form; a pattern without a match is named", async () => {
    put({ maxReplicaCount: 9 });
    const setting = placeOfTeams();
    const { stdout, stderr } = await night(
      setting,
      `--owners owners.yaml --notify-owners --notify ${receiver.url}/rest`,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [{ owner: "search" }],
      owners: ["search", "serving"],
      unmatchedOwners: [{ team: "serving", part: "stack", pattern: "nowhere" }],
    });
    await night(setting);
    expect(receiver.seen.length).toBe(1);
    expect(receiver.seen[0]!.body).toContain("search: Drift found: 1 object differs");
    expect(receiver.seen[0]!.headers["webhook-signature"]).toMatch(/^v1,/);
    expect(stdout + stderr).not.toMatch(/t0ken|s1g/);
  });

  test("by the next run of what a receiver that was down has missed, once", async () => {
    put({ maxReplicaCount: 9 });
    const setting = placeOfTeams({ SEARCH_HOOK: "http://127.0.0.1:1/t0ken" });
    expect((await night(setting)).stderr).toContain(
      "warning: no notification was sent to search: POST http://127.0.0.1:1/… ",
    );
    expect((await night(setting, "--notify-owners --owners owners.yaml --notify-dry-run")).stderr).toContain(
      "Would send to search at http://127.0.0.1:1/…",
    );
    expect(readFileSync(join(setting.cwd, "history", "unsent.json"), "utf8")).not.toMatch(/maxReplicaCount|t0ken/);
    const open = { ...setting, env: { ...setting.env, SEARCH_HOOK: `${receiver.url}/t0ken` } };
    await night(open);
    await night(open);
    expect(receiver.seen.map(({ body }) => body.match(/New \(\d+\)/)?.[0])).toEqual(["New (1)"]);
  });

  test("of nothing that came and went while its receiver was down", async () => {
    put({ maxReplicaCount: 9 });
    const setting = placeOfTeams({ SEARCH_HOOK: "http://127.0.0.1:1/" });
    await night(setting);
    put();
    await night({ ...setting, env: { ...setting.env, SEARCH_HOOK: receiver.url } });
    expect(receiver.seen).toEqual([]);
  });

  test("of what another team owned, when the file of owners hands it over", async () => {
    put({ maxReplicaCount: 9 });
    const setting = placeOfTeams();
    await night(setting);
    writeFileSync(
      join(setting.cwd, "owners.yaml"),
      owners.replace("account: demo", "account: other").replace("nowhere", "prod"),
    );
    await night(setting);
    await night(setting);
    expect(receiver.seen.map(({ body }) => /search: Drift|"owner":"serving"/.exec(body)?.[0])).toEqual([
      "search: Drift",
      '"owner":"serving"',
    ]);
  });

  test("by --notify of what goes to a team without an entry, once", async () => {
    put({ maxReplicaCount: 9 });
    const setting = placeOfTeams();
    const flags = `--owners owners.yaml --notify-owners --notify ${receiver.url}/rest`;
    await night(setting, flags);
    for (const team of ["platform", "platform", "operations"]) {
      const handedOver = owners
        .replace("account: demo", "account: other")
        .replace("teams:", `  - { team: ${team} }\nteams:`);
      writeFileSync(join(setting.cwd, "owners.yaml"), handedOver);
      await night(setting, flags);
    }
    expect(receiver.seen.map(({ url }) => url)).toEqual(["/t0ken", "/rest"]);
    expect(receiver.seen[1]!.body).toContain("platform");
  });

  test("by --notify of a part that is missing, under what is true of the whole report", async () => {
    const setting = await shards(placeOfTeams());
    const flags = `--history history --owners owners.yaml --notify-owners --notify ${receiver.url}/rest`;
    await merge(setting, flags, [changedShard(setting)]);
    const rest = receiver.seen.find(({ url }) => url === "/rest")!;
    expect((JSON.parse(rest.body) as { data: object }).data).toMatchObject({
      headline: "Drift found: 1 object differs from the stacks, and not everything could be read; owners are told of 1",
    });
  });

  test("of nothing that a merge misses, which may be others'", async () => {
    const setting = await shards(placeOfTeams());
    const flags = "--history history --owners owners.yaml --notify-owners";
    expect((await merge(setting, flags, [changedShard(setting)])).stdout).toContain('"missing": [');
    expect(receiver.seen.map(({ body }) => [body.includes("search: "), body.includes("missing")])).toEqual([
      [true, false],
    ]);
  });

  test.each([
    ["--notify-owners --history h", "give --owners"],
    ["--notify-owners --owners owners.yaml", "give --history"],
    ["--notify-owners --owners owners.yaml --history h", "told by `SERVING_HOOK`, and no environment variable"],
    ["--owners prod.json", "prod.json is not a file of owners"],
  ])("or `drift %s` is refused", async (flags, says) => {
    expect(
      await modelplatform(`drift --stack-file prod.json ${flags}`, placeOfTeams({ SERVING_HOOK: "" })),
    ).toMatchObject({
      ...{ code: 64, stderr: expect.stringContaining(says) },
    });
  });
});
