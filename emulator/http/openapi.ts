import { recordNames } from "../../provider/core/declaration/own-fields";
import type { OperationSpec, ResourceSpec } from "../../provider/core/declaration/resource";
import type { FunctionSpec } from "../../provider/core/declaration/surface";
import { type Field, fieldsOf } from "../../provider/core/fields/fields";
import { parametersOf, parseRoute } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import { functions } from "../../provider/resources/functions";
import { allSpecs } from "../../provider/resources/index";
import { operations, type RoutedOperation } from "../routes";
import type { Fields } from "../types";

/** JSON Schemas of what specs declare, for the OpenAPI document. Only the keywords written here ever appear. */

/** Which way a message goes: requests have no outputs, answers have nothing that is input only. */
type MessageDirection = "sent" | "answered";

export const reference = (name: string): Fields => ({ $ref: `#/components/schemas/${name}` });

/** Names of the schemas of a kind: as it is answered, created and updated. */
const answerName = (kind: string): string => kind;
const inputName = (kind: string): string => `${kind}Input`;
const updateName = (kind: string): string => `${kind}Update`;

/** An object of these fields; what is not listed passes where `open` says so. */
function objectSchema(fields: readonly Field[], way: MessageDirection, open?: boolean): Fields {
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
function answeredFieldsOf({ fields, derived }: ResourceSpec): Field[] {
  const kept: ReadonlySet<string> = new Set([...recordNames, ...Object.keys(derived)]);
  const outputs = fields.outputs.filter(({ name }) => !kept.has(name));
  return [...outputs.map(asOutput), ...fields.message.map(withoutNull)];
}

const asOutput = (field: Field): Field => ({ ...field, markers: { ...field.markers, outputOnly: true } });

function withoutNull({ nullable: _, ...field }: Field): Field {
  const members = field.fields?.map(withoutNull);
  return { ...field, fields: members, item: field.item && withoutNull(field.item) };
}

/** A message by its fields, under its kind's sentence. */
const messageSchema = ({ summary }: ResourceSpec, fields: readonly Field[], way: MessageDirection): Fields => ({
  ...objectSchema(fields, way),
  description: summary,
});

/** Every message with a name that these fields hold, at any depth, by the name of its schema. */
function namedMessages(fields: readonly Field[], way: MessageDirection): [name: string, schema: Fields][] {
  return fields.flatMap((field): [string, Fields][] => {
    const inside = namedMessages([...(field.fields ?? []), ...(field.item ? [field.item] : [])], way);
    return field.typeName !== undefined && field.fields
      ? [[nameFor(field.typeName, way), objectSchema(field.fields, way, field.open)], ...inside]
      : inside;
  });
}

const nameFor = (typeName: string, way: MessageDirection): string =>
  way === "sent" ? inputName(typeName) : answerName(typeName);

function fieldSchema(field: Field, way: MessageDirection): Fields {
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

/** What the emulator serves, as an OpenAPI 3.1 document made from the specs. */
export function openApi(): Fields {
  const paths: Record<string, Fields> = {};
  for (const operation of operations) {
    const path = pathOf(operation);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, path) };
  }
  const messages = allSpecs.flatMap((spec) => [
    ...namedMessages(answeredFieldsOf(spec), "answered"),
    ...namedMessages(spec.fields.message, "sent"),
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Model platform API, as emulated",
      version: "1",
      description:
        "Operations marked `conventional` are not in the API's reference; `x-convention` numbers the decision that they follow.",
    },
    tags: allSpecs.map(({ kind, summary }) => ({ name: kind, description: summary })),
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(messages),
        ...Object.fromEntries(allSpecs.flatMap(resourceSchemas)),
        Error: errorSchema,
      },
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "A key of the account, or of a superuser." },
      },
    },
    security: [{ key: [] }],
  };
}

/** A kind as it is answered, and as it is sent to be created and changed: each asks for something else. */
function resourceSchemas(spec: ResourceSpec): [name: string, schema: Fields][] {
  const { create, update } = spec.operations;
  const { message } = spec.fields;
  const changed = message.map((field) => ({ ...field, required: field.markers.alwaysSent === true }));
  return [
    [answerName(spec.kind), messageSchema(spec, answeredFieldsOf(spec), "answered")],
    ...(create ? [bodyOf(inputName(spec.kind), spec, message, create)] : []),
    ...(update ? [bodyOf(updateName(spec.kind), spec, changed, update)] : []),
  ];
}

