import { formats } from "../../../drift/report/formats";
import { DriftReport } from "../../../drift/scan/document";
import { sampleReport } from "../sample-report";
import { hostileReport } from "./hostile-report";

const render = (report = sampleReport): { record: string; [name: string]: unknown }[] =>
  formats["ndjson"]!.render(report, { columns: 80, color: false })
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { record: string });

test("a header, a line per finding, and a summary", () => {
  expect(render().map(({ record }) => record)).toEqual([
    "header",
    ...sampleReport.findings.map(() => "finding"),
    "summary",
  ]);
});

test.each([
  ["the sample", sampleReport],
  ["a hostile report", hostileReport],
])("the lines of %s hold the whole report", (_, report) => {
  const lines = render(report);
  const { record: _header, ...header } = lines[0]!;
  const { record: _summary, ...summary } = lines.at(-1)!;
  const findings = lines.slice(1, -1).map(({ record: _finding, ...finding }) => finding);
  expect(JSON.parse(JSON.stringify({ ...header, ...summary, findings }))).toEqual(JSON.parse(JSON.stringify(report)));
});

test("its lines put together fit the schema", () => {
  const [header, ...rest] = render();
  const summary = rest.pop();
  expect(DriftReport.safeParse({ ...header, ...summary, findings: rest }).error).toBeUndefined();
});
