import type { AsyncLocalStorage } from "node:async_hooks";

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
