import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { inReadingOrder } from "../../../drift/report/causes";
import { formats } from "../../../drift/report/formats";
import { sampleReport } from "../sample-report";
import { hostileReport, hostileTexts } from "./hostile-report";

interface Result {
  ruleId: string;
  ruleIndex: number;
  kind: string;
  level: string;
  message: { text: string };
  partialFingerprints: Record<string, string>;
  suppressions: { kind: string; status: string; justification: string }[];
  locations: {
    physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number; startColumn?: number } };
    logicalLocations: { fullyQualifiedName: string }[];
  }[];
}
interface Log {
  runs: [
    {
      tool: { driver: { rules: { id: string }[] } };
      invocations: [
        {
          executionSuccessful: boolean;
          exitCode: number;
          toolExecutionNotifications: { level: string; message: { text: string } }[];
        },
      ];
      results: Result[];
    },
  ];
}

// The schema is of draft 04, whose words mean the same here.
const {
  $schema: _,
  id: __,
  ...schema
} = JSON.parse(readFileSync(join(__dirname, "sarif-schema-2.1.0.json"), "utf8")) as Record<string, unknown>;
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);

const programs = { "acme/shop/prod": "infra/shop", "acme/base/prod": "infra/base one" };
const render = (report = sampleReport): Log =>
  JSON.parse(formats["sarif"]!.render(report, { columns: 80, color: false, programs })) as Log;
const resultOf = (fingerprint: string): Result =>
  render().runs[0].results.find(({ partialFingerprints }) => partialFingerprints["drift/v1"] === fingerprint)!;

test.each([
  ["the sample", sampleReport],
  ["a hostile report", hostileReport],
])("%s is valid SARIF 2.1.0", (_, report) => {
  expect({ valid: validate(render(report)), errors: validate.errors }).toEqual({ valid: true, errors: null });
});

test("the schema is not so lenient that anything passes", () => {
  const log = render();
  expect(
    validate({ ...log, runs: [{ ...log.runs[0], results: [{ ...log.runs[0].results[0], level: "fatal" }] }] }),
  ).toBe(false);
});

/** The severe ones first, and what is accepted last. */
const inOrder = inReadingOrder(sampleReport.findings);

test("every result names a rule that the run describes", () => {
  const { results, tool } = render().runs[0];
  expect(results.map(({ ruleId }) => ruleId)).toEqual(inOrder.map(({ ruleId }) => ruleId));
  expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]!.id)).toEqual(results.map(({ ruleId }) => ruleId));
});

test("what has drifted or is unreadable fails with its severity, the rest is no alert", () => {
  const levels = render().runs[0].results.map(({ kind, level }, index) => [
    inOrder[index]!.verdict,
    inOrder[index]!.severity,
    kind,
    level,
  ]);
  for (const [verdict, severity, kind, level] of levels) {
    const alerts = ["changed", "missing", "unmanaged", "error", "forbidden"].includes(verdict!);
    expect([kind === "fail", level]).toEqual([alerts, alerts ? severity : "none"]);
  }
});

test("alerts are distinguished by the finding's fingerprint, whatever their line", () => {
  const hashes = render().runs[0].results.map(
    ({ partialFingerprints }) => partialFingerprints["primaryLocationLineHash"]!,
  );
  expect(hashes).toEqual(inOrder.map(({ fingerprint }) => `${fingerprint}:1`));
});

test("a finding lies where the program declares it", () => {
  const [location] = resultOf("3f8e0c1b7a5d4926").locations;
  expect(location!.physicalLocation).toMatchObject({
    artifactLocation: { uri: "infra/shop/index.ts" },
    region: { startLine: 12, startColumn: 3 },
  });
  expect(location!.logicalLocations[0]!.fullyQualifiedName).toBe("accounts/acme/deployments/chat");
});

test("a result points at the project files of its stacks, or at the repository's", () => {
  const uris = (fingerprint: string): string[] =>
    resultOf(fingerprint).locations.map(({ physicalLocation }) => physicalLocation.artifactLocation.uri);
  expect(uris("a09b1d2e6c7f8354")).toEqual(["infra/shop/Pulumi.yaml", "infra/base%20one/Pulumi.yaml"]);
  expect(uris("1d0b5a7c9e3f2468")).toEqual(["Pulumi.yaml"]);
});

test("no location leaves the repository", () => {
  const uris = render({
    ...sampleReport,
    findings: [{ ...sampleReport.findings[0]!, source: { path: "../../../etc/passwd" } }],
  }).runs[0].results.flatMap(({ locations }) =>
    locations.map(({ physicalLocation }) => physicalLocation.artifactLocation.uri),
  );
  expect(uris).toEqual(["infra/shop/etc/passwd"]);
});

test("what is accepted is suppressed, with who and why", () => {
  expect(resultOf("246813579bdf0ace").suppressions).toEqual([
    {
      kind: "external",
      status: "accepted",
      justification:
        "baseline, owner team-search, moved to the new tokenizer by hand, program follows, until 2026-05-01",
    },
  ]);
  expect(resultOf("3f8e0c1b7a5d4926").suppressions).toEqual([]);
});

test("the invocation tells the exit code and which accounts could not be read", () => {
  const [invocation] = render().runs[0].invocations;
  expect(invocation).toMatchObject({ executionSuccessful: true, exitCode: 3 });
  expect(invocation.toolExecutionNotifications.map(({ level, message }) => [level, message.text])).toEqual([
    ["error", "account globex at https://api.example.com: read in part, users forbidden"],
    ["error", "account initech at https://api.example.com: could not be read"],
  ]);
});

test("the gravest 5,000 findings are kept, and the rest is counted", () => {
  const [grave, light] = (["error", "note"] as const).map((severity) => ({ ...sampleReport.findings[0]!, severity }));
  const many = (count: number) => Array.from({ length: count }, () => light!);
  const [{ results, invocations }] = render({ ...sampleReport, findings: [...many(5002), grave!] }).runs;
  expect(results.map(({ level }) => level).filter((level) => level === "error")).toHaveLength(1);
  expect(results).toHaveLength(5000);
  expect(invocations[0].toolExecutionNotifications.at(-1)).toMatchObject({
    level: "warning",
    message: { text: expect.stringMatching(/^3 more findings are left out/) },
  });
  expect(JSON.stringify(render({ ...sampleReport, findings: many(5000) }))).not.toContain("left out");
});

test("what could not be read and was not needed is only noted", () => {
  const [invocation] = render({ ...sampleReport, complete: true }).runs[0].invocations;
  expect(invocation.toolExecutionNotifications.map(({ level }) => level)).toEqual(["note", "note"]);
});

test("no value becomes a placeholder or a link of a message", () => {
  const texts = render(hostileReport).runs[0].results.map(({ message }) => message.text);
  expect(hostileTexts.some((text) => text.includes("]("))).toBe(true);
  expect(texts.filter((text) => text.includes("](") || /(?<!\{)\{\d+\}(?!\})/.test(text))).toEqual([]);
});
