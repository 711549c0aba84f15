import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { unsupportedError } from "../errors";
import type { JsonObject, PropertyMap, StateValue } from "../state/resource-state";
import { isArchive, isAsset, mapMembers, mapObject, signatureKey } from "./values";

/**
 * Adds a hash to every asset of a registration, so that changed content is a difference. Paths are relative to
 * `folder`.
 */
export async function hashAssets(properties: PropertyMap, folder: string): Promise<PropertyMap> {
  const hashed = new Map<StateValue, StateValue>();
  const collect = (value: StateValue): StateValue => {
    if (isAsset(value) || isArchive(value)) hashed.set(value, value);
    return mapMembers(value, collect);
  };
  mapObject(properties, collect);
  if (hashed.size === 0) return properties;
  for (const value of hashed.keys()) hashed.set(value, await hash(value as JsonObject, folder));
  const replace = (value: StateValue): StateValue => hashed.get(value) ?? mapMembers(value, replace);
  return mapObject(properties, replace);
}

/** The SDK's own marks on an asset are left out. */
const recorded = new Set([signatureKey, "hash", "text", "path", "uri", "assets"]);

async function hash(declared: JsonObject, folder: string): Promise<JsonObject> {
  const asset: JsonObject = Object.fromEntries(Object.entries(declared).filter(([key]) => recorded.has(key)));
  if (typeof asset["hash"] === "string" && asset["hash"] !== "") return asset;
  const { text, path } = asset;
  if (isArchive(asset) && !/\.(zip|tar|tgz|tar\.gz|jar)$/i.test(String(path ?? "")))
    throw unsupportedError("An archive made from a folder or from assets");
  if (typeof path === "string") return { ...asset, hash: digest(await readFile(resolve(folder, path))) };
  if (asset["uri"] !== undefined) throw unsupportedError("An asset or archive at a URL");
  return { ...asset, hash: digest(String(text ?? "")) };
}

const digest = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Assets reduced to their hash, as a provider receives old values and comparisons. */
export function withoutAssetContents(properties: PropertyMap): PropertyMap {
  const elide = (value: StateValue): StateValue => {
    if (!isAsset(value) && !isArchive(value)) return mapMembers(value, elide);
    return Object.fromEntries(
      Object.entries(value).filter(([key]) => key !== "text" && key !== "path" && key !== "uri" && key !== "assets"),
    );
  };
  return mapObject(properties, elide);
}

/** Restores the contents of assets that came back with only a hash. */
export function restoreAssetContents(result: PropertyMap, original: PropertyMap): PropertyMap {
  const byHash = new Map<StateValue, JsonObject>();
  const collect = (value: StateValue): StateValue => {
    if (isAsset(value) || isArchive(value)) byHash.set(value["hash"] ?? null, value);
    return mapMembers(value, collect);
  };
  mapObject(original, collect);
  if (byHash.size === 0) return result;
  const empty = (value: JsonObject) => !["text", "path", "uri", "assets"].some((key) => value[key] !== undefined);
  const restore = (value: StateValue): StateValue => {
    if ((isAsset(value) || isArchive(value)) && empty(value)) return byHash.get(value["hash"] ?? null) ?? value;
    return mapMembers(value, restore);
  };
  return mapObject(result, restore);
}
