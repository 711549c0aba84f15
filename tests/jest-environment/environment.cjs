// The surroundings of a suite: Node's own globals, with a `process`, a console and folders of its own. Decision 043.
const { installCommonGlobals } = require("jest-util");
const { ModuleMocker } = require("jest-mock");
const { relative } = require("node:path");
const { keepSelected } = require("../night/selection.cjs");
const { createHomes } = require("./homes.cjs");

module.exports = class RealmEnvironment {
  constructor(config, context) {
    this.path = context && relative(config.projectConfig.rootDir, context.testPath);
    this.shown = new Set();
    this.homes = createHomes();
    this.global = globalsOf({ process: ownProcess(this.homes.env), console }, this.shown);
    this.global.global = this.global;
    this.global.globalThis = this.global;
    this.moduleMocker = new ModuleMocker(globalThis);
    // Clocks are passed in, so that no test replaces the timers.
    this.fakeTimers = null;
    this.fakeTimersModern = null;
  }

  /** Thousands of errors are thrown on purpose; a hundred frames of each would cost more than the code under test. */
  async setup() {
    Error.stackTraceLimit = 10;
    // Node.js itself reads the worker's environment: for the home folder, and for processes that are given none.
    Object.assign(process.env, this.homes.env);
    // Suites compare the modes of files that they write.
    process.umask(0o022);
  }

  /** What goes on after the suite has ended still finds what the suite has defined; the next suite does not. */
  async teardown() {
    for (const key of this.shown) Reflect.deleteProperty(globalThis, key);
    this.homes.remove();
  }

  /** At night, before the first test: what a normal run has already run is left out. */
  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name !== "run_start" || process.env.NIGHTLY !== "true") return;
    keepSelected(rootDescribeBlock, this.path);
  }

  exportConditions() {
    return ["node", "node-addons"];
  }

  /** No context besides that of the worker. */
  getVmContext() {
    return null;
  }
};

/** jest's copy of `process`: its environment is the suite's alone. */
function ownProcess(env) {
  const own = installCommonGlobals({ Symbol, Date }, {}, "off").process;
  Object.assign(own.env, env);
  return own;
}

/**
 * The suite's own globals before those of the worker. New names, such as jest's `expect`, are also `shown` among the
 * worker's, where code finds them that names them alone.
 */
function globalsOf(own, shown) {
  return new Proxy(own, {
    has: (_, key) => key in own || key in globalThis,
    get: (_, key) => (key in own ? own[key] : globalThis[key]),
    set(_, key, value) {
      if (typeof key === "string" && (shown.has(key) || !(key in globalThis))) {
        shown.add(key);
        globalThis[key] = value;
      }
      return Reflect.set(own, key, value);
    },
    deleteProperty(_, key) {
      if (shown.delete(key)) Reflect.deleteProperty(globalThis, key);
      return Reflect.deleteProperty(own, key);
    },
  });
}
