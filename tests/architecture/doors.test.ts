import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { commands } from "../../cli/commands";
import { root, sourcesOfRooms } from "../rooms";
import { commandsBuiltIn } from "../source-names";
import { files, layerOf, layerOfPath } from "./sources";

/** What reads, and what works on a descriptor: whoever has one to write to got it from `io/files`. */
const harmless = new Set([
  ...[
    "access",
    "accessSync",
    "constants",
    "createReadStream",
    "existsSync",
    "lstatSync",
    "readFile",
    "readFileSync",
    "readdir",
  ],
  ...["readdirSync", "readlinkSync", "realpath", "realpathSync", "stat", "statSync"],
  ...["closeSync", "fstatSync", "ftruncateSync", "readSync", "writeSync"],
]);

/** Writers of their own, with the reason. */
const writesElsewhere: Readonly<Record<string, string>> = {
  "tools/executables.ts": "builds what a release has, in a folder of its own",
  "tools/generate.ts": "writes the repository's own files, at a developer's desk",
  "tools/set-version.ts": "writes the repository's own files, at a developer's desk",
  "tools/release.ts": "empties the folder of a release before it packs",
  "tools/sdk-packages.ts": "packs the other languages' SDKs beside what a release has",
  "tools/build.mjs": "builds before there is anything to import",
  "tools/publish/files.ts": "writes the checksums beside what a release has",
  "tools/publish/bundle.ts": "packs the publishing command beside what a release has",
  "tools/publish/archives.ts": "copies a release into a folder that is no project",
  "tools/publish/go.ts": "commits the Go SDK in a folder of its own, which it then removes",
  "tools/publish/command.ts": "reports to the forge's runner, and records beside what a release has",
  "tools/rehearsal/sandbox.ts": "has a temporary folder, which it then removes",
  "tools/rehearsal/registries.ts": "keeps the programs of local registries, in the release's folder",
  "tools/bundle.mjs": "packs the package, at a developer's desk",
  "cli/tour.ts": "makes a project in a new folder of its own, which it then removes",
};

test("files are written by `io/files` alone", () => {
  const writers = sourcesOfRooms(/\.[cm]?[jt]s$/)
    .map((file) => join(root, file))
    .filter((file) => layerOf(file) !== "io/files")
    .flatMap((file) => {
      const names = writingNames(readFileSync(file, "utf8"));
      return names.length > 0 ? [{ file: relative(root, file), names }] : [];
    });
  expect(writers.filter(({ file }) => !(file in writesElsewhere))).toEqual([]);
  expect(Object.keys(writesElsewhere).filter((file) => !writers.some((writer) => writer.file === file))).toEqual([]);
});

test.each([
  ['import { rename, stat } from "node:fs/promises";', ["rename"]],
  ['import {\n  writeFileSync as w,\n  type Stats,\n} from "fs";', ["writeFileSync"]],
  ['import * as fs from "node:fs";', ["* as fs"]],
  ['import fs, { existsSync } from "node:fs";', ["fs"]],
  ['const { rmSync } = require("node:fs");', ["require"]],
  ['const fs = await import("node:fs/promises");', ["import"]],
  ['export { cpSync } from "node:fs";', ["cpSync"]],
  ['import { existsSync } from "node:fs";', []],
])("a writer is seen in %j", (text, names) => {
  expect(writingNames(text)).toEqual(names);
});

/** What a source takes of the file system that could write. */
const writingNames = (text: string): string[] => takenNames(text).filter((name) => !harmless.has(name));

/** What a source takes of the file system. */
function takenNames(text: string): string[] {
  const module = String.raw`["'](?:node:)?fs(?:\/promises)?["']`;
  const declared = [...text.matchAll(new RegExp(String.raw`(?:import|export)\s+([^;"']*?)\s*from\s*${module}`, "g"))];
  const called = [...text.matchAll(new RegExp(String.raw`\b(import|require)\(\s*${module}\s*\)`, "g"))];
  const taken = declared.flatMap(([, clause = ""]) => {
    const [, whole = "", list = ""] = /^([^{]*?),?\s*(?:\{([^}]*)\})?$/s.exec(clause)!;
    const members = list.split(",").map((member) => member.trim().split(/\s+as\s+/)[0]!);
    return [whole, ...members.filter((member) => !member.startsWith("type "))];
  });
  return [...taken, ...called.map(([, how = ""]) => how)].filter((name) => name !== "");
}

