// Puts the provider plugin into one file that needs nothing but Node.js: it runs from the package as well as from a
// folder of plugins, and starts in a fraction of the time that its modules take one by one.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = join(root, "plugin");
const bundle = join(folder, "pulumi-resource-modelplatform");

/** The schema library makes its messages in fifty languages at the start; English comes in by another way. */
const withoutLocales = {
  name: "without-locales",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" })),
};

/** Kept as a text until somebody asks for it: Node.js reads through everything else at each start. */
const schemaAsText = {
  name: "schema-as-text",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]schema\.json$/ }, ({ path }) => ({
      contents: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(readFileSync(path, "utf8"))))});`,
    })),
};

const { metafile } = await build({
  entryPoints: [join(root, "provider", "plugin", "main.ts")],
  outfile: bundle,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minify: true,
  keepNames: true,
  legalComments: "none",
  metafile: true,
  plugins: [withoutLocales, schemaAsText],
  logLevel: "warning",
  absWorkingDir: root,
});
chmodSync(bundle, 0o755);
writeFileSync(join(folder, "LICENSES.txt"), licenses(Object.keys(metafile.inputs)));

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
