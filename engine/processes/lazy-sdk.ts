import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, userCacheFolder } from "../../io/files/user-folders";

/**
 * What the SDK loads in every process and needs in few, by whose module asks for it: compilers and readers of package
 * trees for functions that a program has it serialize, the Automation API, servers of providers, exporters of traces.
 */
const rarelyNeeded: Readonly<Record<string, readonly string[]>> = {
  "": [
    ...["typescript", "@npmcli/arborist", "normalize-package-data", "fdir", "js-yaml"],
    ...["instrumentation", "instrumentation-grpc", "resources", "sdk-trace-base", "sdk-trace-node"].map(
      (name) => `@opentelemetry/${name}`,
    ),
    "@opentelemetry/exporter-zipkin",
  ],
  "index.js": ["./automation", "./provider"],
};

/**
 * The SDK's runtime sends the engine three debug messages for each resource, one after the other, each answered before
 * the next: for 200 resources that took a second. No display shows them. A program's own `log.debug` is sent as ever.
 */
const quietPart = "runtime/";

/**
 * A missing package fails at once, as the SDK expects. Others are loaded on first access of a member. The SDK takes a
 * stack for each of its promises, a tenth of a program's memory, and shows it only on PULUMI_DEBUG_PROMISE_LEAKS.
 */
const loader = `(Module, openCompiler) => {
  const load = Module._load;
  const { MODELPLATFORM_PROMISE_STACKS: keepsStacks = "", PULUMI_DEBUG_PROMISE_LEAKS: showsStacks } = process.env;
  const omitsStacks = !showsStacks && !/^(true|1)$/i.test(keepsStacks);
  const rarelyNeeded = ${JSON.stringify(rarelyNeeded)};
  const isCompiler = (request) => request === "typescript" || /[\\\\/]vendor[\\\\/]typescript@/.test(request);
  const fileOf = (parent) => /[\\\\/]@pulumi[\\\\/]pulumi[\\\\/](.*)$/.exec(parent?.filename ?? "")?.[1].replaceAll("\\\\", "/");
  const isRarelyNeeded = (request, file) =>
    isCompiler(request) || [...rarelyNeeded[""], ...(rarelyNeeded[file] ?? [])].includes(request);
  const withoutDebug = (log) => Object.create(log, { debug: { value: () => Promise.resolve() } });
  const withoutStacks = (debuggable) => Object.create(debuggable, { debuggablePromise: { value: (...promise) => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      return debuggable.debuggablePromise(...promise);
    } finally {
      Error.stackTraceLimit = limit;
    }
  } } });
  Module._load = function (request, parent, isMain) {
    const file = fileOf(parent);
    if (file === undefined) return load.call(this, request, parent, isMain);
    if (request === "../log" && file.startsWith(${JSON.stringify(quietPart)}))
      return withoutDebug(load.call(this, request, parent, isMain));
    if (request === "./debuggable" && omitsStacks)
      return withoutStacks(load.call(this, request, parent, isMain));
    if (!isRarelyNeeded(request, file)) return load.call(this, request, parent, isMain);
    const found = Module._resolveFilename(request, parent, isMain);
    const whole = () => load.call(this, request, parent, isMain);
    let loaded;
    const module = () => (loaded ??= openCompiler && isCompiler(request) ? openCompiler(whole, found) : whole());
    const own = (key) => {
      const found = Reflect.getOwnPropertyDescriptor(module(), key);
      return found && { ...found, configurable: true };
    };
    return new Proxy({}, {
      get: (_, key) => (key === "__esModule" ? true : key === "default" ? (module().default ?? module()) : module()[key]),
      has: (_, key) => key in module(),
      set: (_, key, value) => Reflect.set(module(), key, value),
      ownKeys: () => Reflect.ownKeys(module()),
      getOwnPropertyDescriptor: (_, key) => own(key),
    });
  };
}`;

/** Where a process keeps what it has compiled, and the module that does. */
export interface CompileCache {
  folder: string;
  /** Exports `openCompiler`. */
  module: string;
  /** The file descriptor that takes requests to check types. Without one, the process checks them itself. */
  requests?: number | undefined;
}

/**
 * Every stack of a program goes through the loader, and the state holds the stack of each resource. A name as of
 * Node.js's own modules keeps it out of there: otherwise, its whole text is half of what a resource takes in the state.
 */
const cacheArguments = (compiled: CompileCache | undefined): string => `
  import Module from "node:module";
  import vm from "node:vm";
  const compiled = ${JSON.stringify(compiled) ?? "undefined"};
  if (compiled) Module.enableCompileCache?.(compiled.folder);
  const openCompiler = compiled && ((load, file) =>
    Module.createRequire(compiled.module)(compiled.module).openCompiler(load, file, compiled));
  vm.runInThisContext(${JSON.stringify(loader)}, { filename: "node:lazy-sdk" })(Module, openCompiler);
`;

/** Arguments of Node.js for a process that loads the SDK: it starts in half of the time. */
export const lazySdk = (compiled?: CompileCache): string[] => [
  `--import=data:text/javascript,${encodeURIComponent(cacheArguments(compiled))}`,
];

/** Missing when this package runs from its sources. */
const opener = join(__dirname, "remembering-compiler.js");

/** The user's cache of compiled programs; undefined if another user could write to it. */
export function compiledPrograms(env: NodeJS.ProcessEnv): CompileCache | undefined {
  const folder = existsSync(opener) ? userCacheFolder(join(cacheFolder(env), "compiled")) : undefined;
  return folder === undefined ? undefined : { folder, module: opener };
}
