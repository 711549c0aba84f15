import { createDialect } from "../core/dialect/dialect";
import { readDialect } from "../core/dialect/table";
import { ConfigurationError } from "../core/errors";
import { camelCase } from "../core/values/names";
import type { Catalogue, Operation, Settings } from "./types";

/** Translates between our words and the service's: requests into theirs, answers into ours. */
export interface Speech {
  request(operation: Operation, body: unknown): unknown;
  answer(operation: Operation, body: unknown): unknown;
  parameter(operation: Operation, name: string, value: string): readonly [name: string, value: string];
  /** A place in a request, as the service names it. */
  place(operation: Operation, place: string): string;
}

const plain: Speech = {
  request: (_, body) => body,
  answer: (_, body) => body,
  parameter: (_, name, value) => [name, value],
  place: (_, place) => place,
};

/**
 * The one place where the client applies a dialect (A100) and the spelling of masks (A031). Throws a
 * `ConfigurationError` for a dialect with unknown or ambiguous names.
 */
export function createSpeech(settings: Settings, catalogue: Catalogue): Speech {
  const speech = spoken(settings, catalogue);
  if (settings.updateMask !== "camel") return speech;
  return {
    ...speech,
    parameter(operation, name, value) {
      const [theirs, text] = speech.parameter(operation, name, value);
      return [theirs, name === "updateMask" ? camelCase(text) : text];
    },
  };
}

function spoken({ dialect }: Settings, { specs }: Catalogue): Speech {
  if (!dialect) return plain;
  const { table, problems } = readDialect(dialect.value, specs);
  if (problems.length > 0)
    throw new ConfigurationError(`the dialect in ${dialect.where} cannot be used`, { advice: problems.join(" ") });
  const { theirs, ours } = createDialect(table, specs);
  return {
    request: (operation, body) => theirs.request(operation, body),
    answer: (operation, body) => ours.answer(operation, body),
    parameter: (operation, name, value) => theirs.parameter(operation, name, value),
    place: (operation, place) => ours.place(operation, place),
  };
}
