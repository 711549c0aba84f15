import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageTypes } from "../../provider/core/schema/schema";
import { managedSpecs } from "../../provider/resources/index";
import { pagePath } from "../sdk/file-names";
import { declaredFunctions, observed } from "../sdk/files";
import { functionPage } from "./function-page";
import { registryPages } from "./registry-pages";
import { type Example, resourcePage } from "./resource-page";

/** The reference pages, by their path below `root`. */
export function pageFiles(root: string): Record<string, string> {
  const names = packageTypes(managedSpecs, declaredFunctions);
  const examples = examplesIn(join(root, "examples"));
  return {
    ...Object.fromEntries(managedSpecs.map((spec) => [pagePath(spec.kind), resourcePage(spec, names, examples)])),
    ...registryPages(descriptionIn(root)),
    "docs/functions.md": functionPage({ functions: declaredFunctions, observed, names }),
  };
}

const descriptionIn = (root: string): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { description: string }).description;

const examplesIn = (folder: string): Example[] =>
  readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, "Pulumi.yaml")) && existsSync(join(folder, name, "index.ts")))
    .map((name) => ({ name, source: readFileSync(join(folder, name, "index.ts"), "utf8") }));
