import { dirname, join, resolve } from "node:path";

/** Compiler options as `ts-node` has read them: enums as numbers. */
export type CompilerSettings = Readonly<Record<string, unknown>>;

/** Names of the project's compiler for numbers that the native compiler knows as well (TypeScript 5.9 and 7.0). */
export const enums: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  target: {
    ...{ 2: "es2015", 3: "es2016", 4: "es2017", 5: "es2018", 6: "es2019", 7: "es2020", 8: "es2021", 9: "es2022" },
    ...{ 10: "es2023", 11: "es2024", 99: "esnext" },
  },
  module: { 100: "node16", 101: "node18", 102: "node20", 199: "nodenext", 200: "preserve" },
  moduleResolution: { 3: "node16", 99: "nodenext", 100: "bundler" },
  moduleDetection: { 1: "legacy", 2: "auto", 3: "force" },
};

/** Options that mean the same to both compilers. */
export const shared: readonly string[] = [
  ...["allowArbitraryExtensions", "allowJs", "allowUmdGlobalAccess", "allowUnreachableCode", "allowUnusedLabels"],
  ...["checkJs", "customConditions", "erasableSyntaxOnly", "exactOptionalPropertyTypes", "experimentalDecorators"],
  ...["forceConsistentCasingInFileNames", "importHelpers", "isolatedModules", "libReplacement", "moduleSuffixes"],
  "noErrorTruncation",
  ...["noFallthroughCasesInSwitch", "noImplicitAny", "noImplicitOverride", "noImplicitReturns", "noImplicitThis"],
  ...["noLib", "noPropertyAccessFromIndexSignature", "noResolve", "noUncheckedIndexedAccess", "noUnusedLocals"],
  ...["noUnusedParameters", "preserveSymlinks", "resolvePackageJsonExports", "resolvePackageJsonImports", "rootDirs"],
  ...["strictBindCallApply", "strictBuiltinIteratorReturn", "strictFunctionTypes", "strictNullChecks"],
  ...["strictPropertyInitialization", "typeRoots", "types", "useDefineForClassFields", "useUnknownInCatchVariables"],
  "verbatimModuleSyntax",
];

/** Options that no type depends on. */
export const withoutEffect: readonly string[] = [
  ...["configFilePath", "emitBOM", "incremental", "inlineSourceMap", "inlineSources", "mapRoot", "newLine", "noEmit"],
  ...["noEmitHelpers", "noEmitOnError", "outDir", "pathsBasePath", "plugins", "preserveConstEnums", "pretty"],
  ...["removeComments", "rootDir", "skipDefaultLibCheck", "skipLibCheck", "sourceMap", "sourceRoot", "stripInternal"],
  "tsBuildInfoFile",
];

/** Values that the native compiler alone assumes; others are left to the project's compiler. */
const required: CompilerSettings = {
  allowSyntheticDefaultImports: true,
  alwaysStrict: true,
  declaration: false,
  esModuleInterop: true,
  strict: true,
};

/** The kinds of modules that take JSON without being asked to. */
const takesJson = ["node20", "nodenext", "preserve"];

/**
 * The options in the native compiler's words; undefined if it lacks one, or reads one otherwise. `folder` is where the
 * program runs: packages of types are looked up from there.
 */
export function nativeOptions(settings: CompilerSettings, folder: string): Record<string, unknown> | undefined {
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || withoutEffect.includes(name)) continue;
    if (shared.includes(name)) options[name] = value;
    else if (name in required && value === required[name]) continue;
    else if (name in enums) options[name] = enums[name]![value as number];
    else if (name === "lib") options[name] = (value as string[]).map((file) => file.replace(/^lib\.|\.d\.ts$/g, ""));
    else if (name === "paths") options[name] = absolute(value as Record<string, string[]>, settings, folder);
    else if (name === "resolveJsonModule" || name === "noUncheckedSideEffectImports") options[name] = value;
    else return undefined;
    if (options[name] === undefined) return undefined;
  }
  const { target, module } = options;
  if (settings["strict"] !== true || target === undefined || module === undefined) return undefined;
  return {
    libReplacement: true,
    noUncheckedSideEffectImports: false,
    resolveJsonModule: takesJson.includes(module as string),
    types: ["*"],
    typeRoots: typeRootsAbove(folderOf(settings, folder)),
    ...options,
    strict: true,
    // Only what requested files say is read.
    skipLibCheck: true,
    noEmit: true,
    listFiles: true,
  };
}

const folderOf = ({ configFilePath }: CompilerSettings, folder: string): string =>
  typeof configFilePath === "string" ? dirname(configFilePath) : folder;

function absolute(
  paths: Record<string, string[]>,
  settings: CompilerSettings,
  folder: string,
): Record<string, string[]> {
  const base = settings["pathsBasePath"] ?? folderOf(settings, folder);
  return Object.fromEntries(
    Object.entries(paths).map(([pattern, targets]) => [pattern, targets.map((each) => resolve(String(base), each))]),
  );
}

/** Where packages of types are, from a folder upwards. */
function typeRootsAbove(folder: string): string[] {
  const above = dirname(folder);
  const here = join(folder, "node_modules", "@types");
  return above === folder ? [here] : [here, ...typeRootsAbove(above)];
}
