import type { ResourceSpec } from "../../core/declaration/resource";
import { createCatalogue } from "../operations";
import type { Override, Overrides } from "../types";

/** A collection of an account, or an object of one: no verb, no query, nothing outside of the account. */
const place = /^\/v\d\w*\/accounts\/\{account\}(\/([A-Za-z][\w-]*|\{\w+\}))+$/;

/**
 * Of the setting `operations`, what does no harm whoever wrote it: where reads of an account's own collections are,
 * below the base URL that the user gave. An answer of another kind or account is refused wherever it comes from.
 */
export function harmlessOperations(specs: readonly ResourceSpec[], overrides: Overrides): Overrides {
  const { operations } = createCatalogue(specs);
  return Object.fromEntries(
    Object.entries(overrides).flatMap(([name, override]): [string, Override][] => {
      const operation = operations.find((candidate) => candidate.name === name);
      if (operation?.effect !== "read" || operation.method !== "GET") return [];
      if (override === "off") return [[name, override]];
      return override.path !== undefined && place.test(override.path) ? [[name, { path: override.path }]] : [];
    }),
  );
}
