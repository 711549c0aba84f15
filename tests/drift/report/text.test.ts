import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { formats } from "../../../drift/report/formats";
import { withGroups } from "../../../drift/scan/finding";
import { sampleReport } from "../sample-report";
import { hostileReport } from "./hostile-report";

const render = (columns: number, color = false, report = sampleReport): string =>
  formats["text"]!.render(report, { columns, color });

test("what was found comes first, what to do last", () => {
  const blocks = render(120).trimEnd().split("\n\n");
  expect(blocks[0]!.split("\n")).toEqual([
    "Drift found: 5 objects differ from the stacks, and not everything could be read",
    "4 changed · 1 missing · 1 unmanaged · 1 error · 1 forbidden · 1 retired · 1 in flight · 1 unverifiable · 12 in sync",
    "managed: 19 of ?",
    "scanned: 2 stacks, 3 accounts, shard 1/2, 7 objects read, 23 judged, 21 requests, 41.3 s",
  ]);
  expect(blocks[1]).toMatch(/^changed {2}Deployment chat: /);
  expect(blocks.at(-1)).toMatch(/^What to do\nchanged +`pulumi up --refresh --stack acme\/shop\/prod` reverts what/);
});

test("a finding shows its fields, recorded and live", () => {
  expect(render(120)).toMatch(
    /^changed {2}Deployment chat: maxReplicaCount 2 → 8, .*\n.* and 2 more\n {2}accounts\/acme\/deployments\/chat in acme\/shop\/prod\n/m,
  );
  expect(render(120)).toMatch(/^ {2}maxReplicaCount +2 +→ +8 +warning$/m);
  expect(render(120)).toMatch(/^ {2}directRouteType +\(absent\) +→ +INTERNET +error\n {4}not set by the program$/m);
  expect(render(120)).toMatch(/^ {2}directRouteApiKeys +\[redacted\] +→ +\[redacted\] +warning$/m);
});

test("durations stand in one form on both sides, and in the data as they are", () => {
  const change = { kind: "changed" as const, severity: "warning" as const, managed: true };
  const window = { ...change, path: "autoscalingPolicy.scaleToZeroWindow", recorded: "10m", live: "900s" };
  const named = { ...change, path: "displayName", recorded: "10m", live: "900s" };
  const report = {
    ...sampleReport,
    findings: [{ ...sampleReport.findings[0]!, type: "Deployment", changes: [window, named] }],
  };
  const rows = render(120, false, report);
  expect(rows).toMatch(/^ {2}autoscalingPolicy.scaleToZeroWindow +10m +→ +15m +warning$/m);
  expect(rows).toMatch(/^ {2}displayName +10m +→ +900s +warning$/m);
  const as = (format: string) => formats[format as "json"]!.render(report, { columns: 80, color: false });
  expect([as("markdown"), as("html"), as("json")]).toEqual([
    expect.stringContaining("| <code>10m</code> | <code>15m</code> |"),
    expect.stringContaining('[["15m",true]]'),
    expect.stringContaining('"live": "900s"'),
  ]);
});

test("findings come before accounts, and accounts that were read in full are one row", () => {
  const [acme, ...others] = sampleReport.accounts;
  const many = Array.from({ length: 300 }, (_, index) => ({ ...acme!, account: `whole-${index}` }));
  const lines = render(120, false, { ...sampleReport, accounts: [...many, ...others] }).split("\n");
  const head = lines.findIndex((line) => line.startsWith("ACCOUNT"));
  expect(lines.findIndex((line) => line.startsWith("changed  Deployment chat"))).toBeLessThan(head);
  expect(lines.slice(head + 1, head + 6)).toEqual([
    expect.stringMatching(/^globex {2,}read in part/),
    expect.stringMatching(/^└ users {2,}forbidden/),
    expect.stringMatching(/^initech {2,}could not be read/),
    expect.stringMatching(/^300 accounts {2,}read {2,}1800 of 2100 \(85%\) {2,}2700$/),
    "",
  ]);
});

