import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { type compiledPrograms, lazySdk } from "../../engine/processes/lazy-sdk";
import type * as typeCheck from "../../engine/processes/type-check";
import { repository } from "../e2e/engines";
import { everyNth, nightly } from "../nightly";
import { temporaryFolder } from "../state/temporary-folder";

const node = (args: readonly string[], cwd = repository) => promisify(execFile)(process.execPath, args, { cwd });
const processes = join(repository, "dist/engine/processes");
const openers = join(processes, "remembering-compiler.js");
const { TypeCheck } = require(join(processes, "type-check.js")) as typeof typeCheck;

/** Registers the compiler and runs the program as the SDK does, and says whether the compiler was loaded for it. */
const sdk = ({ transpileOnly, beside: _, ...options }: Options): string => `
  const { existsSync } = require("node:fs");
  require("@pulumi/pulumi/vendor/ts-node@7.0.1").register({
    compiler: "typescript", project: "tsconfig.json", skipProject: !existsSync("tsconfig.json"), cache: false, transpileOnly: ${transpileOnly === true},
    compilerOptions: { target: "ES2020", module: "nodenext", moduleResolution: "nodenext", types: [], lib: ["es5"], ...${JSON.stringify(options)} },
  });
  const loaded = () => Object.keys(require.cache).some((file) => /typescript.lib.typescript.js$/.test(file));
  try { console.log(require("./index.ts").said) } catch (error) { console.log(error.message, error.stack) }
  console.log(loaded() ? "compiler" : "no compiler");`;

interface Options {
  transpileOnly?: boolean;
  /** Whether types are checked beside the program, as by the engine, and not before it runs. Default: true. */
  beside?: boolean;
  [compilerOption: string]: unknown;
}

interface Outcome {
  text: string;
  compiled: boolean;
  /** Files whose types were asked for. */
  asked: string[];
  /** What is wrong with them. */
  fault: string | undefined;
}

/** A program of these files, and a folder for what its processes keep. */
function program(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const kept = join(temporaryFolder(), "compiled");
  mkdirSync(kept, { mode: 0o700 });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(repository, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"));
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    kept,
    write,
    async run(options: Options = {}, env = process.env): Promise<Outcome> {
      const { beside = true } = options;
      const compiled = { folder: kept, module: openers, requests: beside ? 3 : undefined };
      const child = spawn(process.execPath, [...lazySdk(compiled), "-e", sdk(options)], {
        cwd: folder,
        stdio: ["ignore", "pipe", "inherit", "pipe"],
      });
      const [said, requests] = await Promise.all([
        text(child.stdout!),
        text(child.stdio[3] as Readable),
        once(child, "close"),
      ]);
      const lines = said.trimEnd().split("\n");
      const asked = requests.split("\n").filter(Boolean);
      const check = new TypeCheck({ folder, env });
      for (const line of asked) check.request(line);
      const fault = await check.fault();
      check.end();
      return {
        ...{ compiled: lines.pop() === "compiler", text: lines.join("\n"), fault },
        asked: asked.map((line) => basename((JSON.parse(line) as { file: string }).file)),
      };
    },
  };
}

const two = {
  "index.ts": `import { count } from "./helper";\nexport const said: string = "told " + count.toFixed(1);\n`,
  "helper.ts": "export const count: number = 7;\n",
};

const known = { compiled: false, asked: [], fault: undefined };

test("a checked program is run again without the compiler and another check", async () => {
  const { run } = program(two);
  const first = { text: "told 7.0", compiled: true, asked: ["index.ts", "helper.ts"], fault: undefined };
  expect(await run()).toEqual(first);
  expect(await run()).toEqual({ ...known, text: "told 7.0" });
});

