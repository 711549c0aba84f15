import { recordNames } from "../../provider/core/declaration/own-records";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { omitUndefined } from "../../provider/core/values/values";
import type { Fields } from "../types";

/** JSON Schemas of what specs declare, for the OpenAPI document. Only the keywords written here ever appear. */

/** Which way a message goes: requests have no outputs, answers have nothing that is input only. */
type MessageDirection = "sent" | "answered";

export const reference = (name: string): Fields => ({ $ref: `#/components/schemas/${name}` });

/** Names of the schemas of a kind: as it is answered, created and updated. */
export const answerName = (kind: string): string => kind;
export const inputName = (kind: string): string => `${kind}Input`;
export const updateName = (kind: string): string => `${kind}Update`;

/** An object of these fields; what is not listed passes where `open` says so. */
export function objectSchema(fields: readonly Field[], way: MessageDirection, open?: boolean): Fields {
  const travelling = fields.filter(({ markers }) => !markers[way === "sent" ? "outputOnly" : "inputOnly"]);
  const required = travelling.filter((field) => field.required).map((field) => field.name);
  return omitUndefined({
    type: "object",
    properties: Object.fromEntries(travelling.map((field) => [field.name, fieldSchema(field, way)])),
    required: required.length > 0 ? required : undefined,
    additionalProperties: open,
  });
}

/**
 * The fields of an answer: what this provider keeps for itself does not travel, and
 * an input that is unset is left out, not null.
 */
export function answeredFieldsOf({ fields, derived }: ResourceSpec): Field[] {
  const kept: ReadonlySet<string> = new Set([...recordNames, ...Object.keys(derived)]);
  const outputs = fields.outputs.filter(({ name }) => !kept.has(name));
  return [...outputs.map(asOutput), ...fields.message.map(withoutNull)];
}

const asOutput = (field: Field): Field => ({ ...field, markers: { ...field.markers, outputOnly: true } });

export function withoutNull({ nullable: _, ...field }: Field): Field {
  const members = field.fields?.map(withoutNull);
  return { ...field, fields: members, item: field.item && withoutNull(field.item) };
}

/** A message by its fields, under its kind's sentence. */
export const messageSchema = ({ summary }: ResourceSpec, fields: readonly Field[], way: MessageDirection): Fields => ({
  ...objectSchema(fields, way),
  description: summary,
});

/** Every message with a name that these fields hold, at any depth, by the name of its schema. */
export function namedMessages(fields: readonly Field[], way: MessageDirection): [name: string, schema: Fields][] {
  return fields.flatMap((field): [string, Fields][] => {
    const inside = namedMessages([...(field.fields ?? []), ...(field.item ? [field.item] : [])], way);
    return field.typeName !== undefined && field.fields
      ? [[nameFor(field.typeName, way), objectSchema(field.fields, way, field.open)], ...inside]
      : inside;
  });
}

const nameFor = (typeName: string, way: MessageDirection): string =>
  way === "sent" ? inputName(typeName) : answerName(typeName);

export function fieldSchema(field: Field, way: MessageDirection): Fields {
  const { markers, closed, values, nullable } = field;
  const type = nullable ? orNull(typeSchema(field, way)) : typeSchema(field, way);
  return omitUndefined({
    ...type,
    description: field.description || undefined,
    enum: closed && values ? [...values, ...(nullable ? [null] : [])] : undefined,
    "x-known-values": closed ? undefined : values,
    minimum: field.minimum,
    exclusiveMinimum: field.exclusiveMinimum,
    maximum: field.maximum,
    exclusiveMaximum: field.exclusiveMaximum,
    maxLength: field.maxLength,
    writeOnly: markers.inputOnly,
    readOnly: markers.outputOnly,
    deprecated: markers.deprecated === undefined ? undefined : true,
    "x-immutable": markers.immutable,
    "x-refers-to": markers.refersTo?.collection,
    "x-convention": markers.convention?.number,
  });
}

function orNull(schema: Fields): Fields {
  const { type } = schema;
  if (Object.keys(schema).length === 0) return schema;
  return type === undefined ? { anyOf: [schema, { type: "null" }] } : { ...schema, type: [type, "null"] };
}

function typeSchema(field: Field, way: MessageDirection): Fields {
  switch (field.type) {
    case "any":
      return {};
    case "array":
      return { type: "array", items: fieldSchema(elementOf(field), way) };
    case "map":
      return { type: "object", additionalProperties: fieldSchema(elementOf(field), way) };
    case "object":
      return field.typeName === undefined
        ? objectSchema(field.fields!, way, field.open)
        : reference(nameFor(field.typeName, way));
    default:
      return omitUndefined({ type: field.type, format: field.format });
  }
}

/** What a list or map declares is said once, of the list or map. */
const elementOf = ({ item, description }: Field): Field =>
  item!.description === description ? { ...item!, description: "" } : item!;
