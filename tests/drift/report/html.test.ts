import { createHash } from "node:crypto";
import { join } from "node:path";
import ts from "typescript";
import { formats } from "../../../drift/report/formats";
import { script } from "../../../drift/report/page-script";
import { style } from "../../../io/text/markup";
import { sampleReport } from "../sample-report";
import { hostileReport } from "./hostile-report";

const render = (report = sampleReport): string => formats["html"]!.render(report, { columns: 80, color: false });

test("the script of the page type-checks as strictly as the rest", () => {
  const folder = join(__dirname, "..", "..", "..", "drift", "report");
  const file = join(folder, "page-script.js");
  const options: ts.CompilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitReturns: true,
    noEmit: true,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.readFile = (path) => (path === file ? script : readFile(path));
  host.getSourceFile = (path, ...rest) =>
    path === file
      ? ts.createSourceFile(file, script, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS)
      : getSourceFile(path, ...rest);
  const program = ts.createProgram([file], options, host);
  const complaints = ts.getPreEmitDiagnostics(program, program.getSourceFile(file)!);
  expect(
    complaints.map(
      ({ messageText, start }) =>
        `${script.slice(0, start).split("\n").length}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    ),
  ).toEqual([]);
});

test("the policy names script and style by their hashes, and lets nothing else run", () => {
  const page = render();
  const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const inline = (tag: string): string[] =>
    [...page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs"))].map(([, text]) => text!);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)![1];
  expect([inline("script").length, inline("style").length]).toEqual([1, 1]);
  expect(policy).toContain(
    `default-src 'none'; script-src ${hash(inline("script")[0]!)}; style-src ${hash(inline("style")[0]!)};`,
  );
});

test("neither its script nor its style names an address, and no element loads anything", () => {
  expect(`${script}${style}`).not.toMatch(/https?:|\/\/[a-z]|url\(|@import/);
  expect(render()).not.toMatch(/<(?:link|img|iframe|object|embed|base)\b|\ssrc=|\son\w+=|\sstyle=/);
});

test("a hostile report ends none of its elements early", () => {
  expect(render(hostileReport).match(/<\/script>/g)).toHaveLength(3);
  expect(render(hostileReport).match(/<\/(?:title|style|head|body|html|main|form)>/g)).toHaveLength(7);
});

test("what the script reads is what was found", () => {
  const rows = JSON.parse(/id="data">(.*?)<\/script>/s.exec(render())![1]!) as { fingerprint: string }[];
  expect(rows.map(({ fingerprint }) => fingerprint).sort()).toEqual(
    sampleReport.findings.map(({ fingerprint }) => fingerprint).sort(),
  );
});

test("without its script the page still tells the verdicts and the coverage", () => {
  const text = render()
    .replace(/<script.*?<\/script>|<style.*?<\/style>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
  expect(text).toContain(
    "4 changed 1 accepted 1 missing 1 unmanaged 1 error 1 forbidden 1 retired 1 in flight 1 unverifiable 12 in sync",
  );
  expect(text).toContain("acme 6 of 7 (85%) deployments 5 of 6 · policySettings 1 of 1 9");
  expect(text).toContain("globex 0 of ? users forbidden 8");
  expect(text).toContain("The findings are listed by a script");
});
