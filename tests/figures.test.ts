import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { accentLimit } from "../tools/accent";
import { figuresOf } from "../tools/figures";
import { rooms, root, sourcesOfRooms } from "./rooms";
import { longTitlesIn, sharedTypeNames } from "./source-names";

const folder = mkdtempSync(join(tmpdir(), "figures-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

test("figures count files, lines, imports and the accent, and nothing alike", () => {
  mkdirSync(join(folder, "room"));
  write(
    "room/a.ts",
    'import {\n  b,\n  c,\n} from "./b";',
    'import "./given";',
    "// What is given, and what it stands for.",
    "/** Told once. */",
    'export const foundIt = "found, shown, gone";',
    "export const withstands = b + c;",
    "const outstanding = foundIt;",
    "",
  );
  write("room/b.cjs", "exports.isGone = (GONE_AT) => GONE_AT;");
  write("room/c.d.ts", "export const found: 1;");
  write("room/d.test.ts", "const found = 1;");
  expect(figuresOf(join(folder, "room"))).toEqual({
    files: 2,
    lines: 12,
    importLines: 5,
    longestFile: 11,
    accent: Math.round((8 / 12) * 10_000) / 10,
  });
});

test("the rooms keep the accent down, and their files readable", () => {
  expect(figuresOf(...rooms.map((room) => join(root, room))).accent).toBeLessThanOrEqual(accentLimit);
  const long = sourcesOfRooms().filter(
    (file) => !file.startsWith("provider/sdk/") && readFileSync(join(root, file), "utf8").split("\n").length > 501,
  );
  expect(long).toEqual([]);
});

/** Folders of fewer than three sources, with the reason. */
const smallFolders: Readonly<Record<string, string>> = {};

test("a folder inside a room has at least three files", () => {
  const sources = new Map<string, number>();
  for (const file of sourcesOfRooms()) sources.set(dirname(file), (sources.get(dirname(file)) ?? 0) + 1);
  const small = [...sources].filter(([each, count]) => each.includes("/") && count < 3).map(([each]) => each);
  expect(small.filter((each) => !(each in smallFolders))).toEqual([]);
  expect(Object.keys(smallFolders).filter((each) => !small.includes(each))).toEqual([]);
});

test("titles count if they are longer than 80 characters", () => {
  const title = (letters: number) => "x".repeat(letters);
  const file = write(
    "c.test.ts",
    `test("${title(80)}", () => {});`,
    `test.each([1])("${title(81)}", () => {});`,
    `describe("${title(81)}", () => test(\`\${1}${title(81)}\`, () => {}));`,
    `expect(/x/.test("${title(81)}"));`,
  );
  expect(longTitlesIn(file)).toHaveLength(2);
});

test("a type name counts as shared if several files export it", () => {
  const paths = [
    write("e.ts", "export interface Place { x?: number }"),
    write("f.ts", "export type Place = string;", "type Local = string;"),
    write("g.ts", "type Place = Local;", "interface Local {}"),
  ];
  expect([...sharedTypeNames(paths)]).toEqual([["Place", paths.slice(0, 2)]]);
});
