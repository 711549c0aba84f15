import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtIn, type Engine, onTheCli, pulumiCli, repository } from "../e2e/engines";
import { Site } from "../e2e/site";
import { dynamicHost, pluginHost, withHost } from "../random/hosts";
import { testMatrix } from "./suite";

/** A program whose library has a copy of the package of its own. */
async function openSite(engine: Engine): Promise<Site> {
  const site = await Site.open(engine, { program: "matrix" });
  const library = join(site.program, "library");
  const copy = join(library, "node_modules", "pulumi-modelplatform");
  mkdirSync(copy, { recursive: true });
  writeFileSync(join(library, "index.js"), "module.exports = (entry) => require(entry);\n");
  for (const part of ["dist", "package.json"]) cpSync(join(repository, part), join(copy, part), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
  return site;
}

/**
 * The table takes long with real processes. `shared` tries only the fates that can stand in one stack, in a few runs.
 */
const asked = process.env["MATRIX"] ?? "";
const host = process.env["MATRIX_HOST"] === "plugin" ? pluginHost : dynamicHost;
const extentOn = ({ title }: Engine) => ({
  engine: withHost(title, host),
  host,
  alone: asked === "shared" ? Number.POSITIVE_INFINITY : 1,
  once: asked === "shared",
});

if (["whole", "shared"].includes(asked)) {
  describe(`with the processes of ${builtIn.title}`, () => testMatrix(() => openSite(builtIn), extentOn(builtIn)));
  onTheCli(() => testMatrix(() => openSite(pulumiCli), extentOn(pulumiCli)));
} else
  describe.skip("with real processes (skipped: runs with MATRIX=whole or MATRIX=shared)", () =>
    testMatrix(() => openSite(builtIn), extentOn(builtIn)));
