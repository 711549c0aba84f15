import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { commands } from "../cli/commands";
import { allSpecs } from "../provider/resources/index";

import { earlyStarts } from "./entry-points";
import { imports as everyImport, isLocal, resolved } from "./imports";
import { root, sourcesOfRooms } from "./rooms";
import { commandsBuiltIn, longTitlesIn, sharedTypeNames } from "./source-names";

const within = (room: string, ...folders: string[]): string[] => folders.map((folder) => `${room}/${folder}`);

/** Words between an engine and a life cycle, which know nothing of each other. */
const engineState = "protocol/engine-state.ts";

/** What each layer may import of the others. Arrows point one way only. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "io/text": [],
  "io/paths.ts": [],
  "io/programs.ts": [],
  "io/files": within("io", "text", "paths.ts"),
  "io/masking": [],
  "provider/core": within("io", "text", "masking"),
  "provider/resources": ["provider/core"],
  "provider/kinds": ["provider/core"],
  "provider/api": [...within("io", "text", "files", "programs.ts"), "provider/core"],
  "provider/lifecycle": [...within("io", "text", "files"), ...within("provider", "core", "kinds", "api"), engineState],
  filters: ["provider/core"],
  emulator: ["io/files", ...within("provider", "core", "resources"), "filters"],
  "engine/state": [...within("io", "text", "files")],
  [engineState]: [],
  protocol: [engineState],
  engine: [...within("io", "text", "files", "paths.ts", "masking"), "engine/state", "protocol", engineState],
  "provider/pulumi": [
    ...within("io", "text", "files"),
    ...within("provider", "core", "resources", "api", "lifecycle"),
    ...["protocol", engineState],
  ],
  "provider/plugin": [
    ...within("io", "text", "files", "masking"),
    ...within("provider", "core", "resources", "api", "lifecycle", "pulumi"),
    "protocol",
  ],
  "cli/host": [
    ...within("io", "text", "files"),
    ...within("provider", "core", "api", "lifecycle", "pulumi", "plugin"),
    "protocol",
  ],
  "governance/cost": [
    ...within("io", "text", "paths.ts"),
    ...within("provider", "core", "resources", "api", "lifecycle"),
  ],
  "governance/review": ["io/text", ...within("provider", "core", "resources", "kinds", "lifecycle"), "governance/cost"],
  drift: [
    ...within("io", "text", "files", "programs.ts"),
    ...within("provider", "core", "resources", "kinds", "api", "lifecycle"),
    ...["engine/state", "governance/cost", "filters"],
  ],
  "drift/accept": [
    ...within("io", "text", "files", "paths.ts"),
    ...within("provider", "core", "resources", "kinds", "api"),
    "drift",
  ],
  "governance/policies": [...within("provider", "core", "resources"), "governance/cost"],
  "drift/audit.ts": ["io/text", ...within("provider", "core", "api"), "drift", "governance/policies"],
  cli: [
    ...within("io", "text", "files", "paths.ts", "programs.ts"),
    ...within("provider", "core", "resources", "api", "lifecycle", "pulumi"),
    ...within("governance", "cost", "policies", "review"),
    ...["drift", ...within("drift", "accept", "audit.ts")],
    ...["engine", "engine/state", "emulator", "protocol", "cli/host", "filters"],
  ],
  "cli/tour.ts": ["io/files"],
  tools: [
    ...within("io", "text", "files"),
    ...within("provider", "core", "resources", "kinds", "api", "lifecycle"),
    ...within("governance", "cost", "policies"),
    ...["drift", "engine/state"],
    ...["cli", "cli/tour.ts"],
  ],
  "provider/sdk": [...within("provider", "core", "pulumi")],
  "provider/errors.ts": ["provider/core"],
  "cli/host/embedded-stack.ts": ["engine", "cli/host"],
  "provider/index.ts": [...within("provider", "core", "pulumi", "sdk", "errors.ts")],
  "provider/plugin-classes.ts": [...within("provider", "core", "pulumi", "sdk", "errors.ts")],
  "provider/runtime.ts": ["provider/core", "provider/pulumi"],
};

/** Packages that only these layers may use. */
const onlyIn: Readonly<Record<string, readonly string[]>> = {
  undici: ["provider/api"],
  zod: ["provider/core"],
  "p-retry": ["provider/api"],
  "@pulumi/pulumi": ["provider/pulumi", "provider/plugin", "protocol", "engine", "provider/sdk"],
  "@grpc/grpc-js": ["provider/pulumi", "provider/plugin", "protocol", "engine"],
  "google-protobuf": ["provider/plugin", "protocol", "engine"],
  commander: ["cli"],
  typescript: ["drift/accept", "tools"],
  diff: ["drift/accept"],
};

