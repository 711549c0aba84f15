import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../rooms";

/** Pages that somebody has written. Declarations that several kinds share are told of each of them in the reference. */
const isWritten = (page: string): boolean =>
  /^(README|CONTRIBUTING|SECURITY)\.md$|^docs\/[^/]+\.md$|^examples\/([^/]+\/)?README\.md$/.test(page) &&
  !["docs/functions.md", "docs/architecture.md"].includes(page);

const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter(isWritten);

/** The page without commands and programs, what is generated of it, and addresses. */
const proseOf = (page: string): string =>
  page
    .replace(/^ *```[\s\S]*?^ *```/gm, "\n\n")
    .replace(/<!-- (\w+):begin -->[\s\S]*?<!-- \1:end -->/g, "\n\n")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/\]\([^)]*\)/g, "]");

/** Sentences of eight words and more, as they are read. */
function sentencesOf(page: string): string[] {
  const blocks = proseOf(page).split(/\n\s*\n|\n\s*[-*] |\n\s*\d+\. |\n#+ |\n\| | \| | \|$/m);
  return blocks
    .flatMap((block) => block.replace(/\s+/g, " ").split(/(?<=[.?!:]) (?=[A-Z`*[])/))
    .map((sentence) => sentence.replace(/[*`[\]]/g, "").replace(/^[ .:|]+|[ .:|]+$/g, ""))
    .filter((sentence) => (sentence.match(/[\p{L}\p{N}'’-]+/gu) ?? []).length >= 8);
}

test("a sentence ends where it ends; code, addresses and what is generated are none", () => {
  const page =
    "# Title\n\nOne [two](three.md) three four five six seven eight. Short one.\n\n```sh\na b c d e f g h i j\n```\n" +
    "<!-- x:begin -->\nwhat is generated has many words and is left out\n<!-- x:end -->\n";
  expect(sentencesOf(page)).toEqual(["One two three four five six seven eight"]);
});

test("no sentence of eight words or more is on two pages", () => {
  const where = new Map<string, Set<string>>();
  for (const page of pages)
    for (const sentence of sentencesOf(readFileSync(join(root, page), "utf8"))) {
      const key = sentence.toLowerCase();
      where.set(key, (where.get(key) ?? new Set()).add(page));
    }
  expect(where.size).toBeGreaterThan(1_000);
  expect([...where].filter(([, on]) => on.size > 1).map(([sentence, on]) => [sentence, [...on].join(", ")])).toEqual(
    [],
  );
});
