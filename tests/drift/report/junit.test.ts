import { SaxesParser } from "saxes";
import { formats } from "../../../drift/report/formats";
import { sampleReport } from "../sample-report";
import { hostileReport } from "./hostile-report";

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/** The document element; throws where the XML is not well formed. */
function parse(xml: string): Element {
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element: Element = { name, attributes: attributes as Record<string, string>, children: [], text: "" };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => (open.at(-1)!.text += text));
  parser.on("closetag", () => open.pop());
  parser.write(xml).close();
  return root.children[0]!;
}

const render = (report = sampleReport): Element =>
  parse(formats["junit"]!.render(report, { columns: 80, color: false }));
const outcomes = ({ children }: Element): string[] =>
  children.flatMap((testcase) => testcase.children.map(({ name }) => name));

test.each([
  ["the sample", sampleReport],
  ["a hostile report", hostileReport],
])("%s is well-formed XML whose counts are right", (_, report) => {
  const suites = render(report);
  for (const suite of suites.children) {
    const kinds = outcomes(suite);
    const having = (kind: string): string => String(kinds.filter((name) => name === kind).length);
    expect(suite.attributes).toMatchObject({
      tests: String(suite.children.length),
      failures: having("failure"),
      errors: having("error"),
      skipped: having("skipped"),
    });
  }
  for (const counter of ["tests", "failures", "errors", "skipped"]) {
    expect(suites.attributes[counter]).toBe(
      String(suites.children.reduce((sum, { attributes }) => sum + Number(attributes[counter]), 0)),
    );
  }
});

test("drift fails, what is unreadable is an error, what is accepted or told is skipped", () => {
  const cases = render().children.flatMap(({ children }) => children);
  const outcomeOf = (fingerprint: string): string | undefined =>
    cases.find(({ attributes }) => attributes["name"]!.includes(fingerprint))!.children[0]?.name;
  expect(
    sampleReport.findings.map(({ fingerprint, verdict, suppressed }) => [
      verdict,
      suppressed !== undefined,
      outcomeOf(fingerprint),
    ]),
  ).toEqual([
    ["changed", false, "failure"],
    ["changed", false, "failure"],
    ["missing", false, "failure"],
    ["retired", false, "skipped"],
    ["changed", false, "failure"],
    ["in-flight", false, "skipped"],
    ["unverifiable", false, "skipped"],
    ["unmanaged", false, "failure"],
    ["forbidden", false, "error"],
    ["error", false, "error"],
    ["changed", true, "skipped"],
  ]);
});

test("an account that could not be read does not pass, one without findings does", () => {
  const accounts = [
    ...sampleReport.accounts,
    { account: "hooli", origin: "https://api.example.com", status: "read" as const, requests: 1, collections: [] },
  ];
  const suites = render({ ...sampleReport, accounts }).children;
  expect(suites.map(({ attributes, children }) => [attributes["name"], children[0]!.children[0]?.name])).toEqual([
    ["acme", undefined],
    ["globex", "error"],
    ["initech", "error"],
    ["hooli", undefined],
  ]);
});

test("an account that could not be read and was not needed is skipped", () => {
  const suites = render({ ...sampleReport, complete: true }).children;
  expect(suites.map(({ children }) => children[0]!.children[0]?.name)).toEqual([undefined, "skipped", "skipped"]);
});

test("a finding of an account that is not in the list is not lost", () => {
  const suites = render({ ...sampleReport, accounts: [] }).children;
  expect(suites.map(({ attributes }) => [attributes["name"], attributes["tests"]])).toEqual([
    ["other accounts", String(sampleReport.findings.length)],
  ]);
});

test("a failure lists the fields", () => {
  const [failure] = render().children[0]!.children[1]!.children;
  expect(failure!.attributes["message"]).toBe("changed: 5 fields differ from what is recorded");
  expect(failure!.text).toContain("maxReplicaCount: 2 -> 8 (warning)\n");
  expect(failure!.text).toContain('annotations["custom/team"]: search -> (absent) (note)\n');
});
