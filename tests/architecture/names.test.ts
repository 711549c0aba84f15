import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command, Option } from "commander";
import type { CliContext } from "../../cli/command/context";
import { commands } from "../../cli/commands";
import { rowOf } from "../../drift/report/page-rows";
import type { Finding } from "../../drift/scan/finding-document";
import { sampleReport } from "../drift/sample-report";
import { root, sourcesOfRooms } from "../rooms";

/** A rename changes code; what speaks of it is changed by hand, and judged here. */

const identifiers = /[A-Za-z_$][\w$]*/g;

const wordsIn = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => text.match(identifiers) ?? []));

const codeOf = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");

/** Names in backticks, of doc comments, that the code has nowhere. */
function goneFromComments(sources: readonly (readonly [file: string, text: string])[]): string[] {
  const known = wordsIn(sources.map(([, text]) => codeOf(text)));
  return sources.flatMap(([file, text]) =>
    [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap(([, comment = ""]) =>
      [...comment.matchAll(/(?<!`)`([a-z][A-Za-z]{2,})`(?!`)/g)].flatMap(([, name = ""]) =>
        known.has(name) ? [] : [`${file}: ${name}`],
      ),
    ),
  );
}

interface Known {
  words: ReadonlySet<string>;
  /** Texts that declare a class or an interface of that name. */
  declaring(name: string): readonly string[];
}

/** Files, members and names of more than one word in a page that are not there. */
function goneFromPage(page: string, { words, declaring }: Known, folder = "."): string[] {
  const files = [...page.matchAll(/`((?:\w+\/)+[\w./-]+\.(?:ts|mjs|cjs))`/g)].map(([, file = ""]) => file);
  const names = [...page.matchAll(/`([A-Za-z][\w.]*)`/g)].map(([, name = ""]) => name);
  return [
    ...files.filter(
      (file) =>
        existsSync(join(root, file.split("/")[0]!)) &&
        ![".", folder].some((each) => existsSync(join(root, each, file))),
    ),
    ...names.filter((name) => {
      const [owner = "", member, ...more] = name.split(".");
      if (member === undefined) return /[a-z][A-Z]/.test(name) && !words.has(name);
      const texts = /^[A-Z]/.test(owner) && more.length === 0 ? declaring(owner) : [];
      return texts.length > 0 && !texts.some((text) => new RegExp(`\\b${member}\\b`).test(text));
    }),
  ];
}

/** Flags that no help names. */
const unlisted = (command: Command): string[] =>
  [...command.options.filter(({ hidden }) => hidden).map(({ long }) => `${command.name()} ${long}`)].concat(
    command.commands.flatMap((each) => unlisted(each as Command)),
  );

/** Labels that are the name of a type. */
const typesAmong = (labels: readonly string[]): string[] => labels.filter((label) => /^[A-Z][a-z]+[A-Z]/.test(label));

const textIn = (path: string): string => readFileSync(join(root, path), "utf8");
const below = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => ending.test(path) && !path.includes("node_modules"))
    .map((path) => join(folder, path));

const sources = sourcesOfRooms()
  .filter((file) => !file.startsWith("provider/sdk/"))
  .map((file) => [file, textIn(file)] as const);

test("a comment names what the code has", () => {
  expect(goneFromComments(sources)).toEqual([]);
});

test("a name that no code has is noticed in a comment", () => {
  const planted = [
    ["a.ts", "/** Calls `itsFormerName`, with `kept`. */\nconst kept = 1; // `itsFormerName`\n"],
  ] as const;
  expect(goneFromComments(planted)).toEqual(["a.ts: itsFormerName"]);
});

const rooms = [...new Set(sources.map(([file]) => file.split("/")[0]!))];
const pages = [
  ...["CONTRIBUTING.md", "docs/architecture.md", "tests/README.md", "measure/README.md"],
  ...["docs/decisions", "docs/dev"].flatMap((folder) => below(folder, /\.md$/)),
  ...rooms.flatMap((room) => below(room, /README\.md$/)),
];
const everything = [
  ...sources.map(([, text]) => text),
  ...["tests", "measure", "tools", ".github", "examples"].flatMap((folder) =>
    below(folder, /\.(?:[cm]?[jt]s|json|ya?ml|py|go)$/).map(textIn),
  ),
  ...["package.json", "tsconfig.json", "schema.json"].map(textIn),
];
const known: Known = {
  words: wordsIn(everything),
  declaring: (name) =>
    sources.map(([, text]) => text).filter((text) => new RegExp(`\\b(?:class|interface) ${name}\\b`).test(text)),
};

test.each(pages)("%s names what is there", (page) => {
  expect(goneFromPage(textIn(page), known, dirname(page))).toEqual([]);
});

test("a file, a member and a name that are gone are noticed in a page", () => {
  const planted =
    "`provider/api/gone.ts` has `RequestRun.vanish`, and `itsFormer` + `Name`; `RequestRun.execute` stays.";
  expect(goneFromPage(planted, { ...known, words: new Set(["RequestRun"]) })).toEqual([
    "provider/api/gone.ts",
    "RequestRun.vanish",
    "itsFormer",
  ]);
});

test("`--help all` names every flag", () => {
  const program = new Command("modelplatform");
  for (const { load } of commands) load().register(program, { env: {} } as CliContext);
  expect(program.commands.length).toBeGreaterThan(15);
  expect(unlisted(program)).toEqual([]);
});

test("a flag that no help names is noticed", () => {
  const planted = new Command("up").addOption(new Option("--secretly", "does").hideHelp());
  expect(unlisted(planted)).toEqual(["up --secretly"]);
});

test("labels of the page are words for its readers", () => {
  const finding: Finding = { ...sampleReport.findings[0]!, group: "g-1" };
  const labels = rowOf(finding, sampleReport, { columns: 80, color: false }).facts.map(([label]) => label);
  expect(labels).toContain("Group");
  expect(typesAmong(labels)).toEqual([]);
  expect(typesAmong(["URN", "FindingGroup"])).toEqual(["FindingGroup"]);
});
