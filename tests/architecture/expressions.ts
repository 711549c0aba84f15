import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { root } from "../rooms";
import { files, layerOf } from "./sources";

/** The regular expressions of what is published: each may meet the text of a service, a repository or a log. */

export interface Expression {
  /** `/pattern/flags`. */
  text: string;
  places: readonly string[];
}

/** Sources that meet no text but this repository's own, and are not published. */
const isPublished = (file: string): boolean => !["tools", "cli/tour.ts"].includes(layerOf(file));

/** Patterns that are put together while the program runs: one that each file comes to. */
export const assembled: Readonly<Record<string, RegExp>> = {
  "cli/platform/probe/probe.ts": /(?<![\w-])account(?![\w-])/g,
  "engine/state/stack-files.ts": /"member":\s*("(?:[^"\\]|\\.)*")/g,
  "io/text/printable.ts": /\u001b\[[0-9;]*m|\r\n|[\p{Cc}\p{Cf}]/gu,
  "provider/api/settings/endpoint.ts": /-----BEGIN [A-Z ]*CERTIFICATE-----/,
  "provider/core/values/names.ts": /^accounts\/([^/]+)\/users\/([^/]+)$/,
  "provider/lifecycle/changes/delete.ts": /Deployed\W?Model/i,
};

/** Patterns of the user's own settings, which are matched where a signal ends it. */
export const ofTheUser: readonly string[] = ["governance/policies/guardrails.ts"];

function visitPatterns(file: string, literal: (text: string, line: number) => void, other: () => void): void {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node))
      literal(node.text, source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(source) === "RegExp")
      other();
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Every literal, and every file that puts patterns together. */
export function expressions(): { literals: Expression[]; assembling: string[] } {
  const places = new Map<string, string[]>();
  const assembling = new Set<string>();
  for (const file of files.filter(isPublished)) {
    const path = relative(root, file);
    visitPatterns(
      file,
      (text, line) => void places.set(text, [...(places.get(text) ?? []), `${path}:${line}`]),
      () => void assembling.add(path),
    );
  }
  for (const [path, pattern] of Object.entries(assembled))
    places.set(String(pattern), [...(places.get(String(pattern)) ?? []), path]);
  const literals = [...places].map(([text, at]) => ({ text, places: at }));
  return { literals, assembling: [...assembling] };
}

const parts = (text: string): [pattern: string, flags: string] => {
  const end = text.lastIndexOf("/");
  return [text.slice(1, end), text.slice(end + 1)];
};

/** What the checker says something else about from time to time, by the bound that holds it. */
const bounded: Readonly<Record<string, string>> = {
  "/\\b(Bearer|Basic)\\s{1,16}[A-Za-z0-9._~+/=-]{8,16384}/gi":
    "a start looks at 16 blanks and one word behind them, which no other start looks at",
};

/** Without a repeat that has no bound of two digits, a pattern looks at each letter a bounded number of times. */
export function isBounded({ text }: Expression): boolean {
  if (Object.hasOwn(bounded, text)) return true;
  const bare = parts(text)[0]
    .replace(/\\./gs, "A")
    .replace(/\[[^\]]*\]/g, "C");
  return !/[*+]|\{\d+,\}|\{(?:\d+,)?\d{3,}\}/.test(bare);
}

export const digestOf = ({ text }: Expression): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** What the checker says: `linear`, or by which text it is not. Takes a tenth of a second to some seconds. */
export function verdictOn({ text }: Expression): string {
  const { checkSync } = require("recheck/lib/browser.js") as typeof import("recheck");
  const [pattern, flags] = parts(text);
  // A sticky one begins at one place alone, and indices are no part of matching.
  const source = flags.includes("y") ? `^(?:${pattern})` : pattern;
  const found = checkSync(source, flags.replace(/[dy]/g, ""), { timeout: 60_000, randomSeed: 1 });
  if (found.status === "safe") return "linear";
  return found.status === "vulnerable" ? `${found.complexity.summary}: ${found.attack.pattern}` : "not decided";
}

const listed = join(root, "tests/architecture/linear.txt");

/** Digests of those that the checker has found linear; a night asks it again. */
export const linear = (): Set<string> => new Set(readFileSync(listed, "utf8").split(/\s+/).filter(Boolean));

/** Lists what is linear, asking the checker about what is new. */
export function recordLinear(): void {
  const known = linear();
  const digests = expressions()
    .literals.filter((each) => !isBounded(each) && (known.has(digestOf(each)) || verdictOn(each) === "linear"))
    .map(digestOf)
    .sort();
  // A line for each first letter: two changes seldom touch the same one.
  const lines = [..."0123456789abcdef"].map((first) => digests.filter((digest) => digest.startsWith(first)).join(" "));
  writeFileSync(listed, `${lines.join("\n")}\n`);
}
