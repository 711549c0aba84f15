import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { instantTime } from "../api/support/instant-time";
import { linesIn } from "../drift/history/reports";
import { exported } from "../drift/support/stacks";
import type { Values } from "../values";
import { modelplatform, type Setting, temporaryFolder } from "./terminal";

const inputs = { baseModel: "accounts/platform/models/open-8b", maxReplicaCount: 2 };
const name = "accounts/demo/deployments/chat";
const live = { name, ...inputs, state: "READY", updateTime: "2026-01-20T10:00:00Z" };

let emulator: Emulator;
let url: string;

beforeAll(async () => {
  emulator = createEmulator({ clock: "manual" });
  ({ url } = await emulator.listen({ port: 0 }));
});
afterAll(() => emulator.close());

const put = (fields: Values = {}): void =>
  emulator.world.put({ kind: "Deployment", name, fields: { ...live, ...fields } });

const firstNight = "2026-02-01T02:00:00Z";

function place(): Setting & { cwd: string } {
  const cwd = temporaryFolder();
  const recorded = {
    kind: "Deployment",
    inputs,
    live: { ...live, updateTime: "2026-01-10T09:00:00Z" },
    outputs: { endpoint: url },
    state: { modified: "2026-01-10T09:00:05Z" },
  };
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(exported([recorded])));
  return {
    cwd,
    time: timeAt(firstNight),
    env: {
      MODELPLATFORM_ACCOUNT_ID: "demo",
      MODELPLATFORM_API_KEY: "demo-key",
      MODELPLATFORM_BASE_URL: url,
      XDG_STATE_HOME: join(cwd, "state"),
    },
  };
}

/** Each scan has a clock of its own. */
const timeAt = (at: string) => instantTime(Date.parse(at));
const scan = (setting: Setting, at: string, flags = "--json") =>
  modelplatform(`drift --stack-file prod.json --history history ${flags}`, { ...setting, time: timeAt(at) });
const findings = (text: string): Values[] => (JSON.parse(text) as { findings: Values[] }).findings;

test("each scan says since when, and between which times it changed", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await scan(setting, "2026-02-01T02:00:00Z");
  const { code, stdout } = await scan(setting, "2026-02-02T02:00:00Z");
  expect([code, findings(stdout)]).toMatchObject([
    2,
    [
      {
        firstSeen: "2026-02-01T02:00:00.000Z",
        timesSeen: 2,
        changedBetween: { after: "2026-01-10T09:00:05.000Z", before: "2026-01-20T10:00:00.000Z" },
      },
    ],
  ]);
});

test("without a history a report says when it changed, and nothing of first seen", async () => {
  put({ maxReplicaCount: 9 });
  const { stdout } = await modelplatform("drift --stack-file prod.json --json", place());
  const [found] = findings(stdout);
  expect(found).toMatchObject({ changedBetween: { before: "2026-01-20T10:00:00.000Z" } });
  expect(found).not.toHaveProperty("firstSeen");
});

test("every format says it", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await scan(setting, "2026-02-01T02:00:00Z");
  const formats = ["text", "json", "ndjson", "markdown", "sarif", "junit", "csv", "html"];
  const flags = `${formats.map((format) => `--format ${format}`).join(" ")} --output reports`;
  await scan(setting, "2026-02-02T02:00:00Z", flags);
  const files = readdirSync(join(setting.cwd, "reports")).sort();
  expect(files).toHaveLength(formats.length);
  for (const file of files) {
    const text = readFileSync(join(setting.cwd, "reports", file), "utf8");
    expect([file, /2026-02-01.02(:|&#58;)00/.test(text), /2026-01-20.10(:|&#58;)00/.test(text)]).toEqual([
      file,
      true,
      true,
    ]);
  }
});

