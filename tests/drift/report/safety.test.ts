import { formats } from "../../../drift/report/formats";
import { sampleReport } from "../sample-report";
import { hostileReport } from "./hostile-report";

const context = { columns: 80, color: false };
const every = Object.keys(formats);
const render = (name: string, report = hostileReport): string => formats[name]!.render(report, context);

const canary = "canary-9f3b/Z?~secret";
const spellings = [canary, Buffer.from(canary).toString("base64"), encodeURIComponent(canary)];

test.each(every)("%s shows nothing that stands beside the mark of a redacted value", (name) => {
  const leaky = { redacted: true, value: canary, encoded: spellings };
  const changes = [
    {
      path: "secret",
      kind: "changed" as const,
      recorded: leaky,
      live: leaky,
      severity: "error" as const,
      managed: true,
    },
    {
      path: "nested",
      kind: "changed" as const,
      recorded: { keys: [leaky], deep: { a: leaky } },
      live: [leaky, "shown"],
      severity: "error" as const,
      managed: true,
    },
  ];
  const text = render(name, { ...sampleReport, findings: [{ ...sampleReport.findings[0]!, changes }] });
  expect(spellings.filter((spelling) => text.includes(spelling))).toEqual([]);
  // Metrics hold no values at all.
  if (name === "openmetrics") return;
  expect(text).toContain("redacted");
  expect(text).toContain("shown");
});

test.each(every)("%s has no character that moves a cursor, hides or turns text", (name) => {
  expect(
    render(name).match(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]/g,
    ),
  ).toBeNull();
});

test.each(every)("%s gives no command to the runner that prints it", (name) => {
  const lines = render(name).split(/\r?\n/);
  expect(lines.filter((line) => /^\s*::/.test(line))).toEqual([]);
  expect(lines.filter((line) => line.includes("##["))).toEqual([]);
});

test.each(every)("%s is the same for the same report, and ends its last line", (name) => {
  expect(render(name)).toBe(render(name));
  expect(render(name).endsWith("\n")).toBe(true);
});

test.each(every)("%s of a report without findings says so much and no more", (name) => {
  const empty = {
    ...sampleReport,
    drifted: false,
    complete: true,
    exitCode: 0,
    accounts: [],
    findings: [],
    scope: { stacks: [], accounts: [] },
    coverage: { managed: 0, total: 0 },
  };
  expect(render(name, empty).length).toBeGreaterThan(10);
});

test.each([
  ["text", "recorded twice  Keep one"],
  ["markdown", "Keep one"],
  ["sarif", '"kind":"fail","level":"warning"'],
  ["junit", '<skipped message="in-sync: is as recorded; is recorded in 2 stacks: leave it to one"/>'],
  ["html", "Keep one"],
])("%s tells of an object in sync that two stacks record", (name, expected) => {
  const twice = {
    ...sampleReport.findings[5]!,
    verdict: "in-sync" as const,
    ruleId: "drift/recorded-twice",
    severity: "warning" as const,
    reason: "is as recorded; is recorded in 2 stacks: leave it to one",
  };
  expect(render(name, { ...sampleReport, findings: [twice] })).toContain(expected);
});
