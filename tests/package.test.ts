import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import * as typescript from "typescript";
import { linkTo } from "../provider/core/errors";
import { oldestNode } from "../provider/core/node-version";
import { nightly } from "./nightly";
import { rooms, root, sourcesOfRooms } from "./rooms";

interface Manifest {
  version: string;
  files: string[];
  engines: { node: string };
  main: string;
  types: string;
  bin: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;

const filesBelow = (folder: string): string[] =>
  readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    if (entry === "node_modules") return [];
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });

interface Packed {
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

const packed = (): Packed => {
  const text = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  return (JSON.parse(text) as Packed[])[0]!;
};

const tarball = packed();
const paths = tarball.files.map(({ path }) => path);
/** Files and folders. */
const there = new Set(
  paths.flatMap((path) => path.split("/").map((_, depth, all) => all.slice(0, depth + 1).join("/"))),
);

/** The options that a compiler has from this package's own tests. */
const ownOptions: typescript.CompilerOptions = {
  module: typescript.ModuleKind.Node16,
  moduleResolution: typescript.ModuleResolutionKind.Node16,
  target: typescript.ScriptTarget.ES2022,
  ...{ strict: true, noEmit: true, types: ["node"] },
};

/** A program that imports these entries, and sees of this package what is packed alone. */
function consumerOf(entries: readonly string[], options: typescript.CompilerOptions): typescript.Program {
  const host = typescript.createCompilerHost(options);
  const file = join(root, "examples/deployment/every-entry.ts");
  const text = entries.map((name, index) => `import * as entry${index} from "${name}"; void entry${index};\n`);
  const { fileExists, getSourceFile } = host;
  const isHidden = (path: string): boolean => path.startsWith(join(root, "dist/")) && !there.has(relative(root, path));
  host.fileExists = (path) => path === file || (!isHidden(path) && fileExists(path));
  host.getSourceFile = (path, ...more) =>
    path === file
      ? typescript.createSourceFile(path, text.join(""), typescript.ScriptTarget.ES2022)
      : getSourceFile(path, ...more);
  return typescript.createProgram([file], options, host);
}

/** A program that imports every entry. */
const consumer = (() => {
  let program: typescript.Program | undefined;
  return (): typescript.Program => (program ??= consumerOf(entryNames(), ownOptions));
})();

/** The entries of the package, as programs import them. */
const entryNames = (): string[] =>
  Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === "string" ? [] : [posix.join("pulumi-modelplatform", entry)],
  );

/** What the compiler reads of this package. */
const declarationsOf = (program: typescript.Program): string[] =>
  program
    .getSourceFiles()
    .map(({ fileName }) => relative(root, fileName))
    .filter((path) => path.startsWith("dist/"));

