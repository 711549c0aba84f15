// First, so that the engine is read with its processes replaced.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtIn, onEachEngine, repository } from "../e2e/engines";
import { InlineSite } from "../inline/site";
import { nightly } from "../nightly";
import { follow } from "./played/follow";
import { Newcomer } from "./played/newcomer";
import { putPlayedNpx } from "./played/npx";
import { blocksOf, ownBlocksOf } from "./played/page";
import { Shell } from "./played/shell";

jest.setTimeout(600_000);

/** Pages that lead from an empty folder to a clean preview, in one shell, as who reads on has them. */
const first: readonly (readonly string[])[] = [["README.md", "docs/first-project.md"]];

/** Pages for those who have begun; what else they need than the commands of this package takes real processes. */
const further = ["install", "drift-accept", "codify", "many-accounts"].map((name) => [`docs/${name}.md`]);

const ofExamples = readdirSync(join(repository, "examples"))
  .map((name) => `examples/${name}/README.md`)
  .filter((page) => existsSync(join(repository, page)));

/** The emulator of this process has one account. */
const hasAccounts = (page: string): boolean => readFileSync(join(repository, page), "utf8").includes("--account ");

/** The pages, as `follow` has a newcomer follow them. */
const leads = (
  ways: readonly (readonly string[])[],
  follow: (newcomer: Newcomer, pages: readonly string[]) => ReturnType<Newcomer["follow"]>,
): void =>
  test.each(ways.map((pages) => [pages.join(", then "), pages] as const))(
    "%s is right to its last line",
    async (_, pages) => {
      const newcomer = new Newcomer();
      try {
        const { steps, transcript } = await follow(newcomer, pages);
        const failed = steps.filter(({ codes = [], missing = [] }) => codes.length > 0 || missing.length > 0);
        expect({ failed, transcript: failed.length > 0 ? transcript : "" }).toEqual({ failed: [], transcript: "" });
        const last = ownBlocksOf(join(repository, pages.at(-1)!)).findLast(({ kind }) => kind === "commands");
        expect(steps.map(({ block }) => block)).toEqual(expect.arrayContaining(last ? [last] : []));
        if (!first.includes(pages)) return;
        const quiet = steps.filter(({ block }) => block.kind === "commands" && !/--refresh|doctor/.test(block.text));
        expect(quiet.map(({ output }) => output).join("\n")).not.toMatch(/warning|deprecat/i);
      } finally {
        newcomer.close();
      }
    },
  );

/** What becomes of a page that is `text`. */
async function followed(text: string): Promise<Awaited<ReturnType<typeof follow>>> {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const shell = new Shell(folder, { PATH: process.env["PATH"] });
  try {
    writeFileSync(join(folder, "page.md"), text);
    const reader = { change: (typed: string) => typed, shows: () => true, hasCli: false };
    return await follow(blocksOf(join(folder, "page.md")), shell, reader);
  } finally {
    shell.close();
    rmSync(folder, { recursive: true });
  }
}

const shell = (text: string): string => `\n\`\`\`sh\n${text}\n\`\`\`\n`;
const printed = (text: string): string => `\n\`\`\`text\n${text}\n\`\`\`\n`;

test("what a page says is printed, and is not, is missing", async () => {
  const [, right] = await followed(shell("echo one two") + printed("one …"));
  expect(right).toMatchObject({ missing: [] });
  const [, wrong] = await followed(shell("echo one") + printed("two"));
  expect(wrong).toMatchObject({ missing: ["/two/"] });
});

test("a command that fails ends the page unless it announces its code", async () => {
  expect(await followed(shell("false") + shell("echo on"))).toMatchObject([{ codes: [1] }]);
  expect(await followed(shell("(exit 7)  # ends with 7") + shell("echo on"))).toMatchObject([
    { codes: [] },
    { codes: [] },
  ]);
  expect(await followed(shell("true  # ends with 7"))).toMatchObject([{ codes: ["none"] }]);
});

test("a block that is marked is not run, and one without a language is refused", async () => {
  expect(await followed(`\n<!-- not played: a reason -->${shell("false")}`)).toEqual([]);
  await expect(followed(shell("").replace("sh", ""))).rejects.toThrow("does not say what this is");
});

/** With the commands of this package played in this process. */
async function followInline(newcomer: Newcomer, pages: readonly string[]) {
  const site = await InlineSite.start();
  for (const project of newcomer.projects) site.playIn(project);
  const npx = await putPlayedNpx(newcomer.bin, site.play);
  try {
    newcomer.installNothing();
    return await newcomer.follow(pages, builtIn, { emulator: new URL(site.url).port });
  } finally {
    npx.close();
    await site.close();
  }
}

// Who reads on has been through both pages.
describe("on the built-in engine, in one process", () => leads(first.slice(-1), followInline));

nightly("each example is followed to its last line", () =>
  leads(
    ofExamples.filter((page) => !hasAccounts(page)).map((page) => [page]),
    followInline,
  ),
);

nightly("the package is packed and installed, and a dozen commands start three processes each", () =>
  onEachEngine((engine) =>
    leads([...first, ...further, ...ofExamples.filter(hasAccounts).map((page) => [page])], (newcomer, pages) => {
      newcomer.installOffline();
      return newcomer.follow(pages, engine, { env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" } });
    }),
  ),
);
