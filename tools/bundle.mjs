// Puts the provider plugin into one file that needs nothing but Node.js: it runs from the package as well as from a
// folder of plugins, and starts in a fraction of the time that its modules take one by one. In the package itself, the
// schema library becomes one file, of what the sources use of it. Schemas that users name by a path in the package are
// laid where it has them, and declarations that no program can reach stay out of it.
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as zod from "zod";
import { packRules } from "./declarations.mjs";
import { rooms } from "./rooms.cjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "plugin");
const bundle = join(folder, "pulumi-resource-modelplatform");

/** Through which everything else imports the schema library, so that there is one copy of it in a process. */
const library = "provider/core/zod";

/** The schema library makes its messages in fifty languages at the start; English comes in by another way. */
const withoutLocales = {
  name: "without-locales",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" })),
};

const sources = rooms
  .flatMap((room) => readdirSync(join(root, room), { recursive: true }).map((file) => join(root, room, file)))
  .filter((file) => file.endsWith(".ts"));

/** The members of the schema library that the sources name, by `z.` and nothing else, as an architecture test holds. */
const members = [
  ...new Set(
    sources
      .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\bz\s*\.\s*([$\w]+)/g)])
      .map(([, member]) => member)
      // Of `core`, only types are used.
      .filter((member) => member in zod && member !== "core"),
  ),
];

/** The others are two thirds of the library, which a process would read through at its start. */
const usedMembers = {
  name: "used-members",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]core[\\/]zod\.ts$/ }, ({ path }) => ({
      contents: `import { ${members.map((member) => `${member} as _${member}`)} } from "zod";
        export const z = { ${members.map((member) => `${member}: _${member}`)} };`,
      resolveDir: dirname(path),
    })),
};

/** The bundle runs alone: what it reads of the package is written in, the schema as a text until somebody asks. */
const packedTexts = {
  name: "packed-texts",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]files[\\/]package\.ts$/ }, () => {
      const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));
      const { name, version } = read("package.json");
      const texts = {
        "package.json": JSON.stringify({ name, version }),
        "schema.json": JSON.stringify(read("schema.json")),
      };
      return {
        contents: `const texts = ${JSON.stringify(texts)};
          export const packedText = (name) => texts[name];
          export const manifest = () => JSON.parse(texts["package.json"]);`,
      };
    }),
};

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  keepNames: true,
  legalComments: "none",
  metafile: true,
  plugins: [withoutLocales, usedMembers, packedTexts],
  logLevel: "warning",
  absWorkingDir: root,
};

const { metafile } = await build({
  ...common,
  entryPoints: [join(root, "provider", "plugin", "main.ts")],
  outfile: bundle,
});
chmodSync(bundle, 0o755);
writeFileSync(join(folder, "LICENSES.txt"), licenses(Object.keys(metafile.inputs)));
// For the executables' bill of materials.
writeFileSync(
  join(root, "dist", ".bundled.json"),
  JSON.stringify(packagesOf(Object.keys(metafile.inputs)).map(described)),
);

await build({
  ...common,
  entryPoints: [join(root, `${library}.ts`)],
  outfile: join(root, "dist", `${library}.js`),
  // Names as they are: to give them back, each would cost a call at the start.
  minifyIdentifiers: false,
  keepNames: false,
  banner: { js: `/*\n${licenses(["node_modules/zod/"])}*/` },
});

writeFileSync(join(root, "dist", ".npmignore"), packRules(root));

for (const schema of ["drift/drift.schema.json", "governance/prices.schema.json"])
  copyFileSync(join(root, schema), join(root, basename(schema)));

/** The licenses of everything that the file holds copies of, which ask to go along. */
function licenses(inputs) {
  return packagesOf(inputs).map(notice).join("\n");
}

function packagesOf(inputs) {
  const packages = inputs.flatMap((path) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(packages)].sort();
}

function described(path) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  return { name, version, license };
}

function notice(path) {
  const { name, version, license } = described(path);
  const texts = readdirSync(join(root, path)).filter((file) => /^(licen[cs]e|notice)(\.|$)/i.test(file));
  const bodies = texts.map((file) => readFileSync(join(root, path, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...bodies, ""].join("\n\n");
}