test("a program that imports every entry type-checks with what is packed", () => {
  const program = consumer();
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes("/node_modules/"));
  const problems = own.flatMap((file) => program.getSemanticDiagnostics(file));
  expect(problems.map(({ messageText }) => typescript.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  expect(declarationsOf(program).length).toBeGreaterThan(entryNames().length);
});

nightly("each set of options has a compiler read all declarations, for ten seconds", () => {
  const { CommonJS, NodeNext, ESNext } = typescript.ModuleKind;
  const { Node10, NodeNext: byNode, Bundler } = typescript.ModuleResolutionKind;
  const { ES2016, ES2020, ES2022 } = typescript.ScriptTarget;
  // As the templates of Pulumi have them, which check the declarations of libraries as well.
  const strict = {
    ...ownOptions,
    experimentalDecorators: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
  };
  const older = { ...strict, target: ES2016, module: CommonJS, moduleResolution: Node10 };

  /** Files with mistakes, and the first of them. */
  const mistakes = (entries: readonly string[], options: typescript.CompilerOptions): Record<string, string> =>
    Object.fromEntries(
      typescript
        .getPreEmitDiagnostics(consumerOf(entries, options))
        .map(({ file, messageText }) => [
          relative(root, file?.fileName ?? ""),
          typescript.flattenDiagnosticMessageText(messageText, "\n"),
        ]),
    );

  test.each([
    ["of the template", { ...strict, target: ES2020, module: NodeNext, moduleResolution: byNode }],
    ["for a bundler", { ...strict, target: ES2022, module: ESNext, moduleResolution: Bundler }],
    ["of the older template, with esModuleInterop", { ...older, esModuleInterop: true }],
  ])(
    "every entry compiles under the options %s",
    (_, options) => {
      expect(mistakes(entryNames(), options)).toEqual({});
    },
    120_000,
  );

  test("what programs import compiles under the options of the older template", () => {
    const names = ["", "/plugin", "/engine"].map((entry) => `pulumi-modelplatform${entry}`);
    expect(mistakes(names, older)).toEqual({});
  }, 120_000);

  test("of the others, the schema library alone needs esModuleInterop or skipLibCheck", () => {
    const found = Object.keys(mistakes(entryNames(), older));
    expect(found.filter((file) => !file.startsWith("node_modules/zod/"))).toEqual([]);
    expect(mistakes(entryNames(), { ...older, skipLibCheck: true })).toEqual({});
  }, 120_000);
});

test("the package has the code of every source and the declarations that entries reach", () => {
  const left = manifest.files.flatMap((entry) => entry.match(/^!dist\/([\w/]+)(?:\.\*)?$/)?.[1] ?? []);
  const isIn = (folders: readonly string[], file: string) =>
    folders.some((folder) => file === `${folder}.ts` || file.startsWith(`${folder}/`));
  const sources = sourcesOfRooms().filter((file) => !isIn(left, file));
  const reached = declarationsOf(consumer());
  const outputs = [...sources.map((file) => `dist/${file.replace(/\.ts$/, ".js")}`), ...reached];
  const built = paths.filter((path) => path.startsWith("dist/"));
  expect({
    missing: outputs.filter((path) => !built.includes(path)),
    "without a source (delete dist, and build again)": built.filter((path) => !outputs.includes(path)),
  }).toEqual({ missing: [], "without a source (delete dist, and build again)": [] });
});

test("everything else in the package is named in `files`, which names nothing else", () => {
  const named = manifest.files.filter((entry) => !entry.startsWith("!"));
  const always = ["package.json", "LICENSE", "README.md"];
  const isNamed = (path: string) =>
    always.includes(path) || named.some((entry) => path === entry || path.startsWith(`${entry}/`));
  expect(paths.filter((path) => !isNamed(path))).toEqual([]);
  expect(
    [...always, ...named].filter((entry) => !paths.some((path) => path === entry || path.startsWith(`${entry}/`))),
  ).toEqual([]);
});

// With `PulumiPlugin.yaml` the CLI runs an installation in the folder, which fails.
test("the plugin's folder has its executable and the licenses, and nothing else", () => {
  expect(paths.filter((path) => path.startsWith("plugin/")).sort()).toEqual([
    "plugin/LICENSES.txt",
    "plugin/pulumi-resource-modelplatform",
  ]);
});

test("what programs and shells reach for is in the package", () => {
  const targets = [
    manifest.main,
    manifest.types,
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    ),
  ];
  expect(targets.map((target) => target.replace(/^\.\//, "")).filter((target) => !paths.includes(target))).toEqual([]);
});

const { ModuleKind, ModuleResolutionKind } = typescript;

test.each([
  ["node, as `pulumi new` writes it", ModuleKind.CommonJS, ModuleResolutionKind.Node10],
  ["node16", ModuleKind.Node16, ModuleResolutionKind.Node16],
  ["nodenext", ModuleKind.NodeNext, ModuleResolutionKind.NodeNext],
  ["bundler", ModuleKind.ESNext, ModuleResolutionKind.Bundler],
])("a program that resolves modules by %s finds the types of every entry", (_, module, moduleResolution) => {
  const program = join(root, "examples/deployment/index.ts");
  const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === "string" ? [] : [{ name: posix.join("pulumi-modelplatform", entry), types: target["types"]! }],
  );
  const found = entries.map(({ name, types }) => {
    const { resolvedModule } = typescript.resolveModuleName(
      name,
      program,
      { module, moduleResolution },
      typescript.sys,
    );
    return { name, types, resolved: resolvedModule && `./${relative(root, resolvedModule.resolvedFileName)}` };
  });
  expect(found.filter(({ types, resolved }) => types !== resolved)).toEqual([]);
});

test("packing builds first: a clone that was never built packs what it is for", () => {
  expect(manifest.scripts["prepack"]).toBe("node tools/bootstrap.mjs");
});

test("the package has no pages for developers", () => {
  expect(paths.filter((path) => /^docs\/(dev\/|decisions\/|architecture\.md)/.test(path))).toEqual([]);
});

test("an error's link leads to a page in the package", () => {
  expect(paths).toContain(linkTo("no-connection").split("#")[0]!.replace("pulumi-modelplatform/", ""));
});

test("every link of a page or a hover text in the package leads to a part of it", () => {
  const links = paths
    .filter((path) => path.endsWith(".md") || path.endsWith(".d.ts"))
    .flatMap((path) =>
      [...readFileSync(join(root, path), "utf8").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => ({
        path,
        link: link!,
      })),
    )
    .filter(({ link }) => !/^(https?:|mailto:|#)/.test(link));
  const leads = ({ path, link }: { path: string; link: string }) =>
    there.has(join(dirname(path), link.split("#")[0]!).replace(/\/$/, ""));
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((each) => !leads(each))).toEqual([]);
});

/** What contributors are led to is in the repository only. */
const forContributors = /^(tests|provider|\.ci|CONTRIBUTING\.md)(\/|$)/;

test("whatever the package's pages show to users is in the package", () => {
  const pages = [...there].filter((path) => path.endsWith(".md"));
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target = ""]) => posix.join(posix.dirname(page), target).replace(/\/$/, ""))
      .filter((target) => !there.has(target) && !forContributors.test(target))
      .map((target) => `${page}: ${target}`),
  );
  expect(pages.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test("the package has no tests, no settings of a machine and no credentials", () => {
  expect(
    paths.filter((path) =>
      /(^|\/)(tests?|fixtures|node_modules)\/|\.test\.|\.env|\.pem$|\.tsbuildinfo|Pulumi\.\w+\.yaml/.test(path),
    ),
  ).toEqual([]);
  const credential =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*\w|\bghp_\w{36}|\bglpat-\w{20}|\bnpm_\w{36}|\bAKIA[0-9A-Z]{16}\b|\/(home|Users)\/\w+\//;
  const texts = paths.filter((path) => !/\.(png|svg)$/.test(path));
  expect(texts.filter((path) => credential.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
});

test("the package stays below 2.2 MB, and 9 MB unpacked", () => {
  expect(tarball.size).toBeLessThan(2_200_000);
  expect(tarball.unpackedSize).toBeLessThan(9_000_000);
});

/** Packages that no file imports, and what needs them. */
const indirect: Readonly<Record<string, string>> = {
  "@biomejs/biome": "npm run lint",
  "@swc/jest": "tests/jest.config.cjs",
  "@types/google-protobuf": "types",
  "@types/jest": "types",
  "@types/node": "types",
  jest: "npm test",
};

test("every dependency is imported, or has a reason", () => {
  const texts = [...rooms, "measure", "tests", "examples"].flatMap((folder) =>
    filesBelow(join(root, folder))
      .filter((file) => /\.(ts|[cm]?js)$/.test(file) && statSync(file).size < 1_000_000)
      .map((file) => ({ file, text: readFileSync(file, "utf8") })),
  );
  const importsOf = (name: string) => new RegExp(`(from|require\\(|import\\(|resolve\\()\\s*["']${name}(/[^"']*)?["']`);
  const isImported = (name: string, places: readonly string[]) =>
    texts.some(({ file, text }) => places.includes(relative(root, file).split("/")[0]!) && importsOf(name).test(text));
  const unused = [
    ...Object.keys(manifest.dependencies).filter((name) => !isImported(name, rooms)),
    ...Object.keys(manifest.devDependencies).filter(
      (name) => !(name in indirect) && !isImported(name, [...rooms, "measure", "tests", "examples"]),
    ),
  ];
  expect(unused).toEqual([]);
  expect(Object.keys(indirect).filter((name) => !(name in manifest.devDependencies))).toEqual([]);
});

test("every development dependency has its row in the decision about them", () => {
  const page = readFileSync(join(root, "docs/decisions/126-dependencies.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  expect(named.sort()).toEqual(Object.keys(manifest.devDependencies).sort());
});

test("every dependency is pinned to one version", () => {
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(ranges.filter(([, range]) => !/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))).toEqual([]);
});

test("tests find the least SDK that programs may have", () => {
  const { "@pulumi/pulumi": range } = manifest.peerDependencies;
  expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
  expect(manifest.devDependencies["pulumi-sdk-least"]).toBe(`npm:@pulumi/pulumi@${range!.slice(1)}`);
});

test("the pipelines run the Node.js of .nvmrc; the package names the oldest one", () => {
  const text = (file: string): string => readFileSync(join(root, file), "utf8");
  const major = text(".nvmrc").trim();
  expect(major).toMatch(/^\d+$/);
  expect(text("examples/ci/github/setup/action.yml")).toMatch(new RegExp(`node-version: ${major}\\.`));
  expect(text("examples/ci/gitlab/gitlab-ci.yml")).toContain(`pulumi-nodejs-${major}:`);
  expect(manifest.engines.node).toBe(`>=${oldestNode.replace(/\.0$/, "")}`);
});
