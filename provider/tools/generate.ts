import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fieldsOf } from "../core/fields";
import { type FunctionSpec, functionShape } from "../core/functions";
import { packageSchema } from "../core/schema";
import { driftSchema } from "../drift/document";
import { functions } from "../resources/functions";
import { managedSpecs, specOf } from "../resources/index";
import { exampleTable } from "./example-table";
import { resourceTable } from "./resource-table";

/** A file that follows from the declarations, in whole or in part. */
export interface Artefact {
  path: string;
  /** The content that it should have. */
  content: string;
}

/** Every generated file below `root`, as the declarations want it. */
export function artefacts(root: string): Artefact[] {
  return [
    { path: "schema.json", content: schemaText(root) },
    { path: "drift.schema.json", content: `${JSON.stringify(driftSchema(), null, 2)}\n` },
    { path: "README.md", content: readmeText(root) },
  ];
}

function readmeText(root: string): string {
  const resources = between(readFileSync(join(root, "README.md"), "utf8"), "resources", resourceTable(managedSpecs));
  return between(resources, "examples", exampleTable(join(root, "examples")));
}

function schemaText(root: string): string {
  const { version, description, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
    description: string;
    license: string;
  };
  const docs = Object.entries<FunctionSpec>(functions).map(([name, spec]) => {
    const shape = functionShape(spec, specOf);
    return {
      name,
      summary: spec.summary,
      inputs: fieldsOf(shape.arguments),
      outputs: shape.outputs,
      ...(spec.takes !== undefined && { inputsOf: spec.takes }),
    };
  });
  return `${JSON.stringify(packageSchema({ version, description, license, specs: managedSpecs, functions: docs }), null, 2)}\n`;
}

/** The text with what stands between the two marks replaced. */
function between(text: string, mark: string, content: string): string {
  const [begin, end] = [`<!-- ${mark}:begin -->`, `<!-- ${mark}:end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`README.md has no \`${begin}\` with \`${end}\` after it; put them where the table belongs`);
  return `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`;
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function main(root: string, checkOnly: boolean): number {
  const outdated = artefacts(root).filter(({ path, content }) => current(join(root, path)) !== content);
  if (checkOnly) {
    for (const { path } of outdated)
      console.error(`${path} is not what the declarations say; run \`npm run generate\` and commit it.`);
    return outdated.length === 0 ? 0 : 1;
  }
  for (const { path, content } of outdated) writeFileSync(join(root, path), content);
  console.log(
    outdated.length === 0 ? "Everything is up to date." : `Wrote ${outdated.map(({ path }) => path).join(" and ")}.`,
  );
  return 0;
}

if (require.main === module) process.exitCode = main(join(__dirname, "..", ".."), process.argv.includes("--check"));