test("a changed program is run at once; its errors elsewhere are found every time", async () => {
  const { write, run } = program(two);
  await run();
  write("helper.ts", `export const count: { toFixed(digits: number): string } | undefined = { toFixed: () => "8" };\n`);
  const wrong = { text: "told 8", fault: expect.stringMatching(/^index\.ts\(2,39\): error TS18048: .*undefined/) };
  expect(await run({ strict: true })).toMatchObject({ ...wrong, compiled: true });
  expect(await run({ strict: true })).toMatchObject({ ...wrong, compiled: false });
  write("helper.ts", "export const count: number = 9;\n");
  expect(await run({ strict: true })).toMatchObject({ text: "told 9.0", fault: undefined });
});

test("where the SDK's switch says so, types are checked before the program runs", async () => {
  const { run } = program({ "index.ts": `export const said: number = "unchecked";\n` });
  expect(await run({ beside: false })).toMatchObject({ text: expect.stringMatching(/TS2322/), asked: [] });
  expect(await run({ transpileOnly: true })).toMatchObject({ text: "unchecked", asked: [], fault: undefined });
});

test("a program is checked again by other options, and where a package gains types", async () => {
  const { write, run } = program({
    "index.ts":
      `// @ts-ignore\nimport type { Size } from "./sizes";\nfunction same(text) {\n  return text;\n}\n` +
      `export const said: Size = same("small");\nexport const size: Size = "small";\n`,
  });
  expect(await run()).toMatchObject({ text: "small", fault: undefined });
  expect((await run({ strict: true })).fault).toMatch(/TS7006/);
  write("sizes.d.ts", "export type Size = number;\n");
  expect((await run()).fault).toMatch(/TS2322/);
});

nightly("each alone, and every way to set an option: nine runs of two processes", () => {
  test("types that a package gains are seen", async () => {
    const { write, run } = program({
      "index.ts": `// @ts-ignore\nimport type { Size } from "./sizes";\nexport const said: Size = "small";\n`,
    });
    expect(await run()).toMatchObject({ text: "small", fault: undefined });
    write("sizes.d.ts", "export type Size = number;\n");
    expect((await run()).fault).toMatch(/TS2322/);
  });

  test("other compiler options have the program checked again, wherever they are set", async () => {
    const { write, run } = program({
      "index.ts": "function same(text) {\n  return text;\n}\nexport const said = same(`ok`);\n",
    });
    expect((await run()).fault).toBeUndefined();
    expect((await run({ strict: true })).fault).toMatch(/TS7006/);
    expect((await run()).fault).toBeUndefined();
    write("tsconfig.json", JSON.stringify({ extends: "./base.json" }));
    write("base.json", JSON.stringify({ compilerOptions: { noImplicitAny: false } }));
    expect(await run()).toMatchObject({ text: "ok", compiled: true, fault: undefined });
    expect(await run()).toEqual({ ...known, text: "ok" });
    write("base.json", JSON.stringify({ compilerOptions: { noImplicitAny: true } }));
    expect((await run()).fault).toMatch(/TS7006/);
  });
});

test("a program that is only transpiled is remembered as well", async () => {
  const { write, run } = program({ "index.ts": "export const said: number = `unchecked`;\n" });
  const options = { transpileOnly: true };
  expect(await run(options)).toMatchObject({ text: "unchecked", compiled: true });
  expect(await run(options)).toMatchObject({ text: "unchecked", compiled: false });
  write("index.ts", "export const said = `open;\n");
  expect((await run(options)).text).toMatch(/TS1160/);
});

test("code that Node.js has compiled is kept in the same folder, where Node.js can", async () => {
  const { kept } = program(two);
  const script = `console.log(require("node:module").getCompileCacheDir?.() ?? "none")`;
  const { stdout } = await node([...lazySdk({ folder: kept, module: openers }), "-e", script]);
  expect(stdout.trim()).toMatch("enableCompileCache" in Module ? new RegExp(`^${kept}`) : /^none$/);
});

test("of a program, only a file that no earlier run loaded is checked", async () => {
  const { run, write } = program({
    "index.ts": `declare const require: (name: string) => any;
      const isMore = require("node:fs").existsSync("flag");
      export const said = isMore ? require("./more").said : "less";`,
    "more.ts": `export const said: string = "more";`,
  });
  expect(await run()).toMatchObject({ text: "less", asked: ["index.ts"] });
  write("flag", "");
  expect(await run()).toMatchObject({ text: "more", asked: ["more.ts"], fault: undefined });
  expect(await run()).toEqual({ ...known, text: "more" });
  write("more.ts", `export const said: number = "more";`);
  expect((await run()).fault).toMatch(/^more\.ts.*TS2322/);
});

