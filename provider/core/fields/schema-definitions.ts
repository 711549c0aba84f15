import { z } from "../zod";

/** The one place that looks into the schema library's own definitions. */

export type FieldType = "string" | "integer" | "number" | "boolean" | "object" | "array" | "map" | "any";

export type Definition = {
  type: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  valueType?: z.ZodType;
  format?: string;
  catchall?: z.ZodType;
  entries?: Record<string, string>;
  shape?: z.ZodRawShape;
  checks?: readonly { _zod: { def: { check: string; value?: number; inclusive?: boolean } } }[];
};

/** The range of a number, in JSON Schema's words. */
export interface NumberLimits {
  minimum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMaximum?: number | undefined;
}

export const definitionOf = (schema: z.ZodType): Definition =>
  (schema as unknown as { _zod: { def: Definition } })._zod.def;

/** The limits that a number declares; those of every safe integer are none. */
export function numberLimits(schema: z.ZodType): NumberLimits {
  if (!(schema instanceof z.ZodNumber)) return {};
  const limits = (definitionOf(schema).checks ?? []).map(({ _zod: { def } }) => def);
  const limit = (check: "greater_than" | "less_than", isInclusive: boolean): number | undefined =>
    limits.find((each) => each.check === check && each.inclusive === isInclusive && isDeclared(each.value))?.value;
  return {
    minimum: limit("greater_than", true),
    exclusiveMinimum: limit("greater_than", false),
    maximum: limit("less_than", true),
    exclusiveMaximum: limit("less_than", false),
  };
}

const isDeclared = (value: number | undefined): boolean =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;

/**
 * A message keeps its name however it is described: the schema library gives an id to one schema and not to its copies.
 */
export function idOf(schema: z.ZodType): string | undefined {
  return namedOf(schema)?.id;
}

/** What a message says of itself, however a field of its type is described. */
export function ownDescriptionOf(schema: z.ZodType): string | undefined {
  return namedOf(schema)?.description;
}

function namedOf(schema: z.ZodType): { id?: string; description?: string } | undefined {
  const meta = schema.meta() as { id?: string; description?: string } | undefined;
  const { parent } = (schema as unknown as { _zod: { parent?: z.ZodType } })._zod;
  return meta?.id === undefined ? parent && namedOf(parent) : meta;
}

export function typeOf(definition: Definition): FieldType {
  switch (definition.type) {
    case "string":
    case "enum":
    case "literal":
      return "string";
    case "number":
      return definition.format === "safeint" ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "object":
      return "object";
    case "array":
      return "array";
    case "record":
      return "map";
    case "unknown":
      return "any";
    default:
      throw new Error(`a resource field cannot be declared as zod type \`${definition.type}\``);
  }
}
