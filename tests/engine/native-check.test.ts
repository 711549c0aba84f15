import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { nativeCompiler, readFindings } from "../../engine/processes/native-check";
import { enums, nativeOptions, shared, withoutEffect } from "../../engine/processes/native-options";
import { repository } from "../e2e/engines";
import { temporaryFolder } from "../state/temporary-folder";
import { faultOf, folderWith, settingsOf } from "./both-compilers";

const nodenext = {
  target: "es2022",
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  skipLibCheck: true,
};

const native = nativeCompiler();
/** Every platform that the package names has the compiler after `npm ci`. */
const where = native === undefined ? test.skip : test;

/** A project's compiler that cannot be loaded: where it were asked, the check would say so. */
const noCompiler = join(repository, "node_modules/typescript/lib/none.js");

/** A native compiler that does this. */
function pretend(script: string): string {
  const file = join(temporaryFolder(), "tsc");
  writeFileSync(file, `#!${process.execPath}\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** A project's compiler that finds the same error in every program. */
function projectCompiler(): string {
  const folder = join(temporaryFolder(), "typescript");
  mkdirSync(join(folder, "lib"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "5.9.3" }));
  const file = join(folder, "lib/typescript.js");
  writeFileSync(
    file,
    `module.exports = {
      sys: { readFile: (path) => require("node:fs").readFileSync(path, "utf8") },
      ScriptSnapshot: { fromString: String },
      createLanguageService: (host) => ({
        getCompilerOptionsDiagnostics: () => [],
        getSyntacticDiagnostics: (file) => [{ code: 2322, text: host.getScriptSnapshot(file) }],
        getSemanticDiagnostics: () => [],
      }),
      formatDiagnostics: (found) => found.map(({ text }) => "the project's own: " + text).join(""),
    };`,
  );
  return file;
}

const wrong = { "index.ts": `export const count: number = "seven";\n` };
const found = `the project's own: ${wrong["index.ts"].trimEnd()}`;
const asked = { files: ["index.ts"], options: nodenext };

where("a program is checked by the native compiler alone, and only the files that it loads", async () => {
  const folder = folderWith({
    "index.ts": `import { count } from "./helper";\nimport { wrong } from "./other";\nexport const text: string = count;\nwrong;\n`,
    "helper.ts": "export const count: number = 7;\n",
    "other.ts": `export const wrong: number = "not asked for";\n`,
  });
  const files = ["index.ts", "helper.ts"];
  expect(await faultOf({ folder, files, options: nodenext, compiler: noCompiler })).toEqual({
    fault: "index.ts(3,14): error TS2322: Type 'number' is not assignable to type 'string'.",
    fallbacks: [],
  });
  expect(readdirSync(folder).sort()).toEqual(["helper.ts", "index.ts", "node_modules", "other.ts"]);
});

where("a file that changes while its program runs is not called right", async () => {
  const folder = folderWith({ "index.ts": "export const count: number = 7;\n" });
  const checked = faultOf({ folder, files: ["index.ts"], options: nodenext });
  writeFileSync(join(folder, "index.ts"), "export const count: number = 8;\n");
  expect((await checked).fault).toBe(`${join(folder, "index.ts")} was changed while its program ran: run it again.`);
});

const broken: [what: string, script: string, line: string | undefined][] = [
  ["crashes", "console.error('panic: out of memory'); process.exit(9)", "ended with code 9 (panic: out of memory)"],
  ["is killed", "process.kill(process.pid, 'SIGKILL')", "ended by SIGKILL"],
  ["prints something else", "console.log('Segmentation fault')", 'printed "Segmentation fault"'],
  ["prints nothing", "", "printed nothing"],
  ["has not read the file", "console.log('/another/file.ts')", undefined],
  ["finds an error of no file", "console.log('error TS2688: Cannot find it.')", undefined],
  ["finds another file that cannot be parsed", "console.log('a.d.ts(1,1): error TS1005: expected.')", undefined],
];

test.each(broken)("where the native compiler %s, the project's own answers", async (_, script, line) => {
  const fallbacks =
    line === undefined
      ? []
      : [`The native compiler ${line}, so the types are checked with the project's own compiler.`];
  const folder = folderWith(wrong);
  expect(await faultOf({ folder, ...asked, compiler: projectCompiler(), native: pretend(script) })).toEqual({
    ...{ fault: found, fallbacks },
  });
});

test("the project's compiler is asked for what has no answer yet, and for nothing else", async () => {
  const folder = folderWith({ "index.ts": "export const right = 1;\n", "helper.ts": "export const left = 2;\n" });
  const native = pretend(`console.log(require("node:path").join(process.cwd(), "index.ts"))`);
  const files = ["index.ts", "helper.ts"];
  expect(await faultOf({ folder, ...asked, files, compiler: projectCompiler(), native })).toEqual({
    ...{ fault: "the project's own: export const left = 2;", fallbacks: [] },
  });
});

test("a native compiler that hangs is ended after a minute", async () => {
  const limits: number[] = [];
  const after = (ms: number, callback: () => void) => {
    limits.push(ms);
    if (ms === 60_000) setImmediate(callback);
    return () => undefined;
  };
  const hung = pretend("setInterval(() => {}, 1000)");
  const folder = folderWith(wrong);
  expect(await faultOf({ folder, ...asked, compiler: projectCompiler(), native: hung, after })).toEqual({
    fault: found,
    fallbacks: [
      "The native compiler did not end within 60 s, so the types are checked with the project's own compiler.",
    ],
  });
  expect(limits).toContain(60_000);
});

test("a native compiler that cannot be started is one line", async () => {
  const folder = folderWith(wrong);
  const { fault, fallbacks } = await faultOf({ folder, ...asked, compiler: projectCompiler(), native: "/none/tsc" });
  expect({ fault, fallbacks }).toEqual({
    fault: found,
    fallbacks: [expect.stringMatching(/could not be started.*ENOENT/)],
  });
});

test("without a binary for the platform, the project's compiler answers silently", async () => {
  expect(nativeCompiler("plan9", "x64")).toBeUndefined();
  const folder = folderWith(wrong);
  expect(await faultOf({ folder, ...asked, compiler: projectCompiler(), native: null })).toEqual({
    ...{ fault: found, fallbacks: [] },
  });
});

test("lines that are indented belong to the error before", () => {
  const lines = ["a.ts(1,1): error TS2322: One.", "  More.", "b.ts(2,1): error TS7006: Two.", "/p/a.ts", "/p/b.ts"];
  const { errors, files } = readFindings(lines, { folder: "/p", asked: new Set(["/p/a.ts"]) });
  expect([...errors]).toEqual([
    ["/p/a.ts", "a.ts(1,1): error TS2322: One.\n  More.\n"],
    ["/p/b.ts", "b.ts(2,1): error TS7006: Two.\n"],
  ]);
  expect([...files]).toEqual(["/p/a.ts", "/p/b.ts"]);
});

/** Options that the native compiler refuses or reads otherwise, in forms that projects have. */
const left: [what: string, options: object][] = [
  ["the form that the CLI's templates have", { module: "commonjs", moduleResolution: "node" }],
  ["a project without options", { module: "commonjs", moduleResolution: undefined, target: "es2021" }],
  ["no `strict`", { strict: false }],
  ["no interoperation", { esModuleInterop: false }],
  ["`alwaysStrict: false`", { alwaysStrict: false }],
  ["`baseUrl`", { baseUrl: "." }],
  ["`module` without a resolution", { module: "es2022", moduleResolution: undefined }],
  ["an old target", { target: "es5" }],
  ["no target", { target: undefined }],
  ["`downlevelIteration`", { downlevelIteration: true }],
  ["JSX", { jsx: "react" }],
];

test.each(left)("%s is left to the project's compiler before a process is started", (_, options) => {
  const settings = settingsOf({ ...nodenext, ...options }, "/p") as Record<string, unknown>;
  expect(nativeOptions(settings, "/p")).toBeUndefined();
});

test("options that projects have are translated", () => {
  const options = { ...nodenext, lib: ["es2022", "dom"], paths: { "@lib/*": ["lib/*"] }, noUnusedLocals: true };
  expect(nativeOptions(settingsOf(options, "/p/q") as Record<string, unknown>, "/p/q")).toMatchObject({
    ...{ target: "es2022", module: "nodenext", moduleResolution: "nodenext", lib: ["es2022", "dom"], strict: true },
    ...{ paths: { "@lib/*": ["/p/q/lib/*"] }, noUnusedLocals: true, resolveJsonModule: true },
    typeRoots: ["/p/q/node_modules/@types", "/p/node_modules/@types", "/node_modules/@types"],
  });
});

test("numbers are those of the project's compiler", () => {
  const members = { target: ts.ScriptTarget, module: ts.ModuleKind, moduleResolution: ts.ModuleResolutionKind };
  for (const [option, names] of Object.entries({ ...members, moduleDetection: ts.ModuleDetectionKind })) {
    const numbers = Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toLowerCase(), value]));
    for (const [value, name] of Object.entries(enums[option]!)) expect(numbers[name]).toBe(Number(value));
  }
});

