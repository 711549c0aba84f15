import type { FunctionSpec } from "../../provider/core/declaration/functions";
import type { OperationSpec } from "../../provider/core/declaration/operation";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { type Field, fieldsOf } from "../../provider/core/fields/fields";
import { parametersOf, parseRoute } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import { functions } from "../../provider/resources/functions";
import { allSpecs } from "../../provider/resources/index";
import { operations, type RoutedOperation } from "../routes";
import type { Fields } from "../types";
import {
  answeredFieldsOf,
  answerName,
  fieldSchema,
  inputName,
  messageSchema,
  namedMessages,
  objectSchema,
  reference,
  updateName,
  withoutNull,
} from "./openapi-schemas";

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