test("errors of a program that runs without the compiler name its source's lines", async () => {
  const { run } = program({
    "index.ts": `interface Unused {\n  a: 1;\n}\n\nexport const said: Unused = (() => {\n  throw new Error("no");\n})();\n`,
  });
  const first = await run();
  expect(first).toMatchObject({ text: expect.stringMatching(/index\.ts:6:9/), compiled: true });
  expect(await run()).toEqual({ ...known, text: first.text });
});

/** What the SDK's way of running a program makes of these does not depend on types. */
const forms: Readonly<Record<string, { files: Record<string, string>; options?: Options }>> = {
  "enums, also constant ones of other files": {
    files: {
      "index.ts": `import { Color, Size } from "./enums";\nexport const said = [Color.Red, Color[1], Size.Large].join();\n`,
      "enums.ts": "export enum Color { Red, Green }\nexport const enum Size { Large = 3 }\n",
    },
  },
  "decorators of both kinds": {
    files: {
      "index.ts": `const log: string[] = [];
        const seen = (target: any, name?: any) => { log.push(typeof target, typeof name); };
        @seen class One { @seen run(): void {} }
        export const said = [new One() instanceof One, ...log].join();`,
    },
    options: { experimentalDecorators: true },
  },
  "metadata of decorators": {
    files: {
      "index.ts": `import { Size } from "./size";
        const log: string[] = [];
        (Reflect as any).metadata = (key: string, value: any) => () => { log.push(key, value.name); };
        const seen = (_: any, __: any) => undefined;
        class One { @seen size: Size = Size.Small; }
        export const said = [new One().size, ...log].join();`,
      "size.ts": "export enum Size { Small }\n",
      "tsconfig.json": JSON.stringify({ compilerOptions: { lib: ["es2020"] } }),
    },
    options: { experimentalDecorators: true, emitDecoratorMetadata: true, lib: ["es2020"] },
  },
  "types that are imported and exported again": {
    files: {
      "index.ts": `import { Size, size } from "./sizes";\nconst one: Size = size;\nexport const said = one;\n`,
      "sizes.ts": `export { Size, size } from "./size";\n`,
      "size.ts": "export type Size = string;\nexport const size: Size = `small`;\n",
    },
  },
  "paths for types": {
    files: {
      "index.ts": `import type { Size } from "sizes";\nexport const said: Size = "small";\n`,
      "size.ts": "export type Size = string;\n",
      "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { sizes: ["./size.ts"] } } }),
    },
  },
  "modules in JavaScript, with allowJs": {
    files: {
      "index.ts": `import { size } from "./size.js";\nexport const said: string = size + import.meta?.url;\n`.replace(
        " + import.meta?.url",
        "",
      ),
      "size.js": "export const size = `small`;\n",
    },
    options: { allowJs: true },
  },
  "namespaces, fields of constructors and imports by require": {
    files: {
      "index.ts": `import size = require("./size");
        namespace Box { export const name = "box"; }
        class Part { constructor(readonly label: string) {} }
        export const said = [Box.name, new Part("part").label, size.of].join();`,
      "size.ts": "export = { of: 3 };\n",
    },
  },
  "fields that a class does not define": {
    files: {
      "index.ts": `class Base { constructor() { (this as any).size = 1; } }
        class Derived extends Base { size?: number; }
        export const said = String(new Derived().size);`,
    },
    options: { target: "ES2022", useDefineForClassFields: true },
  },
};

everyNth(
  8,
  0,
  Object.entries(forms),
  (cases) =>
    void test.each(cases)("%s do the same whether types are checked before or beside", async (_, form) => {
      const { run } = program(form.files);
      const options = { skipLibCheck: true, ...form.options };
      const before = await run({ ...options, beside: false });
      expect(before.text).not.toMatch(/Error/);
      expect(await run(options)).toMatchObject({ text: before.text, fault: undefined });
      expect(await run(options)).toMatchObject({ text: before.text, fault: undefined });
    }),
);