test("what could not be read for one reason is one row over kinds and accounts", () => {
  const one = sampleReport.findings.find(({ verdict }) => verdict === "forbidden")!;
  const reason = "listUsers (GET /v1/accounts/globex/users) answered 401 UNAUTHENTICATED (code 16)";
  const of = (account: string, type: string, id: string) => ({
    ...{ ...one, account, type, reason: reason.replace("globex", account), urn: null },
    name: `accounts/${account}/${type.toLowerCase()}s/${id}`,
  });
  const findings = [
    ...["ada", "grace", "alan"].map((id) => of("globex", "User", id)),
    of("globex", "Deployment", "chat"),
    of("acme", "User", "ada"),
    { ...of("acme", "User", "grace"), reason: "listUsers answered 403" },
  ];
  const fingerprinted = findings.map((finding, index) => ({ ...finding, fingerprint: `f${index}` }));
  const report = render(160, false, withGroups({ ...sampleReport, findings: fingerprinted }));
  expect(report.split("What to do")[0]!.match(/^forbidden .*(\n {2}.*)*/gm)).toEqual([
    [
      `forbidden  4 of User, 1 of Deployment: ${reason.replace("globex", "{account}")}`,
      ...["  in 2 accounts, recorded in acme/base/prod", "  acme: ada", "  globex: chat, ada, alan, grace"],
    ].join("\n"),
    expect.stringMatching(/^forbidden {2}User grace: listUsers answered 403/),
  ]);
});

test("what is accepted says so", () => {
  expect(render(160)).toContain("changed, accepted  Model support-8b: conversationConfig {");
  expect(render(160)).toContain(
    "accepted by baseline, owner team-search, moved to the new tokenizer by hand, program follows, until 2026-05-01\n",
  );
});

test.each([60, 80, 120, 200])("no line is wider than a terminal of %d columns", (columns) => {
  const lines = [render(columns), render(columns, true), render(columns, false, hostileReport)].flatMap((text) =>
    text.split("\n"),
  );
  expect(lines.filter((line) => stringWidth(stripVTControlCharacters(line)) > columns)).toEqual([]);
});

test("colors are used only where asked for, and change no word", () => {
  expect(render(100)).not.toContain("\u001b");
  expect(render(100, true)).toContain("\u001b[");
  expect(stripVTControlCharacters(render(100, true))).toBe(render(100));
});

test.each<[string, object, string]>([
  ["no drift", { drifted: false, complete: true, exitCode: 0, findings: [] }, "No drift"],
  [
    "drift that is accepted",
    { drifted: false, complete: true, exitCode: 0, findings: sampleReport.findings.slice(-1) },
    "No drift",
  ],
  [
    "drift that fails nothing",
    { drifted: false, complete: true, exitCode: 0, findings: sampleReport.findings.slice(7, 8) },
    "Nothing that fails the scan: 1 object differs from the stacks",
  ],
  ["accounts that could not be read", { drifted: false, findings: [] }, "No drift, and not everything could be read"],
  ["no account", { drifted: false, findings: [], accounts: [] }, "Nothing could be read"],
])("the first line tells %s", (_, part, expected) => {
  expect(render(100, false, { ...sampleReport, ...part }).split("\n")[0]).toBe(expected);
});

test("texts that could be taken for something else are quoted", () => {
  const change = (live: unknown) => ({
    path: "p",
    kind: "changed" as const,
    live,
    severity: "note" as const,
    managed: true,
  });
  const live = ["", "true", "12", " padded", "(absent)", '{"a":1}', "plain", true, 12, null, { a: "b" }];
  const rows = render(120, false, {
    ...sampleReport,
    findings: [{ ...sampleReport.findings[0]!, changes: live.map(change) }],
  }).match(/(?<=^ {2}p +\(absent\) +→ {2}).*?(?= +note$)/gm);
  expect(rows).toEqual([
    '""',
    '"true"',
    '"12"',
    '" padded"',
    '"(absent)"',
    '"{\\"a\\":1}"',
    "plain",
    "true",
    "12",
    "null",
    '{"a":"b"}',
  ]);
});
