// How the modules of a suite are loaded: its own and the provider's anew, those of other packages once in a worker.
// Decision 043.
const { sep } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { compileFunction } = require("node:vm");
const { default: Runtime } = require("jest-runtime");
const { keepKeysHere } = require("../kept-keys.cjs");
const { esmOnly } = require("./packages.cjs");
const { createStorages } = require("./storages.cjs");

// Most functions of a suite run a few times, and are closures of its own: a plain compilation of all pays, an optimized
// one only for what runs much more often than V8 expects of a program.
setFlagsFromString("--sparkplug");
// Later engines do not know the flag, and say so.
if (process.versions.node.startsWith("20.")) setFlagsFromString("--interrupt-budget=500000");

keepKeysHere();

/** What modules get of the suite's instead of the worker's. */
const own = ["process", "console", "global", "globalThis"];
const packages = `${sep}node_modules${sep}`;
/** Packages that each suite loads anew: Pulumi's keep what a program has registered, others have to be compiled. */
const anew = [...esmOnly, "@pulumi/pulumi", "@pulumi/policy"];

module.exports = class RealmRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    const { coreModule } = this;
    const anyCoreModule = coreModule.require.bind(coreModule);
    this.storages = createStorages();
    coreModule.require = (name) => (/^(node:)?async_hooks$/.test(name) ? this.storages.module : anyCoreModule(name));
    const { injectedModuleParameters } = this.executor;
    this.executor.compile = (source, filename) =>
      compiled(source, filename, injectedModuleParameters, this._environment.global);
  }

  requireModule(from, name, options, isActual) {
    const path = options?.isInternalModule ? undefined : this.sharedPath(from, name);
    return path === undefined ? super.requireModule(from, name, options, isActual) : require(path);
  }

  teardown() {
    this.storages.end();
    super.teardown();
  }

  /** Where a module is that all suites of this worker share. */
  sharedPath(from, name) {
    if (name === undefined || this._resolution.isCoreModule(name)) return undefined;
    const path = this._resolution.resolveCjs(from, name);
    const start = path.lastIndexOf(packages);
    if (start === -1) return undefined;
    const inside = path.slice(start + packages.length).replaceAll(sep, "/");
    return anew.some((each) => inside.startsWith(`${each}/`)) ? undefined : path;
  }
};

/** What this worker has compiled, by path. A suite that loads a module again gets a new closure of the same code. */
const code = new Map();

/** The function around a module. The suite's own globals stand around that, so that a module can have such names. */
function compiled(source, filename, parameters, globals) {
  const known = code.get(filename);
  const opening = `return function (${parameters.join(", ")}) {`;
  const text = `${opening}${source}\n};`;
  const outer =
    known?.text === text ? known.outer : compileFunction(text, own, { filename, columnOffset: -opening.length });
  code.set(filename, { text, outer });
  return outer(...own.map((name) => globals[name]));
}
