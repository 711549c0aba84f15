import { remediesOf } from "../../../drift/report/context";
import { html } from "../../../drift/report/html";
import { markdown } from "../../../drift/report/markdown";
import { text } from "../../../drift/report/text";
import type { DriftReport } from "../../../drift/scan/document";
import type { Finding } from "../../../drift/scan/finding-document";
import { sampleReport } from "../sample-report";

/** Advice is the same in text, Markdown and page, in commands of the stack's engine. */

const { suppressed: _, acceptDrift: __, ...sample } = sampleReport.findings[0]!;
const [core, edge] = ["organization/fleet/core", "organization/fleet/edge"] as const;
const changed: Finding = {
  ...sample,
  ...{ ruleId: "drift/changed", verdict: "changed", fingerprint: "f1", account: "acme", stacks: [core] },
  ...{ urn: "urn:pulumi:core::fleet::pulumi-nodejs:dynamic/modelplatform:User::ada", name: "accounts/acme/users/ada" },
  changes: [{ path: "role", kind: "changed", recorded: "user", live: "admin", severity: "error", managed: true }],
};
const { groups: ___, ...ungrouped } = sampleReport;
const reportOf = (findings: Finding[], stacks: string[], more: Partial<DriftReport> = {}): DriftReport => ({
  ...ungrouped,
  ...{ findings, scope: { ...sampleReport.scope, stacks } },
  ...more,
});
const context = { columns: 10_000, color: false };
const formats = [
  ["text", text],
  ["Markdown", markdown],
  ["the page", html],
] as const;

/** Code in backticks, and entities in their characters. */
const legible = (text: string): string =>
  text.replace(/<\/?code>/g, "`").replace(/&#(\d+);/g, (_, letter: string) => String.fromCodePoint(Number(letter)));

describe.each(formats)("%s", (_format, writer) => {
  const render: typeof writer = (...shown) => legible(writer(...shown));

  test("names the engine's commands, and the stack where several are scanned", () => {
    const allowances = new Map([["f1", ["role:0123456789abcdef"]]]);
    const one = render(reportOf([changed], [core]), { ...context, builtIn: new Set([core]), allowances });
    expect(one).toContain("`npx pulumi-modelplatform up --refresh` reverts what the program sets");
    expect(one).toContain("`npx pulumi-modelplatform accept --write` does that, with the `--allow` that it names for");
    const both = render(reportOf([changed], [core, edge]), { ...context, builtIn: new Set([core]), allowances });
    expect(both).toContain(`\`npx pulumi-modelplatform up --refresh --stack ${core}\` reverts`);
    expect(both).toContain(`\`npx pulumi-modelplatform accept --write --stack ${core}\``);
    expect(render(reportOf([changed], [core, edge]), context)).toContain(`\`pulumi up --refresh --stack ${core}\``);
  });

  test("offers no `accept` that could not edit the program", () => {
    const rendered = render(reportOf([changed], [core]), { ...context, allowances: new Map() });
    expect(rendered).not.toContain("pulumi-modelplatform accept");
  });

  test("says once that a key is refused, and lists nothing of its account", () => {
    const reason = `listUsers (GET /v1/accounts/acme/users) answered 401 UNAUTHENTICATED: ${"the key is not known ".repeat(9)}`;
    const findings = ["a", "b"].map(
      (id): Finding => ({
        ...changed,
        ...{ fingerprint: id, verdict: "forbidden", ruleId: "drift/forbidden", reason, changes: [] },
        name: `accounts/acme/users/${id}`,
      }),
    );
    const accounts = [{ account: "acme", origin: "", status: "forbidden" as const, requests: 1, collections: [] }];
    const rendered = render(reportOf(findings, [core], { accounts }), context);
    expect(rendered).toMatch(/keys? refused(:|&#58;) acme (\(|&#40;)2 objects not compared/i);
    expect(rendered.match(/key refused/gi)).toHaveLength(2);
    expect(rendered).not.toContain("the key is not known");
  });
});

test("the command to copy is allowed what the finding opens up", () => {
  const known = { builtIn: new Set([core]), allowances: new Map([["f1", ["role:0123456789abcdef"]]]) };
  const { scope } = reportOf([changed], [core]);
  expect(remediesOf(changed, { scope }, undefined, known).map((remedy) => remedy.text)).toEqual([
    `npx pulumi-modelplatform accept --stack=${core} --only=${changed.urn} --allow role:0123456789abcdef --write`,
    `npx pulumi-modelplatform up --refresh --stack=${core} --target=${changed.urn}`,
  ]);
  expect(remediesOf(changed, { scope }, { patch: "", left: ["by a rule"] }, known)).toHaveLength(2);
  expect(remediesOf(changed, { scope }, undefined, { ...known, allowances: new Map() })).toHaveLength(1);
});
