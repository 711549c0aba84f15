import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import { openApi } from "../../emulator/http/openapi";
import { conventionalOperations } from "../contract/reference/conventional-operations";
import { listedOperations, uploadEndpointBody, uploadEndpointResponse } from "../contract/reference/operations";
import { reference, settableFields } from "../contract/reference/tables";
import type { FieldFact, Kind, SettableKind } from "../contract/reference/types";
import { client } from "./edge-client";

type Schema = Record<string, any>;

const document: Schema = JSON.parse(JSON.stringify(openApi()));

const served = new Map<string, Schema>(
  Object.values<Schema>(document["paths"]).flatMap((methods) =>
    Object.values<Schema>(methods).map((operation) => [operation["operationId"], operation]),
  ),
);

const resolved = (schema: Schema): Schema =>
  schema["$ref"]
    ? { ...resolved(document["components"].schemas[schema["$ref"].split("/").at(-1)]), ...schema }
    : schema["anyOf"]
      ? resolved({ ...schema["anyOf"][0], ...(schema["readOnly"] && { readOnly: true }) })
      : schema;

/** The schema at a path such as `a.b[].c`, from that of an object. */
const at = (root: Schema, path: string): Schema =>
  path.split(/\.|(?=\[\])|(?=\{\})/).reduce((schema, step) => {
    if (step === "[]") return resolved(schema["items"]);
    return resolved(step === "{}" ? schema["additionalProperties"] : schema["properties"][step]);
  }, resolved(root));

/**
 * What a documented type is in JSON Schema, where null is a value and where it is not;
 * undefined where the reference leaves it open.
 */
const typesOf = ({ type, orType }: FieldFact): readonly unknown[] | undefined => {
  if (orType || type === "unshown") return undefined;
  const plain = type === "enum" || type === "date-time" ? "string" : type === "map" ? "object" : type;
  return [plain, [plain, "null"]];
};

const untyped = (facts: readonly FieldFact[], root: Schema): unknown[] =>
  facts
    .map((fact) => ({ path: fact.path, is: at(root, fact.path)["type"], should: typesOf(fact) }))
    .filter(
      ({ is, should }) => should !== undefined && !should.some((type) => JSON.stringify(type) === JSON.stringify(is)),
    );

const schemas: Schema = document["components"].schemas;

/** The names that a schema has at its top, as facts have them. */
const named = (schema: Schema): string[] => Object.keys(schema["properties"]).sort();

const topLevel = (facts: readonly FieldFact[]): FieldFact[] => facts.filter(({ path }) => /^\w+$/.test(path));

const shownMembers = (kind: Kind): FieldFact[] => {
  const { fields } = reference[kind];
  return fields.filter(({ path }) => !fields.some((fact) => fact.membersNotShown && path.startsWith(`${fact.path}.`)));
};

const kinds = (Object.keys(reference) as Kind[]).filter((kind) => kind !== "JobProgress");

const validator = join(
  dirname(require.resolve("@seriousme/openapi-schema-validator/package.json")),
  "bin/validate-api-cli.js",
);