/** `core` does no input or output, so it needs nothing that could. */
const pureCore = ["zod", "node:util", "fastest-levenshtein"];

function filesBelow(folder: string, ending = /\.ts$/): string[] {
  return readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    if (statSync(path).isDirectory()) return entry === "node_modules" ? [] : filesBelow(path, ending);
    return ending.test(path) ? [path] : [];
  });
}

const files = sourcesOfRooms().map((file) => join(root, file));

/** The layer that a path from the root belongs to: the longest that the table has. */
const layerOfPath = (path: string): string =>
  Object.keys(mayImport)
    .filter((layer) => path === layer || `${path}.ts` === layer || path.startsWith(`${layer}/`))
    .reduce((longest, layer) => (layer.length > longest.length ? layer : longest), "");
const layerOf = (file: string): string => layerOfPath(relative(root, file));

const imports = everyImport.map((entry) => ({ ...entry, from: layerOf(entry.file) }));
const local = imports.filter(isLocal);
const packageOf = (target: string): string =>
  target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");

test("every source is of a layer that this test knows", () => {
  expect(files.filter((file) => layerOf(file) === "")).toEqual([]);
});

test("a layer imports only the layers below it", () => {
  const wrong = local.filter((entry) => {
    const target = layerOfPath(resolved(entry));
    return target !== entry.from && !mayImport[entry.from]?.includes(target);
  });
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test("nothing imports the index of its own layer", () => {
  const wrong = local.filter((entry) => resolved(entry) === `${entry.from}/index`);
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test("packages appear only in the layers that own them", () => {
  const wrong = imports.filter(
    ({ from, target }) =>
      !target.startsWith(".") && onlyIn[packageOf(target)] && !onlyIn[packageOf(target)]!.includes(from),
  );
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test("the plugin loads no more of Pulumi's SDK than the messages of its protocol", () => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const entry of local) if (entry.file === `${file}.ts`) visit(resolved(entry));
  };
  visit("provider/plugin/server");
  const loaded = imports.filter(
    ({ file, target }) => reached.has(file.replace(/\.ts$/, "")) && packageOf(target) === "@pulumi/pulumi",
  );
  expect(loaded.filter(({ target }) => !target.startsWith("@pulumi/pulumi/proto/"))).toEqual([]);
  expect(loaded).not.toEqual([]);
});

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

/** Names of types that several files export, with the reason. */
const sharedNames: Readonly<Record<string, string>> = {
  EmbeddedStack: "a program's stack is the engine's with this package's kinds, under the name of the Automation API",
};

test("exported type names are unique", () => {
  const written = files.filter((file) => layerOf(file) !== "provider/sdk" && !/\.test\.ts$/.test(file));
  const shared = sharedTypeNames(written);
  expect([...shared].filter(([name]) => !(name in sharedNames))).toEqual([]);
  expect(Object.keys(sharedNames).filter((name) => !shared.has(name))).toEqual([]);
});

// Entry points of the package are public as a whole.
test("an export has an importer: a source, a test or the package's users", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, { default?: string }>;
  };
  const entries = new Set(
    Object.values(exports).flatMap(({ default: path }) => path?.replace(/^\.\/dist\/(.*)\.js$/, "$1.ts") ?? []),
  );
  const importers = new Map<string, string[]>();
  for (const file of [...files, ...filesBelow(__dirname), ...filesBelow(join(root, "examples"))]) {
    const text = readFileSync(file, "utf8");
    for (const [, target] of text.matchAll(/(?:from|import\(|require\()\s*["'](\.[^"']*)["']/g)) {
      const path = resolve(dirname(file), target!);
      importers.set(path, [...(importers.get(path) ?? []), text]);
    }
  }
  const exported = /^export (?:async |abstract )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm;
  const unused = files
    .filter((file) => layerOf(file) !== "provider/sdk" && !entries.has(relative(root, file)))
    .flatMap((file) => {
      const texts = importers.get(file.replace(/\.ts$/, "")) ?? [];
      const names = [...readFileSync(file, "utf8").matchAll(exported)].map(([, name]) => name!);
      const isUsed = (name: string) => texts.some((text) => new RegExp(`\\b${name}\\b|export \\* from`).test(text));
      return names.filter((name) => !isUsed(name)).map((name) => `${relative(root, file)} ${name}`);
    });
  expect(unused).toEqual([]);
});

test("core is pure", () => {
  const wrong = imports.filter(
    ({ from, target }) => from === "provider/core" && !target.startsWith(".") && !pureCore.includes(target),
  );
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

/** The loops that arrows run in, each written out: `a -> b -> a`. */
function cyclesAmong(arrows: readonly { from: string; to: string }[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of arrows) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) return void cycles.push([...path.slice(path.indexOf(node)), node].join(" -> "));
    if (done.has(node)) return;
    for (const next of targets.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of targets.keys()) visit(node, []);
  return cycles;
}

const arrows = local.map((entry) => ({ from: entry.file.replace(/\.ts$/, ""), to: resolved(entry) }));

test("there is no cycle of imports", () => {
  expect(cyclesAmong(arrows)).toEqual([]);
});

test("there is no cycle of imports between the rooms of a layer", () => {
  /** A folder of a layer is one room with everything in it; a file beside the folders is a room of its own. */
  const roomOf = (path: string): string => {
    const layer = layerOfPath(path);
    return path
      .split("/")
      .slice(0, layer.split("/").length + 1)
      .join("/");
  };
  const between = arrows
    .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
    .filter(({ from, to }) => from !== to);
  expect(cyclesAmong(between)).toEqual([]);
});

/** The calls that lead from the life cycle's create to the request, as `docs/architecture.md` names them. */
const wayOfCreate = [
  ["provider/lifecycle/lifecycle.ts", "create", "createObject"],
  ["provider/lifecycle/creation/create.ts", "createObject", "findPlace"],
  ["provider/lifecycle/creation/place.ts", "createAt", "send"],
  ["provider/lifecycle/creation/send.ts", "send", "objects.create"],
  ["provider/lifecycle/assemble.ts", "create", "client.call"],
  ["provider/api/client.ts", "call", "send"],
  ["provider/api/client.ts", "send", "new RequestRun(context, call, key).execute"],
] as const;

test.each(wayOfCreate)("a create leads straight to its request: in %s, %s calls %s", (file, name, next) => {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const calls: string[] = [];
  const visit = (node: ts.Node, within: boolean): void => {
    const inside = within || ("name" in node && (node.name as ts.Node | undefined)?.getText(source) === name);
    if (inside && ts.isCallExpression(node)) calls.push(node.expression.getText(source));
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, false);
  expect(calls).toContain(next);
});

test("options are read by their typed accessor, so that none can be misspelt", () => {
  const options = new Set(allSpecs.flatMap(({ fields }) => fields.behaviours.map(({ name }) => name)));
  const literal = files
    .filter((file) => ["provider/core", "provider/lifecycle"].includes(layerOf(file)))
    .flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\["(\w+)"\]/g)].flatMap(([, name = ""]) =>
        options.has(name) ? [`${relative(root, file)} reads ["${name}"]`] : [],
      ),
    );
  expect(literal).toEqual([]);
});

test("members of the schema library are named where used: the build takes those alone", () => {
  const found = files
    .filter((file) => local.some((entry) => join(root, entry.file) === file && resolved(entry) === "provider/core/zod"))
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
      const elsewhere: string[] = [];
      const visit = (node: ts.Node): void => {
        if (ts.isIdentifier(node) && node.text === "z" && !ts.isImportSpecifier(node.parent) && !isOwner(node))
          elsewhere.push(`${relative(root, file)}: ${node.parent.getText(source)}`);
        ts.forEachChild(node, visit);
      };
      visit(source);
      return elsewhere;
    });
  expect(found).toEqual([]);
});

