import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { driftSchema } from "../drift/scan/document";
import { projectKeys, stackKeys } from "../engine/state/file-keys";
import { priceFileSchema } from "../governance/cost/prices";
import { packageRoot } from "../io/files/package";
import { managedSpecs } from "../provider/resources/index";
import { pageFiles } from "./pages/files";
import { pageAt, publicationOf, writtenPages } from "./publication";
import { publisherSums } from "./publish/bundle";
import { publisher, registryFields, sdkNames } from "./publisher";
import { packageSchema } from "./schema/schema";
import { runScript, type Script } from "./script";
import { declaredFunctions, sdkFiles } from "./sdk/files";
import { sdkReadme } from "./sdk-packages";
import {
  checkoutTable,
  errorTable,
  exampleTable,
  keysTable,
  ownershipTables,
  policyTable,
  resourceTable,
  settingsTable,
} from "./tables";

/** A file that follows from the declarations, in whole or in part. */
interface Artefact {
  path: string;
  /** The content that it should have. */
  content: string;
}

/** What programs import. */
const sdkFolder = "provider/sdk";

/** Whose tables of ownership are those that the life cycle decides by. */
const decision170 = "docs/decisions/170-ownership-as-tables.md";

/** Folders in which everything is generated. */
const generatedFolders = [sdkFolder, "docs/resources", "docs/functions"];

/** Every generated file below `root`, as the declarations want it. */
export function artefacts(root: string): Artefact[] {
  const files = generated(root);
  const paths = new Set(files.map(({ path }) => path));
  const written = writtenPages(root)
    .filter((path) => !paths.has(path) && !generatedFolders.some((folder) => path.startsWith(`${folder}/`)))
    .map((path) => ({ path, content: readFileSync(join(root, path), "utf8") }));
  const publication = publicationOf(versionIn(root));
  return [...written, ...files].map(({ path, content }) => ({
    path,
    content: /\.(?:md|yaml)$/.test(path) ? pageAt(content, publication) : content,
  }));
}

function generated(root: string): Artefact[] {
  return [
    { path: "schema.json", content: schemaText(root) },
    { path: "package.json", content: manifestText(root) },
    { path: ".github/workflows/release.yml", content: releaseWorkflowText(root) },
    { path: "drift/drift.schema.json", content: `${JSON.stringify(driftSchema(), null, 2)}\n` },
    { path: "governance/prices.schema.json", content: `${JSON.stringify(priceFileSchema(), null, 2)}\n` },
    { path: "docs/README.md", content: between(root, "docs/README.md", "resources", resourceTable(managedSpecs)) },
    { path: "examples/README.md", content: examplesText(root) },
    { path: "docs/security.md", content: securityText(root) },
    { path: "docs/built-in-engine.md", content: engineText(root) },
    { path: "docs/policies.md", content: between(root, "docs/policies.md", "policies", policyTable()) },
    { path: "docs/errors.md", content: between(root, "docs/errors.md", "codes", errorTable()) },
    { path: decision170, content: between(root, decision170, "ownership", ownershipTables()) },
    { path: "docs/settings.md", content: between(root, "docs/settings.md", "commands", settingsTable()) },
    ...Object.entries(pageFiles(root)).map(([path, content]) => ({ path, content })),
    ...Object.entries(sdkFiles()).map(([name, content]) => ({ path: `${sdkFolder}/${name}`, content })),
  ];
}

const versionIn = (root: string): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;

const examplesText = (root: string): string =>
  between(root, "examples/README.md", "examples", exampleTable(join(root, "examples")));

const securityText = (root: string): string => between(root, "docs/security.md", "checkout", checkoutTable());

function engineText(root: string): string {
  const tables = ["In `Pulumi.yaml`:", keysTable(projectKeys), "In `Pulumi.<stack>.yaml`:", keysTable(stackKeys)];
  return between(root, "docs/built-in-engine.md", "keys", tables.join("\n\n"));
}

function schemaText(root: string): string {
  const { version, description, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
    description: string;
    license: string;
  };
  const schema = packageSchema({
    ...{ version, description, license, publisher },
    sdks: sdkNames,
    readmes: {
      nodejs: sdkReadme("nodejs", { description, license }),
      python: sdkReadme("python", { description, license }),
    },
    specs: managedSpecs,
    functions: declaredFunctions,
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The manifest, with what a registry shows of its publisher. */
function manifestText(root: string): string {
  const { name, version, description, ...rest } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  return `${JSON.stringify({ name, version, description, ...registryFields, ...rest, ...registryFields }, null, 2)}\n`;
}

/** The workflow, with the checksums of what its jobs that can write run of this repository. */
function releaseWorkflowText(root: string): string {
  const path = ".github/workflows/release.yml";
  const block = /^ {2}PUBLISHER: \|\n(?: {4}.*\n)+/m;
  const text = readFileSync(join(root, path), "utf8");
  if (!block.test(text)) throw new Error(`${path} has no \`PUBLISHER: |\` with checksums below it`);
  return text.replace(
    block,
    `  PUBLISHER: |\n${publisherSums(root)
      .map((line) => `    ${line}\n`)
      .join("")}`,
  );
}

/** The text of a file with the text between the two marks replaced. */
function between(root: string, file: string, mark: string, content: string): string {
  const text = readFileSync(join(root, file), "utf8");
  const [begin, end] = [`<!-- ${mark}:begin -->`, `<!-- ${mark}:end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`${file} has no \`${begin}\` with \`${end}\` after it; put them where the table belongs`);
  return `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`;
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Files in generated folders that nothing generates any longer. */
export function leftOver(root: string, wanted: readonly Artefact[]): string[] {
  const paths = new Set(wanted.map(({ path }) => path));
  return generatedFolders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !paths.has(path));
}

/** Whether every generated file is what the declarations say. */
export const isUpToDate = (root: string): boolean =>
  artefacts(root).every(({ path, content }) => current(join(root, path)) === content);

const script = {
  command: "npm run generate",
  about: "Writes every file that follows from the declarations, and builds what has changed.",
  flags: {
    check: { about: "writes nothing, names the files that are not as declared, and ends with 1 if there are any" },
  },
} satisfies Script;

function main(root: string, checkOnly: boolean): number {
  const expected = artefacts(root);
  const outdated = expected.filter(({ path, content }) => current(join(root, path)) !== content);
  const surplus = leftOver(root, expected);
  if (checkOnly) {
    for (const path of [...outdated.map(({ path }) => path), ...surplus])
      console.error(`${path} is not what the declarations say; run \`npm run generate\` and commit it.`);
    return outdated.length + surplus.length === 0 ? 0 : 1;
  }
  for (const { path, content } of outdated) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  for (const path of surplus) rmSync(join(root, path));
  const changes = [...outdated.map(({ path }) => `wrote ${path}`), ...surplus.map((path) => `removed ${path}`)];
  console.log(changes.join("\n") || "Everything is up to date.");
  // The types and comments that programs see are generated sources.
  const { status } = spawnSync(process.execPath, [join(root, "tools", "bootstrap.mjs")], { stdio: "inherit" });
  return status ?? 1;
}

if (require.main === module) void runScript(script, ({ flags }) => main(packageRoot, flags.check));
