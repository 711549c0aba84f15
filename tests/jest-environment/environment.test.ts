import type { AsyncLocalStorage } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";

interface Suite {
  global: { process: NodeJS.Process; console: object; leftOver?: string };
  teardown(): Promise<void>;
}

const RealmEnvironment = require("./environment.cjs") as new () => Suite;
const { createStorages } = require("./storages.cjs") as {
  createStorages(): { module: { AsyncLocalStorage: typeof AsyncLocalStorage }; end(): void };
};
const globals = globalThis as { leftOver?: string };

test("what a suite sets in the environment is its own", async () => {
  const suite = new RealmEnvironment();
  suite.global.process.env["LEFT_OVER"] = "yes";
  expect([suite.global.process.env["LEFT_OVER"], process.env["LEFT_OVER"]]).toEqual(["yes", undefined]);
  await suite.teardown();
});

test("what a suite's programs write for the user goes into folders of the suite's own", async () => {
  const suite = new RealmEnvironment();
  const { HOME, XDG_STATE_HOME, XDG_CACHE_HOME, PULUMI_HOME } = suite.global.process.env;
  expect(existsSync(HOME!)).toBe(true);
  expect(new Set([HOME, process.env["HOME"], userInfo().homedir]).size).toBe(3);
  expect(dirname(PULUMI_HOME!)).toBe(HOME);
  for (const folder of [XDG_STATE_HOME!, XDG_CACHE_HOME!]) expect(dirname(folder)).toBe(dirname(HOME!));
  await suite.teardown();
  expect(existsSync(dirname(HOME!))).toBe(false);
});

test("the suite's folders are those of processes without an environment of their own", () => {
  const { HOME, XDG_STATE_HOME, XDG_CACHE_HOME } = process.env;
  const script = `const { HOME, XDG_STATE_HOME, XDG_CACHE_HOME } = process.env;
    console.log(JSON.stringify({ home: require("node:os").homedir(), HOME, XDG_STATE_HOME, XDG_CACHE_HOME }));`;
  const printed = execFileSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect(homedir()).toBe(HOME);
  expect(JSON.parse(printed)).toEqual({ home: HOME, HOME, XDG_STATE_HOME, XDG_CACHE_HOME });
});

test("what is written into the user's folders while suites run is named", () => {
  const home = mkdtempSync(join(tmpdir(), "user-"));
  const run = (...lines: string[]): string =>
    execFileSync(process.execPath, ["-e", lines.join("\n")], {
      encoding: "utf8",
      env: { HOME: home, CI: "true" },
      stdio: ["ignore", "pipe", "ignore"],
    });
  const [before, after] = ["before", "after"].map((name) => JSON.stringify(require.resolve(`./${name}.cjs`)));
  const write = (...folders: string[]): string => {
    const folder = JSON.stringify(join(home, ...folders));
    return `fs.mkdirSync(${folder}, { recursive: true }); fs.writeFileSync(${folder} + "/journal", "");`;
  };
  const attempt = (what: string): string =>
    run(
      ...["const fs = require('node:fs');", `require(${before})();`, what],
      `try { require(${after})(); console.log("unchanged"); } catch ({ message }) { console.log(message); }`,
    );
  try {
    expect(attempt("")).toBe("unchanged\n");
    expect(attempt(write("elsewhere"))).toBe("unchanged\n");
    expect(attempt(write(".local", "state", "pulumi-modelplatform"))).toContain(join(home, ".local", "state"));
    expect(attempt(write(".cache", "pulumi-modelplatform"))).toContain(join(home, ".cache"));
    expect(attempt(write(".pulumi"))).toContain(join(home, ".pulumi"));
    expect(attempt("")).toBe("unchanged\n");
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("a suite's globals are gone after it, except for its own code that still runs", async () => {
  const suite = new RealmEnvironment();
  suite.global.leftOver = "yes";
  expect(globals.leftOver).toBe("yes");
  await suite.teardown();
  expect(globals).not.toHaveProperty("leftOver");
  expect(suite.global.leftOver).toBe("yes");
});

test("a suite's console is its own", async () => {
  const [one, another] = [new RealmEnvironment(), new RealmEnvironment()];
  one.global.console = { log: () => undefined };
  expect([one.global.console === another.global.console, another.global.console]).toEqual([false, console]);
  await Promise.all([one.teardown(), another.teardown()]);
});

test("what a suite stores along its calls is handed on until it has ended", () => {
  const { module, end } = createStorages();
  const storage = new module.AsyncLocalStorage<string>();
  storage.run("yes", () => {
    expect(storage.getStore()).toBe("yes");
    end();
    expect(storage.getStore()).toBeUndefined();
  });
});

test("the storages that a suite makes are known to its runtime", () => {
  const { AsyncLocalStorage } = require("node:async_hooks") as { AsyncLocalStorage: object };
  expect(Object.getPrototypeOf(AsyncLocalStorage)).not.toBe(Function.prototype);
});

test.each([
  ["zod", true],
  ["fast-check", true],
  ["@grpc/grpc-js", true],
  ["@pulumi/pulumi/runtime/state", false],
  ["../../provider/core/errors", false],
])("whether suites share %s: %s", (name, isShared) => {
  const once: unknown = require(name);
  jest.isolateModules(() => expect(require(name) === once).toBe(isShared));
});
