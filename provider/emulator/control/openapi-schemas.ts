import type { Field } from "../../core/fields";
import { recordNames } from "../../core/records";
import type { ResourceSpec } from "../../core/resource";
import type { Fields } from "../types";

/** JSON Schemas of what specs declare, for the OpenAPI document. Only the keywords written here ever appear. */

export const reference = (name: string): Fields => ({ $ref: `#/components/schemas/${name}` });

/** An object of these fields; what is not listed passes where `open` says so. */
export function objectSchema(fields: readonly Field[], open?: boolean): Fields {
  const required = fields.filter((field) => field.required && !field.markers.outputOnly).map((field) => field.name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
    ...(open !== undefined && { additionalProperties: open }),
  };
}

/** A resource as it travels both ways; what only the service sets is not required of anybody, and what the provider keeps does not travel. */
export function messageSchema({ summary, fields, derived = {} }: ResourceSpec): Fields {
  const kept: ReadonlySet<string> = new Set([...recordNames, ...Object.keys(derived)]);
  const outputs = fields.outputs
    .filter(({ name }) => !kept.has(name))
    .map((field) => ({ ...field, required: false, markers: { ...field.markers, outputOnly: true as const } }));
  return { ...objectSchema([...outputs, ...fields.message]), description: summary };
}

/** Every message with a name that these fields hold, at any depth, by name. */
export function namedMessages(fields: readonly Field[]): [name: string, schema: Fields][] {
  return fields.flatMap((field): [string, Fields][] => {
    const inside = namedMessages([...(field.fields ?? []), ...(field.item ? [field.item] : [])]);
    return field.typeName !== undefined && field.fields
      ? [[field.typeName, objectSchema(field.fields, field.open)], ...inside]
      : inside;
  });
}

export function fieldSchema(field: Field): Fields {
  const { markers, minimum, maximum, maxLength, closed, values } = field;
  return {
    ...typeSchema(field),
    ...(field.description !== "" && { description: field.description }),
    ...(values && (closed ? { enum: values } : { "x-known-values": values })),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(markers.inputOnly && { writeOnly: true }),
    ...(markers.outputOnly && { readOnly: true }),
    ...(markers.deprecated !== undefined && { deprecated: true }),
    ...(markers.immutable && { "x-immutable": true }),
    ...(markers.refersTo !== undefined && { "x-refers-to": markers.refersTo }),
    ...(markers.convention && { "x-convention": markers.convention.number }),
  };
}

function typeSchema(field: Field): Fields {
  switch (field.type) {
    case "any":
      return {};
    case "array":
      return { type: "array", items: fieldSchema(elementOf(field)) };
    case "map":
      return { type: "object", additionalProperties: fieldSchema(elementOf(field)) };
    case "object":
      return field.typeName === undefined ? objectSchema(field.fields!, field.open) : reference(field.typeName);
    default:
      return { type: field.type, ...(field.format !== undefined && { format: field.format }) };
  }
}

/** What a list or map declares is said once, of the list or map. */
const elementOf = ({ item, description }: Field): Field =>
  item!.description === description ? { ...item!, description: "" } : item!;
