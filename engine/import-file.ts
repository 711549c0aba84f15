import { unsupported } from "./errors";
import type { ImportedResource, ImportRequest } from "./program/imports";
import { isObject, type PropertyMap } from "./state/types";

/** Members of an entry that only the Pulumi CLI uses. */
const notHere = ["version", "pluginDownloadUrl", "remote", "parameterization", "extension"];

/**
 * Reads what `pulumi import --file` reads. Throws an error that names the
 * entry at fault; none holds a value of the file.
 */
export function parseImportFile(text: string): ImportRequest {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error("the import file is not valid JSON; `codify --mode import` writes one");
  }
  if (!isObject(document) || !Array.isArray(document["resources"]))
    throw new Error("the import file has no list `resources`; `codify --mode import` writes one");
  if (document["providerInputs"] !== undefined) throw unsupported("The member `providerInputs` of an import file");
  const nameTable = isObject(document["nameTable"]) ? (document["nameTable"] as Record<string, string>) : {};
  return { resources: document["resources"].map(resourceIn), nameTable };
}

const mapIn = (value: unknown): PropertyMap | undefined => (isObject(value) ? (value as PropertyMap) : undefined);

function resourceIn(entry: unknown, index: number): ImportedResource {
  if (!isObject(entry) || typeof entry["type"] !== "string" || typeof entry["name"] !== "string")
    throw new Error(`entry ${index + 1} of the import file has no \`type\` or no \`name\``);
  const { type, name } = entry;
  const foreign = notHere.find((member) => entry[member] !== undefined);
  if (foreign !== undefined) throw unsupported(`The member \`${foreign}\` of "${name}" in an import file`);
  const texts = Object.fromEntries(
    ["id", "logicalName", "parent", "provider"].flatMap((member) =>
      typeof entry[member] === "string" && entry[member] !== "" ? [[member, entry[member]]] : [],
    ),
  ) as Partial<ImportedResource>;
  return {
    type,
    name,
    ...texts,
    component: entry["component"] === true ? true : undefined,
    properties: Array.isArray(entry["properties"]) ? entry["properties"].map(String) : undefined,
    inputs: mapIn(entry["inputs"]),
    outputs: mapIn(entry["outputs"]),
  };
}
