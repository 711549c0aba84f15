import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { compiledPrograms } from "../../engine/processes/compiled";
import { lazySdk } from "../../engine/processes/lazy-sdk";
import { repository } from "../e2e/engines";
import { temporaryFolder } from "../state/temporary-folder";

const node = (args: readonly string[], cwd = repository) => promisify(execFile)(process.execPath, args, { cwd });
const openers = join(repository, "dist/engine/processes/remembering-compiler.js");

/** Registers the compiler and runs the program as the SDK does, and says whether the compiler was loaded for it. */
const sdk = ({ transpileOnly, ...options }: Options): string => `
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
  strict?: boolean;
}

interface Outcome {
  text: string;
  compiled: boolean;
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
    async run(options: Options = {}): Promise<Outcome> {
      const args = [...lazySdk({ folder: kept, module: openers }), "-e", sdk(options)];
      const lines = (await node(args, folder)).stdout.trimEnd().split("\n");
      return { compiled: lines.pop() === "compiler", text: lines.join("\n") };
    },
  };
}

const two = {
  "index.ts": `import { count } from "./helper";\nexport const said: string = "told " + count.toFixed(1);\n`,
  "helper.ts": "export const count: number = 7;\n",
};

test("a program that has been checked is run again without the compiler", async () => {
  const { run } = program(two);
  expect(await run()).toEqual({ text: "told 7.0", compiled: true });
  expect(await run()).toEqual({ text: "told 7.0", compiled: false });
});

test("a change is compiled, and its errors in another file are reported every time", async () => {
  const { write, run } = program(two);
  await run();
  write("helper.ts", `export const count: string = "7";\n`);
  const wrong = { text: expect.stringMatching(/index\.ts\(2,45\): error TS2339/), compiled: true };
  expect(await run()).toEqual(wrong);
  expect(await run()).toEqual(wrong);
  write("helper.ts", "export const count: number = 8;\n");
  expect(await run()).toEqual({ text: "told 8.0", compiled: true });
});

test("types that a package gains are seen", async () => {
  const { write, run } = program({
    "index.ts": `// @ts-ignore\nimport type { Size } from "./sizes";\nexport const said: Size = "small";\n`,
  });
  expect((await run()).text).toBe("small");
  write("sizes.d.ts", "export type Size = number;\n");
  expect((await run()).text).toMatch(/TS2322/);
});

test("other compiler options have the program checked again, wherever they are set", async () => {
  const { write, run } = program({
    "index.ts": "function same(text) {\n  return text;\n}\nexport const said = same(`ok`);\n",
  });
  expect((await run()).text).toBe("ok");
  expect((await run({ strict: true })).text).toMatch(/TS7006/);
  expect((await run()).text).toBe("ok");
  write("tsconfig.json", JSON.stringify({ extends: "./base.json" }));
  write("base.json", JSON.stringify({ compilerOptions: { noImplicitAny: false } }));
  expect(await run()).toEqual({ text: "ok", compiled: true });
  expect(await run()).toEqual({ text: "ok", compiled: false });
  write("base.json", JSON.stringify({ compilerOptions: { noImplicitAny: true } }));
  expect((await run()).text).toMatch(/TS7006/);
});

test("a program that is only transpiled is remembered as well", async () => {
  const { write, run } = program({ "index.ts": "export const said: number = `unchecked`;\n" });
  const options = { transpileOnly: true };
  expect(await run(options)).toEqual({ text: "unchecked", compiled: true });
  expect(await run(options)).toEqual({ text: "unchecked", compiled: false });
  write("index.ts", "export const said = `open;\n");
  expect((await run(options)).text).toMatch(/TS1160/);
});

test("code that Node.js has compiled is kept in the same folder, where Node.js can", async () => {
  const { kept } = program(two);
  const script = `console.log(require("node:module").getCompileCacheDir?.() ?? "none")`;
  const { stdout } = await node([...lazySdk({ folder: kept, module: openers }), "-e", script]);
  expect(stdout.trim()).toMatch("enableCompileCache" in Module ? new RegExp(`^${kept}`) : /^none$/);
});

test("a file that no earlier run loaded is checked, beside those that are remembered", async () => {
  const { run, write } = program({
    "index.ts": `declare const require: (name: string) => any;
      const isMore = require("node:fs").existsSync("flag");
      export const said = isMore ? require("./more").said : "less";`,
    "more.ts": `export const said: string = "more";`,
  });
  expect(await run()).toEqual({ text: "less", compiled: true });
  expect(await run()).toEqual({ text: "less", compiled: false });
  write("flag", "");
  expect(await run()).toEqual({ text: "more", compiled: true });
  expect(await run()).toEqual({ text: "more", compiled: false });
  write("more.ts", `export const said: number = "more";`);
  expect((await run()).text).toMatch(/TS2322/);
});

test("errors of a program that runs without the compiler name its source's lines", async () => {
  const { run } = program({
    "index.ts": `interface Unused {\n  a: 1;\n}\n\nexport const said: Unused = (() => {\n  throw new Error("no");\n})();\n`,
  });
  const first = await run();
  expect(first).toEqual({ text: expect.stringMatching(/index\.ts:6:9/), compiled: true });
  expect(await run()).toEqual({ ...first, compiled: false });
});

/** Says other words than the program does. */
function tamper(kept: string): string {
  const [name] = readdirSync(kept).filter((each) => each.endsWith(".json"));
  const file = join(kept, name!);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("told ", "evil "));
  return file;
}

test("what another user could have written is not believed", async () => {
  const { kept, run } = program(two);
  await run();
  // The one who runs the program may.
  const file = tamper(kept);
  expect((await run()).text).toBe("evil 7.0");
  chmodSync(file, 0o666);
  expect(await run()).toEqual({ text: "told 7.0", compiled: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a folder where another user can write keeps nothing", () => {
  const home = temporaryFolder();
  const folder = join(home, "pulumi-modelplatform/compiled");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o770);
  const dist = require(join(repository, "dist/engine/processes/compiled.js")) as {
    compiledPrograms: typeof compiledPrograms;
  };
  expect(dist.compiledPrograms({ XDG_CACHE_HOME: home })).toBeUndefined();
  chmodSync(folder, 0o700);
  expect(dist.compiledPrograms({ XDG_CACHE_HOME: home })).toEqual({ folder, module: openers });
});