/** What compares or spells paths as text. A folder is its own parent at the root alone. */
const comparesPaths = [
  /import[^;]*\b(?:relative|sep|normalize|\w*matchesGlob)\b[^;]*from "(?:node:)?path"/,
  /\* as path|\bpath from "(?:node:)?path"|\brealpath(?:Sync)?\b/,
  /\.(?:startsWith|replace)\((?:"\.\.|[^)]*(?:\b(?:cwd|folder|home)\b|[fF]older}))/,
  /\b(?:resolve|realPath|cwd)\([^()]*\) [!=]==|[!=]== (?:resolve|realPath|process\.cwd)\(/,
];

/** Those that compare other things, with the reason. */
const comparedElsewhere: Readonly<Record<string, string>> = {
  "drift/accept/declarations.ts": "names of the declarations that the package itself compiles",
  "drift/accept/program.ts": "a folder of its own that no disk has",
  "tools/generate.ts": "spells links between the repository's own pages",
};

/** What reads files without `io/files/read`, and why a ceiling has no place there. */
const readsElsewhere: Readonly<Record<string, string>> = {
  "provider/api/request-log.ts": "readSync: the last bytes of its own trace",
  "provider/lifecycle/sources.ts": "createReadStream: weights to upload, which are not parsed",
  "provider/lifecycle/memory/claims.ts": "readSync: what the processes of its run have appended",
  "engine/values/assets.ts": "readFile: hashes a program's asset, which is not parsed",
  "engine/processes/compiler-memory.ts": "readFileSync: what the compiler of the program reads",
  "cli/tour.ts": "open: writes the output of a command, and reads nothing",
};

const reads = ["readFile", "readFileSync", "readSync", "readv", "readvSync", "createReadStream", "openAsBlob"];

/** What a source takes of the file system that could read. */
const readingNames = (text: string): string[] =>
  takenNames(text).filter((name) => reads.includes(name) || /^(\* as .*|fs|require|import|promises|open)$/.test(name));

test("files are read by `io/files/read` alone, up to a ceiling", () => {
  const readers = files
    .filter((file) => !/^(io|tools)\//.test(relative(root, file)))
    .filter((file) => readingNames(readFileSync(file, "utf8")).length > 0);
  expect(readers.map((file) => relative(root, file)).sort()).toEqual(Object.keys(readsElsewhere).sort());
});

test.each([
  ['import { readFile as r } from "node:fs/promises";', ["readFile"]],
  ['import * as fs from "node:fs";', ["* as fs"]],
  ['const { readFileSync } = require("node:fs");', ["require"]],
  ['import { statSync, type Stats } from "node:fs";', []],
])("a reader is seen in %j", (text, names) => {
  expect(readingNames(text)).toEqual(names);
});

test("paths are compared by `io/paths` alone, since a folder has many spellings", () => {
  const comparers = files
    .filter((file) => comparesPaths.some((pattern) => pattern.test(readFileSync(file, "utf8"))))
    .map((file) => relative(root, file));
  expect(comparers.filter((file) => layerOfPath(file) !== "io/paths.ts")).toEqual(Object.keys(comparedElsewhere));
});

test.each([
  'import { join, relative } from "node:path";',
  'import {\n  join,\n  sep,\n} from "path";',
  'import * as path from "node:path";',
  'import { realpathSync } from "node:fs";',
  "const inside = file.startsWith(folder + sep);",
  "const inside = file.startsWith(`${project.folder}/`);",
  'const outside = way.startsWith("..");',
  "const same = resolve(one) === other;",
])("a comparison of paths is seen in %j", (text) => {
  expect(comparesPaths.some((pattern) => pattern.test(text))).toBe(true);
});

test("a program warns through `pulumi/warnings.ts` alone, which disarms what it says", () => {
  const direct = files.filter((file) => /\bpulumi\.log\b/.test(readFileSync(file, "utf8")));
  expect(direct.map((file) => relative(root, file))).toEqual(["provider/pulumi/warnings.ts"]);
});

test("programs that have to end are run by `io/programs`, which can end them", () => {
  const runners = files.filter((file) => /\bexecFile\b/.test(readFileSync(file, "utf8")));
  const elsewhere = runners.map((file) => relative(root, file)).filter((file) => !file.startsWith("tools/"));
  expect(elsewhere).toEqual(["io/programs.ts"]);
});

test("git is run by `cli/drift/accept/worktree.ts` alone: no checkout runs it", () => {
  const runners = files.filter((file) =>
    /\b(execFile\w*|runProgram)\(\s*"git"|"git [a-z]/.test(readFileSync(file, "utf8")),
  );
  expect(runners.map((file) => relative(root, file))).toEqual(["cli/drift/accept/worktree.ts"]);
});

/** What a command to copy may begin with; `new` begins an expression of a program, too. */
const programs = [
  ...["npx", "pulumi", "npm", "node", "git", "chmod", "rm", "kill", "export"],
  ...commands.map(({ name }) => name).filter((name) => name !== "new"),
];

test("commands to copy are written in one place", () => {
  const files = sourcesOfRooms().filter(
    (file) => !/^(?:tools|measure|provider\/sdk)\//.test(file) && file !== "io/text/command-line.ts",
  );
  const built = files.flatMap((file) => commandsBuiltIn(join(root, file), programs).map((line) => `${file}:${line}`));
  expect(built).toEqual([]);
});

test("a command to copy that is put together by hand is found", () => {
  const source = [
    "const a = `Run \\`up --target ${urn}\\`.`;",
    "const b = `  pulumi config set ${key}\\n`;",
    "const c = `Run npx pulumi-modelplatform state delete ${urn}`;",
    "const d = `\\`${program} refresh\\``;",
    'const e = ["npx", "pulumi-modelplatform", verb].join(" ");',
    "const f = `Run \\`up\\`, which deletes ${urn}, and \\`refresh\\`.`;",
    "const g = example(`npx pulumi-modelplatform state ${name}`);",
  ];
  const file = join(mkdtempSync(join(tmpdir(), "commands-")), "built.ts");
  writeFileSync(file, source.join("\n"));
  expect(commandsBuiltIn(file, programs)).toEqual([1, 2, 3, 4, 5]);
});
