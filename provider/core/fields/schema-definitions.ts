import type { z } from "../zod";

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
};

export const definitionOf = (schema: z.ZodType): Definition =>
  (schema as unknown as { _zod: { def: Definition } })._zod.def;

/**
 * A message keeps its name however it is described: the schema library gives an id to one schema and not to its copies.
 */
export function idOf(schema: z.ZodType): string | undefined {
  const { parent } = (schema as unknown as { _zod: { parent?: z.ZodType } })._zod;
  return (schema.meta() as { id?: string } | undefined)?.id ?? (parent && idOf(parent));
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