test("each member of a group says since when, in text and in Markdown", async () => {
  const setting = place();
  const names = ["accounts/demo/deployments/chat", "accounts/demo/deployments/search"];
  const recorded = names.map((each) => ({
    kind: "Deployment",
    inputs,
    live: { ...live, name: each },
    outputs: { endpoint: url },
  }));
  writeFileSync(join(setting.cwd, "prod.json"), JSON.stringify(exported(recorded)));
  put({ maxReplicaCount: 9 });
  emulator.world.put({ kind: "Deployment", name: names[1]!, fields: { ...live, name: names[1]! } });
  await scan(setting, "2026-02-01T02:00:00Z");
  emulator.world.put({ kind: "Deployment", name: names[1]!, fields: { ...live, name: names[1]!, maxReplicaCount: 9 } });
  const { stdout: text } = await scan(setting, "2026-02-02T02:00:00Z", "");
  const { stdout: markdown } = await scan(setting, "2026-02-02T03:00:00Z", "--format markdown");
  emulator.world.remove(names[1]!);
  expect(text.replaceAll(/\n\s+/g, " ")).toMatch(/demo: chat; first seen 2026-02-01 02:00 UTC, in 2 scans; changed/);
  expect(text.replaceAll(/\n\s+/g, " ")).toMatch(/demo: search; first seen 2026-02-02 02:00 UTC, in 1 scan; changed/);
  expect(markdown).toMatch(
    /^- <code>demo<\/code>: <code>chat<\/code>&#59; first seen 2026-02-01 .*, in 3 scans&#59; changed/m,
  );
});

test("what somebody sets back is gone, and the figures know how long it took", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await scan(setting, "2026-02-01T02:00:00Z");
  put();
  const { code } = await scan(setting, "2026-02-03T08:00:00Z");
  const { stdout } = await modelplatform("drift history --history history --format json", setting);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    scans: 2,
    byAccount: [{ key: "demo", open: 0, remedied: 1, median: 54 * 3600, longest: 54 * 3600 }],
  });
});

test("a scan that cannot read the account resolves nothing", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await scan(setting, "2026-02-01T02:00:00Z");
  const { code } = await scan(
    { ...setting, env: { ...setting.env, MODELPLATFORM_API_KEY: "wrong" } },
    "2026-02-02T02:00:00Z",
  );
  expect(code).toBe(3);
  const { stdout } = await scan(setting, "2026-02-03T02:00:00Z");
  expect(findings(stdout)).toMatchObject([{ firstSeen: "2026-02-01T02:00:00.000Z", timesSeen: 2 }]);
});

test("a history costs no request", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  const requests = (text: string): number => JSON.parse(text).accounts[0].requests;
  const without = await modelplatform("drift --stack-file prod.json --json", setting);
  await scan(setting, "2026-02-01T02:00:00Z");
  const { stdout } = await scan(setting, "2026-02-02T02:00:00Z");
  expect(requests(stdout)).toBe(requests(without.stdout));
});

describe("a history that cannot be used is one warning, and the report stands", () => {
  const cases: [string, (folder: string) => void, RegExp][] = [
    [
      "another version",
      (folder) => {
        mkdirSync(folder);
        writeFileSync(join(folder, "2026-01-01.ndjson"), '{"schemaVersion":7,"record":"scan"}\n');
      },
      /the scan is not in the history: .*2026-01-01\.ndjson is part of a history of version 7, and this release reads version 1/,
    ],
    [
      "a file where its folder goes",
      (folder) => writeFileSync(folder, ""),
      /the scan is not in the history: .*history/,
    ],
    [
      "a link in place of a file",
      (folder) => {
        mkdirSync(folder);
        symlinkSync(join(folder, "..", "prod.json"), join(folder, "2026-02-01.ndjson"));
      },
      /symbolic link/,
    ],
    ["a folder that a link leads to", (folder) => symlinkSync("/tmp", folder), /leads out of/],
  ];
  test.each(cases)("%s", async (_, spoil, warning) => {
    put({ maxReplicaCount: 9 });
    const setting = place();
    spoil(join(setting.cwd, "history"));
    const { code, stdout, stderr } = await scan(setting, "2026-02-01T02:00:00Z");
    expect([code, findings(stdout)]).toMatchObject([2, [{ verdict: "changed" }]]);
    expect(stderr).toMatch(warning);
    expect(stderr.match(/^warning: the scan is not/gm)).toHaveLength(1);
  });
});

