import { marked } from "marked";
import { formats } from "../../../drift/report/formats";
import { sampleReport } from "../sample-report";
import { hostileReport, hostileTexts } from "./hostile-report";

const render = (report = sampleReport): string => formats["markdown"]!.render(report, { columns: 80, color: false });
const tagsOf = (html: string): string[] => [
  ...new Set([...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag!.toLowerCase())),
];

/** What the renderer itself writes, and GitHub keeps. */
const own = [
  "h2",
  "h3",
  "p",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
  "details",
  "summary",
  "code",
  "b",
  "br",
  "sub",
  "strong",
  "ul",
  "li",
];

test("the verdicts come first, then the accounts, then the findings by verdict", () => {
  const headings = [...render().matchAll(/^(?:#+|<details><summary>)(.*)$/gm)].map(([line]) =>
    line.replace(/<[^>]*>/g, "").trim(),
  );
  expect(headings.slice(0, 4)).toEqual([
    "## Drift found: 5 objects differ from the stacks, and not everything could be read",
    "Accounts",
    "### changed (3)",
    expect.stringMatching(/^🔴 Deployment chat: maxReplicaCount 2 &#8594; 8, .* and 2 more$/),
  ]);
  expect(headings.filter((heading) => heading.startsWith("###"))).toEqual(
    [
      "changed (3)",
      "missing (1)",
      "unmanaged (1)",
      "error (1)",
      "forbidden (1)",
      "retired (1)",
      "in flight (1)",
      "unverifiable (1)",
      "accepted (1)",
    ].map((heading) => `### ${heading}`),
  );
});

test("a value with pipes, stars and HTML stands in its cell as it is", async () => {
  const html = await marked.parse(render());
  expect(html).toContain(
    "<code>tuned by hand &#124; &#42;do not&#42; touch &#60;b&#62;me&#60;/b&#62;&#92;nsee &#34;ticket 7&#34;, please</code>",
  );
  expect(html).not.toContain("<b>me</b>");
});

test("code in a reason stays code", () => {
  expect(render()).toContain(
    "<b>Secret storage-key</b>: <code>value</code> is never answered, so nobody can compare it</summary>",
  );
});

test("nothing of a hostile report becomes an element, a link or a mention", async () => {
  const html = await marked.parse(render(hostileReport));
  expect(tagsOf(html).filter((tag) => !own.includes(tag))).toEqual([]);
  expect(html).not.toMatch(/<[^>]*\s(?:href|src|on\w+)=/);
  expect(html.replace(/<code>.*?<\/code>/gs, "")).not.toMatch(/(?:@|&#64;)\w|(?:#|&#35;)\d(?!\d*;)/);
});

test("no row of a table gets another cell from a value", async () => {
  const html = await marked.parse(
    render({
      ...sampleReport,
      findings: hostileTexts.map((text) => ({
        ...sampleReport.findings[0]!,
        changes: [
          {
            path: text,
            kind: "changed" as const,
            recorded: text,
            live: text,
            severity: "note" as const,
            managed: true,
          },
        ],
      })),
    }),
  );
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)]
    .map(([, row]) => row!.match(/<td>.*?<\/td>/gs) ?? [])
    .filter((cells) => cells.at(-1) === "<td>note</td>");
  expect(rows).toHaveLength(hostileTexts.length);
  expect(
    rows.filter(
      (cells) => cells.length !== 4 || cells.slice(0, 3).some((cell) => !/^<td><code>.*<\/code><\/td>$/.test(cell)),
    ),
  ).toEqual([]);
});

test("the report fits a comment, and counts the findings that it leaves out", () => {
  const findings = Array.from({ length: 1000 }, (_, index) => ({
    ...sampleReport.findings[0]!,
    fingerprint: `f${index}`,
    name: `accounts/acme/deployments/d${index}`,
  }));
  const text = render({ ...sampleReport, findings });
  const shown = text.match(/<b>Deployment d\d+<\/b>/g)!.length;
  expect(text.length).toBeLessThanOrEqual(60_000);
  expect(shown).toBeGreaterThan(20);
  expect(text).toContain(`**${1000 - shown} more findings** not shown here`);
});
