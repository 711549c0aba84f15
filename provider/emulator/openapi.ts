import type { Field } from "../core/fields";
import { parametersOf, parseRoute } from "../core/names";
import type { ResourceSpec } from "../core/resource";
import { allSpecs } from "../resources/index";
import { type Operation, operations } from "./routes";
import type { Fields } from "./types";

/** What the emulator serves, as an OpenAPI 3.1 document made from the specs. */
export function openApi(): Fields {
  const paths: Record<string, Fields> = {};
  for (const operation of operations) {
    const path = pathOf(operation);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, path) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Model platform API, as emulated", version: "1", description: "Operations marked `conventional` are not in the API's reference; `x-convention` numbers the decision that they follow." },
    paths,
    components: {
      schemas: Object.fromEntries([...allSpecs.map((spec) => [spec.kind, messageSchema(spec)]), ["Error", errorSchema]]),
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
    },
    security: [{ key: [] }],
  };
}

const errorSchema = {
  type: "object",
  properties: { code: { type: "integer", description: "gRPC status code." }, message: { type: "string" }, details: { type: "array", items: {} } },
};

/** `{name}` is spelt out, because it may hold slashes. */
const pathOf = ({ declared, spec }: Operation): string => parseRoute(declared.route).path.replace("{name}", spec.name);

function operationObject(operation: Operation, path: string): Fields {
  const { name, verb, method, spec, declared, query } = operation;
  const inPath = parametersOf(path).map((parameter) => ({ name: parameter, in: "path", required: true, schema: { type: "string" } }));
  const inQuery = query.map((parameter) => ({ name: parameter, in: "query", schema: querySchema(spec, parameter) }));
  return {
    operationId: name,
    tags: [spec.kind],
    "x-provenance": declared.provenance,
    ...(declared.convention !== undefined && { "x-convention": declared.convention }),
    "x-effect": operation.effect,
    parameters: [...inPath, ...inQuery],
    ...(method !== "GET" && method !== "DELETE" && { requestBody: { content: json(verb === "create" || verb === "update" ? bodySchema(operation) : { type: "object" }) } }),
    responses: { 200: { description: "Done.", content: json(answerSchema(operation)) }, default: { description: "Refused.", content: json(reference("Error")) } },
  };
}

const json = (schema: Fields): Fields => ({ "application/json": { schema } });

const reference = (kind: string): Fields => ({ $ref: `#/components/schemas/${kind}` });

function querySchema(spec: ResourceSpec, parameter: string): Fields {
  const declared = [...spec.fields.directives, ...spec.fields.behaviours].find((field) => field.name === parameter);
  if (declared) return fieldSchema(declared);
  return parameter === "pageSize" ? { type: "integer", maximum: 200, default: 50 } : { type: "string" };
}

function bodySchema({ spec, declared }: Operation): Fields {
  const wrap = declared.body?.wrap;
  if (!wrap) return reference(spec.kind);
  const beside = Object.fromEntries(wrap.beside.map((name) => [name, {}]));
  return { type: "object", properties: { [wrap.id]: { type: "string" }, [wrap.message]: reference(spec.kind), ...beside }, required: [wrap.id] };
}

function answerSchema({ verb, spec }: Operation): Fields {
  switch (verb) {
    case "create":
    case "get":
    case "update":
      return reference(spec.kind);
    case "list":
      return { type: "object", properties: { [spec.collection]: { type: "array", items: reference(spec.kind) }, nextPageToken: { type: "string" }, totalSize: { type: "integer" } } };
    default:
      return { type: "object" };
  }
}

function messageSchema({ summary, fields }: ResourceSpec): Fields {
  const outputs = fields.outputs.map((field) => [field.name, { ...fieldSchema(field), readOnly: true }]);
  const inputs = fields.message.map((field) => [field.name, fieldSchema(field)]);
  const required = fields.message.filter((field) => field.required).map((field) => field.name);
  return { type: "object", description: summary, properties: Object.fromEntries([...outputs, ...inputs]), ...(required.length > 0 && { required }) };
}

function fieldSchema(field: Field): Fields {
  const { markers, minimum, maximum, maxLength, closed, values } = field;
  return {
    ...typeSchema(field),
    ...(field.description !== "" && { description: field.description }),
    ...(values && (closed ? { enum: values } : { "x-known-values": values })),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(markers.inputOnly && { writeOnly: true }),
    ...(markers.deprecated !== undefined && { deprecated: true }),
  };
}

function typeSchema(field: Field): Fields {
  switch (field.type) {
    case "any":
      return {};
    case "array":
      return { type: "array", items: fieldSchema(field.item!) };
    case "map":
      return { type: "object", additionalProperties: fieldSchema(field.item!) };
    case "object":
      return { type: "object", properties: Object.fromEntries(field.fields!.map((member) => [member.name, fieldSchema(member)])), additionalProperties: field.open };
    default:
      return { type: field.type, ...(field.format !== undefined && { format: field.format }) };
  }
}