/** Whether the name is followed by a dot and a member's. */
const isOwner = (node: ts.Node): boolean =>
  (ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node) ||
  (ts.isQualifiedName(node.parent) && node.parent.left === node);

/** Lines of every function, without those of the functions inside it: a factory is as long as what it does itself. */
function functionsOf(file: string): { where: string; lines: number }[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: { where: string; lines: number }[] = [];
  const visit = (node: ts.Node): number => {
    let inner = 0;
    ts.forEachChild(node, (child) => void (inner += visit(child)));
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return inner;
    const [first, lines] = [lineOf(node.getStart(source)), lineOf(node.end) - lineOf(node.getStart(source)) + 1];
    found.push({ where: `${relative(root, file)}:${first}`, lines: lines - inner });
    return lines;
  };
  visit(source);
  return found;
}

test("no function is longer than 60 lines", () => {
  const long = files
    .filter((file) => layerOf(file) !== "provider/sdk")
    .flatMap(functionsOf)
    .filter(({ lines }) => lines > 60);
  expect(long).toEqual([]);
});

test("titles of tests have at most 80 characters", () => {
  const tests = filesBelow(__dirname, /\.ts$/).flatMap((file) =>
    longTitlesIn(file).map((title) => `${relative(__dirname, file)}: ${title}`),
  );
  expect(tests).toEqual([]);
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

/** Everything that is written by hand, scripts included. */
const written = [
  ...sourcesOfRooms(/\.[cm]?[jt]s$/).map((file) => join(root, file)),
  ...["tests", "examples"].flatMap((folder) => filesBelow(join(root, folder), /\.[cm]?[jt]s$/)),
];

test("what starts a program is the last statement of its file", () => {
  const early = written.flatMap((file) =>
    earlyStarts(file, readFileSync(file, "utf8")).map((statement) => `${relative(root, file)}: ${statement}`),
  );
  expect(early).toEqual([]);
});

test.each([
  "if (require.main === module) process.exitCode = run();",
  "require.main === module && run();",
  "if (!module.parent) run();",
  "if (import.meta.main) await run();",
  "if (import.meta.url === `file://${process.argv[1]}`) run();",
  "if (basename(process.argv[1]) === 'release.mjs') { run(); }",
  "const isMain = require.main === module;\nif (isMain) run();",
  "void main();",
  "process.exitCode = await main(process.argv.slice(2));",
  "main().catch((error) => console.error(error));",
  "try {\n  main();\n} catch {}",
])("a start is seen in %j", (start) => {
  expect(earlyStarts("script.mts", `function run() {}\n${start}\n// The end.\n`)).toEqual([]);
  for (const below of ["const limit = 3;", "function more() {}", "interface More {}", "export { run };"])
    expect(earlyStarts("script.mts", `${start}\n${below}\n`)).toHaveLength(1);
});

/** Columns of a line; one that is wider holds a string, or a part of one, with little beside it. */
const columns = 120;
const besideText = 60;

test("no line is wider than 120 columns, except to hold a single string", () => {
  expect(written.filter((file) => !file.includes("/fixtures/")).flatMap(wideLines)).toEqual([]);
});

function wideLines(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  if (!lines.some(({ length }) => length > columns)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const texts = textsOf(source).map((node) => ({ begin: node.getStart(source), end: node.end }));
  const starts = source.getLineStarts();
  return lines.flatMap((line, index) => {
    if (line.length <= columns) return [];
    const from = starts[index]!;
    const held = texts.map(({ begin, end }) => Math.min(end, from + line.length) - Math.max(begin, from));
    return line.trim().length - Math.max(0, ...held) <= besideText ? [] : [`${relative(root, file)}:${index + 1}`];
  });
}

function textsOf(node: ts.Node): ts.Node[] {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node);
  const inside: ts.Node[] = [];
  if (!isText) ts.forEachChild(node, (child) => void inside.push(...textsOf(child)));
  return isText ? [node] : inside;
}
