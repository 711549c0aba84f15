import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root, sourcesOfRooms } from "../rooms";
import { longTitlesIn, sharedTypeNames } from "../source-names";

const folder = mkdtempSync(join(tmpdir(), "sources-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

test("the files of the rooms are readable: up to 500 lines", () => {
  const long = sourcesOfRooms().filter(
    (file) => !file.startsWith("provider/sdk/") && readFileSync(join(root, file), "utf8").split("\n").length > 501,
  );
  expect(long).toEqual([]);
});

test("a folder inside a room has at least three files", () => {
  const sources = new Map<string, number>();
  for (const file of sourcesOfRooms()) sources.set(dirname(file), (sources.get(dirname(file)) ?? 0) + 1);
  expect([...sources].filter(([each, count]) => each.includes("/") && count < 3)).toEqual([]);
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
