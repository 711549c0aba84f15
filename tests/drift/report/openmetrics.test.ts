import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { ReportContext } from "../../../drift/report/context";
import { formats } from "../../../drift/report/formats";
import type { DriftReport } from "../../../drift/scan/document";
import { groupedReport } from "../grouped-report";
import { sampleReport } from "../sample-report";
import { hostileReport } from "./hostile-report";

type Sample = [labels: Record<string, string>, value: number];

const remedies: ReportContext["remedies"] = [
  { account: "acme", severity: "error", open: 1, remedied: 3, median: 3600, longest: 86400 },
  { account: "globex", severity: "note", open: 1, remedied: 0 },
];

const render = (report = sampleReport): string =>
  formats["openmetrics"]!.render(report, { columns: 80, color: false, remedies });

/** The samples of one family. That the text is by the grammar at all, a test below judges. */
const samples = (report: typeof sampleReport, name: string): Sample[] =>
  [...render(report).matchAll(new RegExp(`^modelplatform_drift_${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"))].map(
    ([, labels = "", value]) => [labelsIn(labels), Number(value)],
  );

const labelsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [
      name,
      JSON.parse(`"${value}"`),
    ]),
  );

test("findings that count are there by account, verdict and severity, zeros included", () => {
  const found = samples(sampleReport, "findings");
  expect(found).toContainEqual([{ account: "acme", verdict: "changed", severity: "error" }, 3]);
  expect(found).toContainEqual([{ account: "acme", verdict: "missing", severity: "error" }, 1]);
  expect(found).toContainEqual([{ account: "globex", verdict: "forbidden", severity: "warning" }, 1]);
  expect(found).toContainEqual([{ account: "acme", verdict: "changed", severity: "note" }, 0]);
  // Nothing is known of what was not read.
  expect(found.map(([{ account, verdict }]) => [account, verdict])).not.toContainEqual(["initech", "changed"]);
  expect(found.reduce((sum, [, value]) => sum + value, 0)).toBe(10);
  expect(samples(sampleReport, "accepted_findings")).toEqual([
    [{ account: "acme", verdict: "changed", severity: "warning" }, 1],
  ]);
});

test("accounts that were not scanned in full are listed and counted", () => {
  expect(samples(sampleReport, "accounts_not_scanned")).toEqual([[{}, 2]]);
  expect(samples(sampleReport, "account_scanned")).toEqual([
    [{ account: "acme" }, 1],
    [{ account: "globex" }, 0],
    [{ account: "initech" }, 0],
  ]);
});

test("lost parts are counted, and accounts have the time of their last scan", () => {
  const missing: DriftReport["missing"] = [
    { part: "shard", name: "2/3", reason: "no report of it" },
    { part: "account", name: "umbrella", reason: "in no report" },
  ];
  const lost = { ...sampleReport, missing };
  expect(samples(lost, "missing_parts")).toEqual([
    [{ part: "shard" }, 1],
    [{ part: "account" }, 1],
    [{ part: "stack" }, 0],
    [{ part: "list" }, 0],
  ]);
  const now = Date.parse(sampleReport.finishedAt) / 1000;
  expect(samples(lost, "account_last_scan_seconds")).toEqual([[{ account: "acme" }, now]]);
  expect(samples(lost, "last_complete_scan_seconds")).toEqual([]);
  expect(samples({ ...sampleReport, complete: true }, "last_complete_scan_seconds")).toEqual([[{}, now]]);
  const before = "2026-02-01T00:00:00.000Z";
  const lastScans = { accounts: new Map([["umbrella", before]]), complete: before };
  const known = formats["openmetrics"]!.render(lost, { columns: 80, color: false, lastScans });
  expect(known).toContain(`account_last_scan_seconds{account="umbrella"} ${Date.parse(before) / 1000}\n`);
  expect(known).toContain(`last_complete_scan_seconds ${Date.parse(before) / 1000}\n`);
});

test("with a history there are ages and times to remedy, without one there are none", () => {
  expect(samples(groupedReport, "oldest_finding_age_seconds")).toEqual([
    [{ account: "account-3", severity: "warning" }, 28 * 86400 + 41.25],
  ]);
  expect(samples(sampleReport, "time_to_remedy_median_seconds")).toEqual([
    [{ account: "acme", severity: "error" }, 3600],
  ]);
  expect(samples(sampleReport, "remedied_findings")).toHaveLength(2);
  expect(formats["openmetrics"]!.render(sampleReport, { columns: 80, color: false })).not.toMatch(/remed|oldest/);
});

test("the end of the scan and its outcome are there", () => {
  expect(samples(sampleReport, "scan_timestamp_seconds")).toEqual([
    [{}, Date.parse("2026-03-01T02:00:41.250Z") / 1000],
  ]);
  expect(samples(sampleReport, "scan_duration_seconds")).toEqual([[{}, 41.25]]);
  expect(samples(sampleReport, "scan_complete")).toEqual([[{}, 0]]);
  expect(samples(groupedReport, "causes")).toEqual([
    [{ severity: "error" }, 1],
    [{ severity: "warning" }, 1],
    [{ severity: "note" }, 0],
  ]);
});

describe("the dashboard and the alerts of the examples", () => {
  const folder = join(__dirname, "../../../examples/drift-metrics");
  const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
  const everything = formats["openmetrics"]!.render(
    { ...groupedReport, accounts: sampleReport.accounts },
    { columns: 80, color: false, remedies, lastScans: { accounts: new Map(), complete: groupedReport.finishedAt } },
  );
  const declared = [...everything.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name]) => name);

  test.each(["alerts.yaml", "alerts-played.yaml", "dashboard.json"])("%s asks for metrics that there are", (file) => {
    const named = [...new Set(textOf(file).match(/modelplatform_drift_\w+/g))];
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !declared.includes(name))).toEqual([]);
  });

  test("late and lost scans are watched, and each alert is played both ways", () => {
    const { groups } = parse(textOf("alerts.yaml")) as { groups: { rules: { alert: string; expr: string }[] }[] };
    const { panels } = JSON.parse(textOf("dashboard.json")) as { panels: { targets: { expr: string }[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    const asked = [...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr).join("\n");
    for (const name of ["missing_parts", "account_last_scan_seconds", "last_complete_scan_seconds"])
      expect(asked).toContain(`modelplatform_drift_${name}`);
    const played = textOf("alerts-played.yaml");
    const twice = rules.filter(({ alert }) => played.split(`alertname: ${alert}`).length > 2);
    expect(twice).toEqual(rules);
  });

  const isHere = spawnSync("promtool", ["--version"]).status === 0;
  (isHere ? test : test.skip)("promtool plays the alerts (skipped where it is not on the PATH)", () => {
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", join(folder, "alerts-played.yaml")], {
      encoding: "utf8",
    });
    expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 });
  });
});

/** Grammar of OpenMetrics 1.0 for what is used: families of gauges, each once, without empty lines, and the end. */
const family = String.raw`# HELP (\w+) [^\n"\\]+\n# TYPE \1 gauge\n(?:\1(?:\{\w+="(?:[^"\\\n]|\\[\\"n])*"(?:,\w+="(?:[^"\\\n]|\\[\\"n])*")*\})? -?\d+(?:\.\d+)?\n)+`;

test.each([
  ["the sample", sampleReport],
  ["causes", groupedReport],
  ["a hostile report", hostileReport],
])("%s is by the grammar, with each series once", (_, report) => {
  const text = render(report);
  expect(text).toMatch(new RegExp(`^(?:${family})+# EOF\\n$`));
  const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(new Set(series.map((line) => line.slice(0, line.lastIndexOf(" ")))).size).toBe(series.length);
});

test("a label keeps what others have written", () => {
  const account = 'a"b\\c';
  const report = { ...sampleReport, accounts: [{ ...sampleReport.accounts[0]!, account }], findings: [] };
  expect(samples(report, "account_scanned")).toEqual([[{ account }, 1]]);
});