test("torn lines are one warning, and both the report and the history stand", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await scan(setting, "2026-02-01T02:00:00Z");
  const path = join(setting.cwd, "history", "2026-02-01.ndjson");
  writeFileSync(path, `${readFileSync(path, "utf8")}{"schemaVersion":1,"rec\n`);
  const { code, stdout, stderr } = await scan(setting, "2026-02-02T02:00:00Z");
  expect([code, findings(stdout)]).toMatchObject([2, [{ timesSeen: 2 }]]);
  expect(stderr.match(/^warning: .*a line is torn/gm)).toHaveLength(1);
});

test("a clock that went back is one warning", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await scan(setting, "2026-02-02T02:00:00Z");
  const { code, stderr } = await scan(setting, "2026-02-01T02:00:00Z");
  expect(code).toBe(2);
  expect(stderr.match(/^warning: .*a clock was wrong/gm)).toHaveLength(1);
  expect(linesIn(join(setting.cwd, "history"))).toHaveLength(3);
});

test("--since leaves out what is known, and the history records all the same", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await scan(setting, "2026-02-01T02:00:00Z", "--format json --output before.json");
  const { stdout } = await scan(setting, "2026-02-02T02:00:00Z", "--json --since before.json");
  expect(findings(stdout)).toEqual([]);
  const { stdout: later } = await scan(setting, "2026-02-03T02:00:00Z");
  expect(findings(later)).toMatchObject([{ timesSeen: 3 }]);
});

test("drift merge records the report of each shard, once", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  for (const shard of [1, 2])
    await modelplatform(
      `drift --stack-file prod.json --shard ${shard}/2 --format json --output shard-${shard}.json`,
      setting,
    );
  const merge = () => modelplatform("drift merge shard-1.json shard-2.json --history history --json", setting);
  await merge();
  const before = linesIn(join(setting.cwd, "history"));
  const { stdout } = await merge();
  expect(findings(stdout)).toMatchObject([{ firstSeen: "2026-02-01T02:00:00.000Z", timesSeen: 1 }]);
  expect(linesIn(join(setting.cwd, "history"))).toEqual(before);
  expect(before.filter(({ record }) => record === "scan")).toHaveLength(2);
});

test("drift merge does not record reports that name only what is new", async () => {
  put({ maxReplicaCount: 9 });
  const setting = place();
  await modelplatform("drift --stack-file prod.json --format json --output before.json", setting);
  await modelplatform(
    "drift --stack-file prod.json --shard 1/1 --since before.json --format json --output shard.json",
    setting,
  );
  const { stderr } = await modelplatform("drift merge shard.json --history history --json", setting);
  expect(stderr).toMatch(/^warning: the scan is not in the history: a report of --since names only what is new/m);
  expect(existsSync(join(setting.cwd, "history", "2026-02-01.ndjson"))).toBe(false);
});

test.each([
  ["drift history", /needs the folder of the history: give --history/],
  ["drift history --history h --format csv", /takes one --format of text, json[^,]/],
  ["drift --stack-file prod.json --history h --history-days 0", /--history-days takes a whole number of days/],
])("%s is a mistake of usage", async (line, message) => {
  const { code, stderr } = await modelplatform(line, place());
  expect(code).toBe(64);
  expect(stderr).toMatch(message);
});

test("the figures of a history of another version are an error, and nothing is shown", async () => {
  const setting = place();
  mkdirSync(join(setting.cwd, "history"));
  writeFileSync(join(setting.cwd, "history", "2026-01-01.ndjson"), '{"schemaVersion":7,"record":"scan"}\n');
  const { code, stdout, stderr } = await modelplatform("drift history --history history", setting);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^error: .*2026-01-01\.ndjson is part of a history of version 7/);
});

test("the figures of a folder without a history say that there are no scans", async () => {
  const { code, stdout } = await modelplatform("drift history --history nowhere", place());
  expect([code, stdout]).toEqual([0, "0 open findings, 0 remedied\nno scans\n"]);
});
