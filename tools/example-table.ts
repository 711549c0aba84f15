import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** Every program below `folder`, with what its `Pulumi.yaml` says of it. */
export function exampleTable(folder: string): string {
  const programs = readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, "Pulumi.yaml")));
  const rows = programs.map((name) => [`[${name}](${name})`, descriptionOf(join(folder, name, "Pulumi.yaml"))]);
  return [["Example", "What it shows"], ["---", "---"], ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function descriptionOf(projectFile: string): string {
  const { description } = parse(readFileSync(projectFile, "utf8")) as { description?: string };
  if (!description) throw new Error(`${projectFile} has no \`description\`; say in a line what the example shows`);
  return `${description}.`;
}
