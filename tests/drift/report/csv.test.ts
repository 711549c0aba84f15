import { inReadingOrder } from "../../../drift/report/causes";
import { formats } from "../../../drift/report/formats";
import { sampleReport } from "../sample-report";
import { hostileReport } from "./hostile-report";

/** By RFC 4180; throws where a line is not by it. */
function parse(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let rest = csv;
  while (rest !== "") {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (match === null) throw new Error(`no field of RFC 4180: ${rest.slice(0, 40)}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    rest = rest.slice(match[0].length);
    if (match[3] === "\r\n") rows.push(row), (row = []);
  }
  return rows;
}

const render = (report = sampleReport): Record<string, string>[] => {
  const [heading, ...rows] = parse(formats["csv"]!.render(report, { columns: 80, color: false }));
  expect(rows.filter((row) => row.length !== heading!.length)).toEqual([]);
  return rows.map((row) => Object.fromEntries(row.map((field, index) => [heading![index]!, field])));
};

test("a row per changed field, and one for a finding without any", () => {
  const rows = render();
  expect(rows.map(({ fingerprint, path }) => [fingerprint, path])).toEqual(
    inReadingOrder(sampleReport.findings).flatMap(({ fingerprint, changes }) =>
      changes.length === 0 ? [[fingerprint, ""]] : changes.map(({ path }) => [fingerprint, path]),
    ),
  );
});

test("a row says what the finding says", () => {
  expect(render()[2]).toMatchObject({
    ruleId: "drift/changed",
    verdict: "changed",
    severity: "error",
    account: "acme",
    name: "accounts/acme/deployments/chat",
    path: "description",
    kind: "added",
    recorded: "(absent)",
    live: 'tuned by hand | *do not* touch <b>me</b>\\nsee "ticket 7", please',
    pathSeverity: "note",
    managed: "true",
    suppressedBy: "",
  });
});

test("no field is a formula to a spreadsheet", () => {
  const fields = render(hostileReport).flatMap((row) => Object.values(row));
  expect(fields.filter((field) => /^\s*[=+\-@|%]/.test(field))).toEqual([]);
  expect(fields).toContain(`'=HYPERLINK("https://evil.example","x")`);
});

test("a number stays a number, with its sign", () => {
  const change = {
    path: "temperature",
    kind: "changed" as const,
    recorded: -1.5,
    live: -2,
    severity: "note" as const,
    managed: true,
  };
  expect(render({ ...sampleReport, findings: [{ ...sampleReport.findings[0]!, changes: [change] }] })[0]).toMatchObject(
    { recorded: "-1.5", live: "-2" },
  );
});
