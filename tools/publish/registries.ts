import { archives } from "./archives";
import { go } from "./go";
import { npm } from "./npm";
import { nuget } from "./nuget";
import { pypi } from "./pypi";
import type { Registry } from "./registry";

/** In the order of a release: what can be undone comes first. */
export const registries = { archives, npm, pypi, nuget, go } satisfies Readonly<Record<string, Registry>>;

export type RegistryName = keyof typeof registries;

export const registryNames = Object.keys(registries) as readonly RegistryName[];
