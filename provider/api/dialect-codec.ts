import { createDialect } from "../core/dialect/dialect";
import { readDialect } from "../core/dialect/table";
import { ConfigurationError } from "../core/errors";
import { camelCase } from "../core/values/names";
import type { ApiOperation, Catalogue, ClientSettings } from "./types";

/** Translates between our words and the service's: requests into theirs, answers into ours. */
export interface DialectCodec {
  request(operation: ApiOperation, body: unknown): unknown;
  answer(operation: ApiOperation, body: unknown): unknown;
  parameter(operation: ApiOperation, name: string, value: string): readonly [name: string, value: string];
  /** A place in a request, as the service names it. */
  place(operation: ApiOperation, place: string): string;
}

const plain: DialectCodec = {
  request: (_, body) => body,
  answer: (_, body) => body,
  parameter: (_, name, value) => [name, value],
  place: (_, place) => place,
};

/**
 * The one place where the client applies a dialect (A100) and the spelling of masks (A031). Throws a
 * `ConfigurationError` for a dialect with unknown or ambiguous names.
 */
export function createDialectCodec(settings: ClientSettings, catalogue: Catalogue): DialectCodec {
  const codec = codecFor(settings, catalogue);
  if (settings.updateMask !== "camel") return codec;
  return {
    ...codec,
    parameter(operation, name, value) {
      const [theirs, text] = codec.parameter(operation, name, value);
      return [theirs, name === "updateMask" ? camelCase(text) : text];
    },
  };
}

function codecFor({ dialect }: ClientSettings, { specs }: Catalogue): DialectCodec {
  if (!dialect) return plain;
  const { table, problems } = readDialect(dialect.value, specs);
  if (problems.length > 0)
    throw new ConfigurationError(
      `the dialect in ${dialect.where} cannot be used: ${problems.join(" ").replace(/\.$/, "")}`,
      { advice: "Correct it there." },
    );
  const { theirs, ours } = createDialect(table, specs);
  return {
    request: (operation, body) => theirs.request(operation, body),
    answer: (operation, body) => ours.answer(operation, body),
    parameter: (operation, name, value) => theirs.parameter(operation, name, value),
    place: (operation, place) => ours.place(operation, place),
  };
}