where("the native compiler knows every option and value that is passed to it", async () => {
  const { optionDeclarations } = ts as unknown as { optionDeclarations: { name: string; type: unknown }[] };
  const valueOf = (name: string): unknown => {
    const type = optionDeclarations.find((each) => each.name === name)?.type;
    if (type === "boolean") return true;
    return ["types", "typeRoots", "rootDirs", "customConditions", "moduleSuffixes"].includes(name)
      ? ["", "x"]
      : undefined;
  };
  const all = Object.fromEntries(shared.map((name) => [name, valueOf(name)]));
  const refused = new Set(["noLib", "noResolve", "types", "rootDirs", "typeRoots", "moduleSuffixes"]);
  const harmless = Object.fromEntries(Object.entries(all).filter(([name]) => !refused.has(name)));
  const given = { ...nodenext, ...harmless, isolatedModules: true };
  expect(Object.values(harmless)).not.toContain(undefined);
  // Without packages, whose types would be read in each run.
  const folder = temporaryFolder();
  writeFileSync(join(folder, "index.mts"), "export const count: number = 7;\n");
  const resultOf = (options: object) => faultOf({ folder, files: ["index.mts"], options, compiler: noCompiler });
  expect(await resultOf(given)).toEqual({ fault: undefined, fallbacks: [] });
  for (const values of runsOfValues()) {
    const result = await resultOf({ ...nodenext, ...values });
    expect({ values, ...result }).toEqual({ values, fault: undefined, fallbacks: [] });
  }
});

