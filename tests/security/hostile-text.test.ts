import { transformSync } from "@swc/core";
import type { Command } from "commander";
import { marked } from "marked";
import { SaxesParser } from "saxes";
import type { CliContext } from "../../cli/command/context";
import { jsonText } from "../../cli/command/output";
import { run } from "../../cli/program";
import { expression } from "../../drift/codify/printer";
import { formats } from "../../drift/report/formats";
import type { DriftReport } from "../../drift/scan/document";
import { createJsonDisplay, createPlainDisplay, plainOutput } from "../../engine/display/display";
import { createPalette } from "../../engine/display/text";
import type { EngineEvent } from "../../engine/events";
import { sanitizeOutput } from "../../io/text/printable";
import { ModelPlatformError } from "../../provider/core/errors";
import { sampleReport } from "../drift/sample-report";
import { finished, ManualClock, prelude, said, step, summary } from "../engine/display/script";
import { testPairs } from "./pairs";
import { expectInert, payloads } from "./payloads";

/** A report of which every text that others may choose is hostile. */
function report(text: string): DriftReport {
  const [first] = sampleReport.findings;
  const finding = {
    ...first!,
    account: text,
    type: text,
    name: `accounts/${text}/deployments/${text}`,
    urn: text,
    stacks: [text],
    reason: text,
    unverified: [text],
    changes: [
      { path: text, kind: "changed", recorded: text, live: { [text]: [text] }, severity: "error", managed: true },
    ],
  } as DriftReport["findings"][number];
  return { ...sampleReport, findings: [finding] };
}

const rendered =
  (format: string) =>
  (text: string): string =>
    formats[format]!.render(report(text), { columns: 80, color: false });

