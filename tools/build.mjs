// Compiles the sources and bundles what is packed. Without dependencies but those that it starts.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compilerOf } from "./compiler.mjs";
import { buildInputs } from "./inputs.mjs";
import { refuseArguments } from "./no-arguments.mjs";

refuseArguments("npm run build", "Compiles the sources and bundles the plugin, into dist and plugin.");

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function run(title, command, args) {
  console.error(`${title} …`);
  const { status, signal } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  console.error(
    `${title} failed: \`${[command, ...args].join(" ")}\` ended with ${status ?? signal}. Read its output above, then run this command again.`,
  );
  process.exit(1);
}

/** Removes outputs whose source is gone, which the compiler leaves behind and the package would carry. */
function prune(folder) {
  for (const entry of readdirSync(join(root, "dist", folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) prune(path);
    const [output, module] = path.match(/^(.*?)(?:\.d\.ts|\.js|\.js\.map)$/) ?? [];
    if (output && !existsSync(join(root, `${module}.ts`))) rmSync(join(root, "dist", path));
  }
}

// As they are before: what changes meanwhile is for the next build.
const inputs = buildInputs(root);
// A compiler that is installed here: `npx` would fetch a stranger's package of that name where there is none.
run("Building", ...compilerOf(root, "tsconfig.json"));
run("Bundling the plugin", process.execPath, [join("tools", "bundle.mjs")]);
prune("");
// Written when a build is whole: the compiler writes its own record also where it only checks.
writeFileSync(join(root, "dist", ".built"), inputs);