test("a text that cannot be read ends with the message that it had before", async () => {
  const { run } = program({ "index.ts": "export const said: string = `open;\n" });
  const message = ({ text }: Outcome): string => text.split("\n    at ")[0]!;
  const before = message(await run({ beside: false }));
  expect(before).toMatch(/TS1160/);
  expect(message(await run())).toBe(before);
});

test("what other builds left in the checkout does not stand for a check", async () => {
  const { run, write } = program({ "index.ts": `export const said: string = "fine";\n` });
  const compilerOptions = { incremental: true, composite: true, tsBuildInfoFile: "./tsconfig.tsbuildinfo" };
  write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  write("index.ts", `export const said: number = "wrong";\n`);
  write("tsconfig.tsbuildinfo", JSON.stringify({ fileNames: ["./index.ts"], semanticDiagnosticsPerFile: [] }));
  expect((await run()).fault).toMatch(/TS2322/);
});

test("a file that changes between its run and its check is not taken for checked", async () => {
  const { run, write } = program({
    "index.ts": `declare const require: (name: string) => any;
      const { writeFileSync, readFileSync } = require("node:fs");
      writeFileSync("index.ts", readFileSync("index.ts", "utf8") + " ");
      export const said = "changed";`,
  });
  expect((await run()).fault).toMatch(/index\.ts was changed while its program ran: run it again\.$/);
  write("index.ts", `export const said = "same";`);
  expect((await run()).fault).toBeUndefined();
});

test("a check that does not come to its end finds nothing right", async () => {
  const { run } = program(two);
  const ended = await run({}, { ...process.env, NODE_OPTIONS: "--require=not-there" });
  expect(ended.fault).toMatch(
    /^The check of the program's types was ended with code 1.*not known whether they are right/,
  );
});

test("whoever waits for a check for two seconds is told so, once", async () => {
  const waits: { ms: number; callback: () => void }[] = [];
  let told = 0;
  const check = new TypeCheck({
    ...{ folder: temporaryFolder(), env: process.env, onLongWait: () => void (told += 1) },
    after: (ms, callback) => {
      waits.push({ ms, callback });
      return () => undefined;
    },
  });
  expect(await check.fault()).toBeUndefined();
  expect(waits).toEqual([]);
  check.request("not JSON");
  const [first] = await Promise.all([check.fault(), check.fault()]);
  expect(first).toMatch(/^The check of the program's types was ended/);
  expect(waits.map(({ ms }) => ms)).toEqual([2_000]);
  for (const { callback } of waits) callback();
  expect(told).toBe(1);
});

/** Says other words than the program does. */
function tamper(kept: string): string[] {
  return readdirSync(kept)
    .filter((each) => each.endsWith(".json"))
    .map((name) => {
      const file = join(kept, name);
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("told ", "evil "));
      return file;
    });
}

test("what another user could have written is not believed", async () => {
  const { kept, run } = program(two);
  await run();
  // The one who runs the program may.
  const files = tamper(kept);
  expect((await run()).text).toBe("evil 7.0");
  for (const file of files) chmodSync(file, 0o666);
  expect(await run()).toMatchObject({ text: "told 7.0", compiled: true, asked: ["index.ts", "helper.ts"] });
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
});

test("a folder where another user can write keeps nothing", () => {
  const home = temporaryFolder();
  const folder = join(home, "pulumi-modelplatform/compiled");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o770);
  const dist = require(join(repository, "dist/engine/processes/lazy-sdk.js")) as {
    compiledPrograms: typeof compiledPrograms;
  };
  expect(dist.compiledPrograms({ XDG_CACHE_HOME: home })).toBeUndefined();
  chmodSync(folder, 0o700);
  expect(dist.compiledPrograms({ XDG_CACHE_HOME: home })).toEqual({ folder, module: openers });
});