/** A cell that a spreadsheet would take for a formula, wherever it splits the line. */
const formula = /(?:^|[,;\n]"?)\s*[=+@](?![\d.])/;

function expectXml(text: string): void {
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(text).close();
}

function expectMarkdown(text: string): void {
  const page = marked.parse(text, { async: false });
  expect(page).not.toMatch(/<img|<script|<a /i);
}

function expectPage(text: string): void {
  expect(text.match(/<script/g)).toHaveLength(3);
  expect(text).not.toContain("<img");
}

/** What a run of a program over the stack says. */
function engineOutput(text: string, diff = true): string {
  let out = "";
  const display = createPlainDisplay({
    write: (piece) => void (out += piece),
    palette: createPalette(false),
    size: () => ({ width: 60, height: 24 }),
    clock: new ManualClock(),
    diff,
  });
  for (const event of events(text)) display.onEvent(event);
  display.close();
  return out;
}

const events = (text: string): EngineEvent[] => [
  prelude(),
  finished(
    1,
    step("update", text, { diffs: [{ path: text, kind: "update", old: text, new: `${text}x` }], initErrors: [text] }),
  ),
  said(2, text, { severity: "error" }),
  summary(3, { update: 1 }, { outputs: { [text]: text } }),
];

/** A command that writes `text` where each stream takes it. */
async function command(text: string, stream: "stdout" | "stderr" | "error"): Promise<string> {
  let out = "";
  const output = { write: (piece: string) => void (out += piece), isTTY: false, columns: 80, rows: 24 };
  const context = { stdout: output, stderr: output, env: {}, exitCode: 0, cwd: "." } as unknown as CliContext;
  const register = (program: Command, { stdout, stderr }: CliContext): void =>
    void program.command("say").action(() => {
      if (stream === "error") throw new Error(text);
      ({ stdout, stderr })[stream].write(`${text}\n`);
    });
  await run(["say"], context, "1.2.3", [{ name: "say", summary: "says", group: "Test:", load: () => ({ register }) }]);
  return out;
}

/** The text that TypeScript makes of what codify prints. */
function evaluated(text: string): unknown {
  const source = `exports.value = ${expression({ value: text })};`;
  const { code } = transformSync(source, {
    jsc: { parser: { syntax: "typescript" }, target: "es2022" },
    module: { type: "commonjs" },
  });
  const exported: { value?: { value?: unknown } } = {};
  new Function("exports", code)(exported);
  return exported.value?.value;
}

type Judge = (text: string) => void | Promise<void>;

const outputs: readonly (readonly [string, Judge])[] = [
  ["standard output", async (text) => expectInert(await command(text, "stdout"))],
  ["standard error", async (text) => expectInert(await command(text, "stderr"))],
  ["an error message", async (text) => expectInert(await command(text, "error"))],
  ["an error of the provider", (text) => expectInert(new ModelPlatformError(text, { serviceMessage: text }).message)],
  ["the lines of a run", (text) => expectInert(sanitizeOutput(engineOutput(text)))],
  [
    "the fence of a comment on a pull request",
    (text) => {
      const comment = `~~~~~~text\n${engineOutput(text)}\n~~~~~~\n`;
      expect(
        marked
          .lexer(comment)
          .filter(({ type }) => type !== "space")
          .map(({ type }) => type),
      ).toEqual(["code"]);
    },
  ],
  [
    "the output of a program that runs the engine",
    (text) => {
      let out = "";
      const { emit, close } = plainOutput({ onOutput: (piece) => void (out += piece), diff: true });
      for (const event of events(text)) emit(event);
      close();
      expectInert(out);
    },
  ],
  [
    "JSON lines of a run",
    (text) => {
      let out = "";
      const display = createJsonDisplay((piece) => void (out += piece), new ManualClock());
      for (const event of events(text)) display.onEvent(event);
      expectInert(out);
      expect(
        out
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as object),
      ).toHaveLength(4);
    },
  ],
  [
    "a JSON document",
    (text) => {
      expectInert(jsonText({ [text]: text }));
      expect(JSON.parse(jsonText({ [text]: text }))).toEqual({ [text]: text });
    },
  ],
  ["TypeScript", (text) => expect(evaluated(text)).toBe(text)],
  ["the text of a report", (text) => expectInert(rendered("text")(text))],
  [
    "the JSON of a report",
    (text) => {
      expectInert(rendered("json")(text));
      expect((JSON.parse(rendered("json")(text)) as DriftReport).findings[0]!.reason).toBe(text);
    },
  ],
  ["the NDJSON of a report", (text) => expectInert(rendered("ndjson")(text))],
  ["SARIF", (text) => expectInert(rendered("sarif")(text))],
  [
    "JUnit",
    (text) => {
      expectInert(rendered("junit")(text));
      expectXml(rendered("junit")(text));
    },
  ],
  [
    "Markdown",
    (text) => {
      expectInert(rendered("markdown")(text));
      expectMarkdown(rendered("markdown")(text));
    },
  ],
  [
    "HTML",
    (text) => {
      expectInert(rendered("html")(text));
      expectPage(rendered("html")(text));
    },
  ],
  [
    "CSV",
    (text) => {
      expectInert(rendered("csv")(text));
      const cells = rendered("csv")(text).split("\r\n").slice(1).join("\n");
      expect(cells).not.toMatch(formula);
    },
  ],
];

test("the last guard leaves a page as it is, so that its script still fits its policy", () => {
  const page = rendered("html")("x");
  expect(sanitizeOutput(page)).toBe(page);
});
test("the last guard leaves JSON the same data", () => {
  const text = payloads.map(([, payload]) => payload).join("");
  expect(JSON.parse(sanitizeOutput(JSON.stringify({ text })))).toEqual({ text });
});
test("the last guard leaves line breaks of calendars and tables, and no other one", () => {
  expect(sanitizeOutput("a\r\nb\r\n")).toBe("a\r\nb\r\n");
  expect(sanitizeOutput("real\rfake\r\r\n::add-mask::b")).toBe("real\\u000dfake\\u000d\r\n: :add-mask::b");
});
test("styles pass where they are asked for, and one that conceals does not", () => {
  expect(sanitizeOutput("\u001b[1;31mred\u001b[0m \u001b[8mhidden", { styled: true })).toBe(
    "\u001b[1;31mred\u001b[0m \\u001b[8mhidden",
  );
});

testPairs(
  outputs,
  payloads,
  (output, payload) => `${output} does nothing with ${payload}`,
  (judge, text) => judge(text),
);