/** A body has the resource name among its fields where its operation says so. Only a create needs it (A004, A012). */
function bodyOf(
  name: string,
  spec: ResourceSpec,
  fields: readonly Field[],
  operation: OperationSpec,
): [string, Fields] {
  const required = operation === spec.operations.create;
  const named = operation.body?.name ? spec.fields.outputs.filter((field) => field.name === "name") : [];
  return [name, messageSchema(spec, [...named.map((field) => ({ ...field, required })), ...fields], "sent")];
}

const errorSchema = {
  type: "object",
  description: "Why a request was refused.",
  properties: {
    code: { type: "integer", description: "gRPC status code." },
    message: { type: "string" },
    details: { type: "array", items: {} },
  },
};

/** `{name}` is spelt out, because it may hold slashes. */
const pathOf = ({ declared, spec }: RoutedOperation): string =>
  parseRoute(declared.route).path.replace("{name}", spec.name);

/** The function that is this very operation, which declares what the resource does not. */
const functionOf = ({ name }: RoutedOperation): FunctionSpec | undefined =>
  (functions as Readonly<Record<string, FunctionSpec>>)[name];

function operationObject(operation: RoutedOperation, path: string): Fields {
  const { name, method, spec, declared, query } = operation;
  const inPath = parametersOf(path).map((parameter) => ({
    name: parameter,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = query.map((parameter) => ({ name: parameter, in: "query", schema: querySchema(spec, parameter) }));
  const hasBody = method === "POST" || method === "PATCH";
  return omitUndefined({
    operationId: name,
    tags: [spec.kind],
    "x-provenance": declared.provenance,
    "x-convention": declared.convention,
    "x-effect": operation.effect,
    parameters: [...inPath, ...inQuery],
    requestBody: hasBody ? { content: json(bodySchema(operation)) } : undefined,
    responses: {
      200: { description: "Done.", content: json(answerSchema(operation)) },
      default: { description: "Refused.", content: json(reference("Error")) },
    },
  });
}

const json = (schema: Fields): Fields => ({ "application/json": { schema } });

const flag = (description: string): Fields => ({ type: "boolean", description });

const text = (description: string): Fields => ({ type: "string", description });

/** Query parameters that no resource declares. */
const commonQuery: Readonly<Record<string, Fields>> = {
  pageSize: { type: "integer", minimum: 0, default: 50, description: "Objects per page; more than 200 means 200." },
  pageToken: text("`nextPageToken` of the page before; all other parameters must be as they were."),
  filter: text("Which objects, in AIP-160 syntax."),
  orderBy: text("Fields to sort by, separated by commas, each with ` desc` or without."),
  readMask: text("Fields to answer, in snake case, separated by commas; empty or `*` means all."),
  updateMask: text("Fields to change, in snake case, separated by commas."),
  showDeleted: flag("Soft-deleted objects are listed, too."),
  hard: flag("Leaves no tombstone."),
  validateOnly: flag("Answers what would be created, and creates nothing."),
};

function querySchema({ fields }: ResourceSpec, parameter: string): Fields {
  const { directives, behaviours, resourceId } = fields;
  const declared = [...directives, ...behaviours, ...(resourceId ? [resourceId] : [])].find(
    (field) => field.name === parameter,
  );
  return declared ? fieldSchema(withoutNull(declared), "sent") : commonQuery[parameter]!;
}

function bodySchema({ verb, spec, declared }: RoutedOperation): Fields {
  const { wrap, within } = declared.body ?? {};
  if (wrap)
    return {
      type: "object",
      properties: { [wrap.id]: { type: "string" }, [wrap.message]: reference(inputName(spec.kind)) },
      required: [wrap.id],
    };
  if (verb === "create") return reference(inputName(spec.kind));
  if (verb === "update") return reference(updateName(spec.kind));
  if (within)
    return within.path.reduceRight<Fields>(
      (schema, name) => ({ type: "object", properties: { [name]: schema } }),
      reference(inputName(within.kind)),
    );
  return declared.request ? objectSchema(fieldsOf(declared.request), "sent") : { type: "object" };
}

function answerSchema(operation: RoutedOperation): Fields {
  const { verb, spec } = operation;
  const answer = functionOf(operation)?.answer;
  if (verb === "list")
    return {
      type: "object",
      properties: {
        ...listSchema(spec.collection, spec.kind),
        nextPageToken: { type: "string" },
        totalSize: { type: "integer" },
      },
    };
  if (verb === "create" || verb === "get" || verb === "update") return reference(answerName(spec.kind));
  if (!answer || "one" in answer) return { type: "object" };
  return "all" in answer
    ? { type: "object", properties: listSchema(answer.as, answer.all) }
    : objectSchema(fieldsOf(answer.message), "answered");
}

const listSchema = (collection: string, kind: string): Fields => ({
  [collection]: { type: "array", items: reference(answerName(kind)) },
});