test("the document is valid OpenAPI", () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  try {
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(document));
    expect(JSON.parse(execFileSync(process.execPath, [validator, file], { encoding: "utf8" }))).toEqual({
      valid: true,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("every operation has its provenance, a conventional one its convention", () => {
  const provenanceOf = (name: string) => [
    name,
    served.get(name)?.["x-provenance"],
    served.get(name)?.["x-convention"] !== undefined,
  ];
  // Nothing is known of a batch job but that it can be deleted, so none can be made.
  const conventional = conventionalOperations
    .map(({ name }) => name)
    .filter((name) => name !== "createBatchInferenceJob");
  expect(conventional.map(provenanceOf)).toEqual(conventional.map((name) => [name, "conventional", true]));
  expect(listedOperations.map(({ name }) => provenanceOf(name).slice(0, 2))).toEqual(
    listedOperations.map(({ name }) => [name, "listed"]),
  );
});

test("every operation takes the query parameters of the reference, with their types", () => {
  for (const { name, query = [] } of listedOperations) {
    const parameters: Schema[] = served.get(name)!["parameters"];
    const inQuery = Object.fromEntries(
      parameters
        .filter((parameter) => parameter["in"] === "query")
        .map((parameter) => [parameter["name"], parameter["schema"].type]),
    );
    expect({ name, inQuery }).toEqual({
      name,
      inQuery: expect.objectContaining(Object.fromEntries(query.map((fact) => [fact.name, fact.type]))),
    });
  }
});

test.each(kinds)("%s is answered with every field of the reference, of its type, and nothing else", (kind) => {
  const schema = schemas[kind];
  const answered = shownMembers(kind).filter(({ path, inputOnly }) => !inputOnly && path !== "trackingConfig.apiKey");
  expect(untyped(answered, schema)).toEqual([]);
  expect(named(schema)).toEqual(
    topLevel(answered)
      .map(({ path }) => path)
      .sort(),
  );
  for (const { path, readOnly } of topLevel(answered).filter((fact) => fact.path !== "name"))
    expect({ path, readOnly: at(schema, path)["readOnly"] }).toEqual({ path, readOnly });
});

test.each(kinds)("an answer of %s must have what the reference says, null only where it may", (kind) => {
  const schema = schemas[kind];
  const { fields } = reference[kind];
  const required = topLevel(fields).filter((fact) => fact.requiredInResponse || fact.required);
  expect(schema["required"] ?? []).toEqual(expect.arrayContaining(required.map(({ path }) => path)));
  const nullable = topLevel(fields).filter(({ path }) => Array.isArray(schema["properties"][path]?.type));
  expect(nullable.map(({ path }) => path).sort()).toEqual(
    topLevel(fields)
      .filter((fact) => fact.nullable)
      .map(({ path }) => path)
      .sort(),
  );
});

const created = [...listedOperations, ...conventionalOperations].filter(
  ({ name, response }) =>
    name.startsWith("create") && typeof response === "object" && "kind" in response && served.has(name),
);

test.each(created.map((fact) => [fact.name, fact] as const))(
  "%s takes what can be set and asks for what must be",
  (name, fact) => {
    const { kind } = fact.response as { kind: SettableKind };
    const settable = settableFields(kind).filter(({ path }) => shownMembers(kind).some((each) => each.path === path));
    const schema = schemas[`${kind}Input`];
    expect(untyped(settable, schema)).toEqual([]);
    const withName = name === "createSecret" ? ["name"] : [];
    expect(named(schema)).toEqual([...topLevel(settable).map(({ path }) => path), ...withName].sort());
    const byIdentity = kind === "DeployedModel" ? ["model", "deployment"] : [];
    const required = topLevel(settable).flatMap((each) => (each.required ? [each.path] : []));
    expect([...(schema["required"] ?? [])].sort()).toEqual([...required, ...withName, ...byIdentity].sort());
  },
);

test.each([
  ["updateUser", ["role"]],
  ["updateSecret", ["keyName"]],
  ["updateDeployedModel", []],
  ["updateDeployment", ["baseModel"]],
  ["updateModel", []],
  ["updatePolicySettings", []],
])("%s asks for %j and nothing else", (name, required) => {
  const { requestBody } = served.get(name)!;
  expect(resolved(requestBody.content["application/json"].schema)["required"] ?? []).toEqual(required);
});

test("what travels one way only is in no schema of the other", () => {
  expect(schemas["Secret"].properties).not.toHaveProperty("value");
  expect(schemas["SecretInput"].properties).toHaveProperty("value.writeOnly", true);
  expect(schemas["TrackingConfig"].properties).not.toHaveProperty("apiKey");
  expect(schemas["TrackingConfigInput"].properties).not.toHaveProperty("url");
  expect(schemas["DeploymentInput"].properties).not.toHaveProperty("state");
});

test("an operation with its own body documents request and response", () => {
  const { requestBody, responses } = served.get("getModelUploadEndpoint")!;
  const [body, answer] = [requestBody, responses["200"]].map(
    (message: Schema) => message["content"]["application/json"].schema,
  );
  expect(untyped(uploadEndpointBody, body)).toEqual([]);
  expect(Object.keys(body["properties"]).sort()).toEqual(
    uploadEndpointBody
      .map(({ path }) => path)
      .filter((path) => /^\w+$/.test(path))
      .sort(),
  );
  expect(untyped(uploadEndpointResponse, answer)).toEqual([]);
  const match = served.get("matchDeploymentShapeVersions")!;
  expect(match["requestBody"].content["application/json"].schema).toEqual({
    type: "object",
    properties: {
      createDeploymentRequest: {
        type: "object",
        properties: { deployment: { $ref: "#/components/schemas/DeploymentInput" } },
      },
    },
  });
});

test("only keywords of JSON Schema and extensions are used", () => {
  const keywords = new Set<string>();
  const collect = (schema: Schema): void => {
    for (const [keyword, value] of Object.entries(schema)) {
      keywords.add(keyword);
      if (keyword === "properties") Object.values<Schema>(value).forEach(collect);
      else if (keyword === "items" || (keyword === "additionalProperties" && typeof value === "object")) collect(value);
    }
  };
  Object.values<Schema>(document["components"].schemas).forEach(collect);
  const allowed = [
    "$ref",
    "additionalProperties",
    "anyOf",
    "deprecated",
    "description",
    "enum",
    "format",
    "items",
    "maxLength",
    "maximum",
    "minimum",
    "properties",
    "readOnly",
    "required",
    "type",
    "writeOnly",
  ];
  expect([...keywords].filter((keyword) => !allowed.includes(keyword) && !keyword.startsWith("x-"))).toEqual([]);
});

test("what the emulator answers is as the document says", async () => {
  const { api, deployment, emulator } = client();
  const chat = await deployment("chat");
  await api("POST", "/v1/accounts/demo/secrets", { name: "accounts/demo/secrets/key", keyName: "KEY", value: "v" });
  await api("POST", "/v1/accounts/demo/users", { email: "ada@example.com", role: "user" });
  await api("POST", "/v1/accounts/demo/supervisedFineTuningJobs", {
    baseModel: "accounts/platform/models/open-8b",
    dataset: "accounts/demo/datasets/d",
    epochs: 1,
  });
  await api("POST", "/v1/accounts/demo/deployedModels", {
    model: "accounts/platform/models/open-8b",
    deployment: chat.slice("/v1/".length),
  });
  await api("PATCH", "/v1/accounts/demo/policySettings", {
    residency: "EUROPE",
    zeroDataRetention: { defaultEnforced: false },
  });
  emulator.world.clock.advance(600_000);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "api", ...document }, "api");
  const seen = new Set<string>();
  for (const { kind, fields } of emulator.world.all()) {
    seen.add(kind);
    const validate = ajv.compile({ $ref: `api#/components/schemas/${kind}` });
    const answer = (await api("GET", `/v1/${String(fields["name"])}`)).json;
    expect({ kind, valid: validate(answer), errors: validate.errors }).toEqual({ kind, valid: true, errors: null });
  }
  expect([...seen].sort()).toEqual([
    "Account",
    "DeployedModel",
    "Deployment",
    "DeploymentShape",
    "DeploymentShapeVersion",
    "Model",
    "PolicySettings",
    "Secret",
    "SupervisedFineTuningJob",
    "User",
  ]);
});
