import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import { formats } from "../../drift/report/formats";
import { DriftReport } from "../../drift/scan/document";
import { groupedReport } from "./grouped-report";
import { sampleReport } from "./sample-report";

const schema = JSON.parse(readFileSync(join(__dirname, "..", "..", "drift", "drift.schema.json"), "utf8")) as object;
const validate = new Ajv2020({ strict: true, formats: { "date-time": true } }).compile(schema);

test("a report with everything in it fits the published schema", () => {
  expect({ fits: validate(JSON.parse(JSON.stringify(sampleReport))), errors: validate.errors }).toEqual({
    fits: true,
    errors: null,
  });
  expect(DriftReport.parse(sampleReport)).toEqual(sampleReport);
});

test("causes and dependents fit it too", () => {
  expect({ fits: validate(JSON.parse(JSON.stringify(groupedReport))), errors: validate.errors }).toEqual({
    fits: true,
    errors: null,
  });
});

test.each([
  ["a verdict that there is none of", { findings: [{ ...sampleReport.findings[0], verdict: "odd" }] }],
  ["a verdict without a count", { summary: { ...sampleReport.summary, retired: undefined } }],
  ["a shard that begins at 0", { scope: { ...sampleReport.scope, shard: "0/2" } }],
  ["another version", { schemaVersion: 2 }],
])("the schema refuses %s", (_, change) => {
  expect(validate(JSON.parse(JSON.stringify({ ...sampleReport, ...change })))).toBe(false);
});

test("a later version may say more", () => {
  expect(validate({ ...sampleReport, weather: "fine" })).toBe(true);
});

test("as JSON it is itself", () => {
  expect(JSON.parse(formats["json"]!.render(sampleReport, { columns: 80, color: false }))).toEqual(
    JSON.parse(JSON.stringify(sampleReport)),
  );
});
