import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figuresOf } from "../tools/figures";

const folder = mkdtempSync(join(tmpdir(), "figures-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("figures count what a reader stumbles over, and nothing that only looks like it", () => {
  mkdirSync(join(folder, "room"));
  writeFileSync(
    join(folder, "room", "a.ts"),
    [
      "export interface Place { x?: number }",
      "export const five = (a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e];",
      "export const four = (a: 1, b: 2, c: 3, d: 4) => ({ ...(a && { b }), ...(c ? { d } : {}), ...d, });",
      "export const nested = (a: number) => (a > 1 ? 1 : a > 0 ? (2) : 3);",
      "export const flat = (a: number) => (a > 1 ? 1 : 2);",
      "",
    ].join("\n"),
  );
  writeFileSync(join(folder, "b.ts"), "export type Place = string;\ntype Local = string;\n");
  writeFileSync(join(folder, "c.ts"), "type Place = Local;\ninterface Local {}\n");
  writeFileSync(join(folder, "d.cjs"), "exports.x = 1;\n");
  writeFileSync(join(folder, "e.d.ts"), "export {};\n");
  const title = (letters: number) => "x".repeat(letters);
  writeFileSync(
    join(folder, "c.test.ts"),
    [
      "export type Place = number;",
      `test("${title(80)}", () => {});`,
      `test.each([1])("${title(81)}", () => {});`,
      `describe("${title(81)}", () => test(\`\${1}${title(81)}\`, () => {}));`,
      `expect(/x/.test("${title(81)}"));`,
    ].join("\n"),
  );
  expect(figuresOf(folder)).toEqual({
    files: 5,
    lines: 14,
    largestRoom: 6,
    conditionalSpreads: 142.9,
    longParameterLists: 1,
    nestedTernaries: 1,
    sharedTypeNames: 1,
    longTitles: 2,
  });
});
