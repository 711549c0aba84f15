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

/** What is not installed is missed at once, as the SDK expects. The rest is loaded when something asks for a member. */
const loader = `(Module) => {
  const load = Module._load;
  const rarelyNeeded = ${JSON.stringify(rarelyNeeded)};
  const isRarelyNeeded = (request, parent) => {
    const [, file] = /[\\/]@pulumi[\\/]pulumi[\\/](.*)$/.exec(parent?.filename ?? "") ?? [];
    return file !== undefined && (rarelyNeeded[""].includes(request) || (rarelyNeeded[file]?.includes(request) ?? false));
  };
  Module._load = function (request, parent, isMain) {
    if (!isRarelyNeeded(request, parent)) return load.call(this, request, parent, isMain);
    Module._resolveFilename(request, parent, isMain);
    let loaded;
    const module = () => (loaded ??= load.call(this, request, parent, isMain));
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

/**
 * Every stack of a program goes through the loader, and the state holds the stack of each resource. A name as of
 * Node.js's own modules keeps it out of there: otherwise, its whole text is half of what a resource takes in the state.
 */
const named = `
  import Module from "node:module";
  import vm from "node:vm";
  vm.runInThisContext(${JSON.stringify(loader)}, { filename: "node:lazy-sdk" })(Module);
`;

/** Arguments of Node.js for a process that loads the SDK: it starts in half of the time. */
export const lazySdk = [`--import=data:text/javascript,${encodeURIComponent(named)}`];
