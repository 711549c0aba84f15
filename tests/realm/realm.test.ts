interface Suite {
  global: { process: NodeJS.Process; console: object; leftOver?: string };
  teardown(): Promise<void>;
}

const RealmEnvironment = require("./environment.cjs") as new () => Suite;
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
