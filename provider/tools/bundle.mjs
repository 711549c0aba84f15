// Puts the provider plugin into one file that needs nothing but Node.js: it runs from the package as well as from a
// folder of plugins, and starts in a fraction of the time that its modules take one by one. In the package itself, the
// schema library becomes one file, of what the sources use of it.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as zod from "zod";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = join(root, "plugin");
const bundle = join(folder, "pulumi-resource-modelplatform");

/** Through which everything else imports the schema library, so that there is one copy of it in a process. */
const library = "core/zod";

/** The schema library makes its messages in fifty languages at the start; English comes in by another way. */
const withoutLocales = {
  name: "without-locales",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" })),
};

/** The members of the schema library that the sources name, by `z.` and nothing else, as an architecture test holds. */
const members = [
  ...new Set(
    readdirSync(join(root, "provider"), { recursive: true })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...readFileSync(join(root, "provider", file), "utf8").matchAll(/\bz\s*\.\s*([$\w]+)/g)])
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

/** Kept as a text until somebody asks for it: Node.js reads through everything else at each start. */
const schemaAsText = {
  name: "schema-as-text",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]schema\.json$/ }, ({ path }) => ({
      contents: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(readFileSync(path, "utf8"))))});`,
    })),
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
  plugins: [withoutLocales, usedMembers, schemaAsText],
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

await build({
  ...common,
  entryPoints: [join(root, "provider", `${library}.ts`)],
  outfile: join(root, "dist", `${library}.js`),
  // Names as they are: to give them back, each would cost a call at the start.
  minifyIdentifiers: false,
  keepNames: false,
  banner: { js: `/*\n${licenses(["node_modules/zod/"])}*/` },
});

/** The licenses of everything that the file holds copies of, which ask to go along. */
function licenses(inputs) {
  const packages = inputs.flatMap((path) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(packages)].sort().map(notice).join("\n");
}

function notice(path) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  const texts = readdirSync(join(root, path)).filter((file) => /^(licen[cs]e|notice)(\.|$)/i.test(file));
  const bodies = texts.map((file) => readFileSync(join(root, path, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...bodies, ""].join("\n\n");
}