/** Options of few runs which together have every value that is passed on. */
function runsOfValues(): object[] {
  const [targets, modules, resolutions, detections] = ["target", "module", "moduleResolution", "moduleDetection"].map(
    (option) => Object.values(enums[option]!),
  ) as [string[], string[], string[], string[]];
  // Not every module goes with every resolution.
  const pairs = [
    ...modules.map((module) => ({ module, moduleResolution: module === "preserve" ? "bundler" : undefined })),
    ...resolutions.map((moduleResolution) => ({
      module: moduleResolution === "bundler" ? "preserve" : nodenext.module,
      moduleResolution,
    })),
  ];
  const count = Math.max(targets.length, pairs.length, detections.length);
  return Array.from({ length: count }, (_, run) => ({
    ...pairs[run % pairs.length],
    target: targets[run % targets.length],
    moduleDetection: detections[run % detections.length],
  }));
}

test("every option that is named exists, and once", () => {
  const { optionDeclarations } = ts as unknown as { optionDeclarations: { name: string }[] };
  const known = new Set(optionDeclarations.map(({ name }) => name));
  const own = ["configFilePath", "pathsBasePath"];
  expect([...shared, ...withoutEffect].filter((name) => !known.has(name) && !own.includes(name))).toEqual([]);
  expect(shared.filter((name) => withoutEffect.includes(name))).toEqual([]);
});

test("the package asks for one compiler, which brings no command of its own", () => {
  const readJson = (name: string) => JSON.parse(readFileSync(join(repository, name), "utf8"));
  const wanted = readJson("package.json").optionalDependencies as Record<string, string>;
  expect(new Set(Object.values(wanted))).toEqual(new Set(["7.0.2"]));
  const locked = readJson("package-lock.json").packages as Record<string, object>;
  for (const name of Object.keys(wanted)) {
    expect(locked[`node_modules/${name}`]).toMatchObject({ version: "7.0.2", optional: true });
    expect(locked[`node_modules/${name}`]).not.toHaveProperty("bin");
  }
  expect(native).toBeDefined();
});
