import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promises } from "./promises";

const root = join(__dirname, "..", "..");

/** The sentences between the heading "Guarantees" and the next one, without marks of lists and of links. */
function sentencesOf(page: string): string[] {
  const text = page.split(/^## /m).find((section) => section.startsWith("Guarantees\n"));
  if (text === undefined) throw new Error("docs/security.md has no section `Guarantees`");
  return text
    .slice("Guarantees\n".length)
    .split(/\n\n|^- /m)
    .flatMap((block) =>
      block
        .replace(/\s+/g, " ")
        .replace(/^ ?\*\*[^*]+\*\*/, "")
        .split(/(?<=[.?!]) (?=[A-Z`])/),
    )
    .map((sentence) => sentence.trim())
    .filter(Boolean);
}

const page = readFileSync(join(root, "docs/security.md"), "utf8");

/** A source whose titles read as in the table: what is computed is `…`, and quotes stand as they are. */
const readable = (source: string): string => source.replace(/\$\{[^}]*\}/g, "…").replace(/\\([`"'])/g, "$1");

/** Whether a file has a text with this title. A title that is a prefix of another one is not it. */
const hasTitle = (source: string, title: string): boolean =>
  ['"', "'", "`"].some((quote) => readable(source).includes(`${quote}${title}${quote}`));

test("every sentence of the guarantees has its row, and every row is a sentence", () => {
  expect(promises.map(([sentence]) => sentence.replace(/\s+/g, " "))).toEqual(sentencesOf(page));
});

test.each(promises.map(([sentence, ...holders]) => ({ sentence, holders })))("$sentence", ({ holders }) => {
  expect(holders).not.toEqual([]);
  for (const [path, title] of holders) {
    const file = join(root, "tests", path);
    expect([path, existsSync(file)]).toEqual([path, true]);
    expect([path, title, hasTitle(readFileSync(file, "utf8"), title)]).toEqual([path, title, true]);
  }
});

test("a sentence that changes or is added is found, in a paragraph and in a list", () => {
  const small =
    "# S\n\n## Guarantees\n\n**One.**\n- A key `x` stays\n  here. `b` is 1.5 MB.\n- Two.\n\n**Two.** Three.\n\n## More\n";
  expect(sentencesOf(small)).toEqual(["A key `x` stays here.", "`b` is 1.5 MB.", "Two.", "Three."]);
});

test("a title that is only the beginning of another one is not found", () => {
  expect(hasTitle('test("a key stays here", run)', "a key stays")).toBe(false);
  expect(hasTitle("probe(`a ${what} stays \\`here\\``, run)", "a … stays `here`")).toBe(true);
});
