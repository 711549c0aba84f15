import { distance } from "fastest-levenshtein";
import { badInputs, goodInputs, stepsTo } from "./bad-input";
import { conventionalOperations, policyBody, rlorBody } from "./conventional-operations";
import { codesByStatus, documentedErrors, grpcCodes } from "./errors";
import { limits } from "./limits";
import { defaultOrders, pageSizes, paging, withoutOrderBy } from "./lists";
import {
  mutableDeploymentFields,
  mutableModelFields,
  notSemanticJobFields,
  replacingDeploymentFields,
  replacingModelFields,
} from "./mutability";
import {
  deployedModelBody,
  deploymentBody,
  jobBody,
  listedOperations,
  uploadEndpointBody,
  uploadEndpointResponse,
  userBody,
} from "./operations";
import { secretPositions } from "./secret-positions";
import { jobStateClasses, jobStates, undocumentedJobStates } from "./states";
import { reference, settableFields, settableKinds } from "./tables";
import type { FieldFact, Kind, SettableKind } from "./types";
import { valid } from "./valid";
import { violations } from "./violations";

const kinds = Object.keys(reference) as Kind[];
const operations = [...listedOperations, ...conventionalOperations];
const sorted = (values: readonly unknown[]) => [...values].map(String).sort();
const repeated = (values: readonly string[]) => values.filter((value, i) => values.indexOf(value) !== i);
const at = (facts: readonly FieldFact[], path: string) => facts.find((fact) => fact.path === path);
const topLevel = (kind: SettableKind) =>
  settableFields(kind)
    .map(({ path }) => path)
    .filter((path) => /^\w+$/.test(path));

const everyTable: [string, readonly FieldFact[]][] = [
  ...kinds.map((kind): [string, readonly FieldFact[]] => [kind, reference[kind].fields]),
  ["upload endpoint request", uploadEndpointBody],
  ["upload endpoint response", uploadEndpointResponse],
];

test.each(everyTable)("paths of %s are unique and stand under a field that holds them", (_, facts) => {
  expect(repeated(facts.map(({ path }) => path))).toEqual([]);
  for (const { path } of facts) {
    const parent = path.replace(/(\.\w+|\[\]|\{\})$/, "");
    if (parent === path) continue;
    const holder = path.endsWith("[]") ? "array" : path.endsWith("{}") ? "map" : "object";
    expect([path, at(facts, parent)?.type]).toEqual([path, holder]);
  }
});

test.each(everyTable)("containers of %s say what is in them", (_, facts) => {
  for (const { path, type, membersNotShown } of facts) {
    if (type === "array") expect(at(facts, `${path}[]`)).toBeDefined();
    if (type === "map") expect(at(facts, `${path}{}`)).toBeDefined();
    if (type === "object" && !membersNotShown)
      expect(facts.some((fact) => fact.path.startsWith(`${path}.`))).toBe(true);
  }
});

test.each(everyTable)("enums of %s have values, each once, and their default is one of them", (_, facts) => {
  for (const fact of facts) {
    if (fact.type === "enum" && !fact.enumPartial) expect(fact.enum).toBeDefined();
    if (!fact.enum) continue;
    expect(fact.enum.length).toBeGreaterThan(0);
    expect(repeated(fact.enum)).toEqual([]);
    if (fact.default !== undefined) expect(fact.enum).toContain(fact.default);
  }
});

test.each(everyTable)("what is under an output of %s is an output too", (_, facts) => {
  const outputs = facts.filter((fact) => fact.readOnly);
  for (const { path } of outputs) {
    const members = facts.filter((fact) => /^[.[{]/.test(fact.path.slice(path.length)) && fact.path.startsWith(path));
    expect(members.filter((fact) => !fact.readOnly)).toEqual([]);
  }
});

test.each(kinds)("markers of %s name fields that exist", (kind) => {
  const { fields } = reference[kind];
  for (const fact of fields) {
    const conditions = [...(fact.validOnlyWith ?? []), ...(fact.requiredWhen ?? [])];
    for (const other of [...(fact.exclusiveWith ?? []), ...(fact.requires ?? []), ...conditions.map((c) => c.field)]) {
      expect(at(fields, other)).toBeDefined();
    }
    for (const { field, values } of conditions) {
      for (const value of values) expect(at(fields, field)?.enum ?? [true]).toContain(value);
    }
  }
});

test("exclusion is mutual", () => {
  for (const kind of kinds) {
    for (const { path, exclusiveWith = [] } of reference[kind].fields) {
      for (const other of exclusiveWith) expect(at(reference[kind].fields, other)?.exclusiveWith).toContain(path);
    }
  }
});

test.each(kinds)("rules of %s have unique ids and examples on both sides", (kind) => {
  const { rules, circumstances } = reference[kind];
  expect(repeated([...rules, ...circumstances].map(({ id }) => id))).toEqual([]);
  for (const rule of rules) {
    expect(rule.valid.length).toBeGreaterThan(0);
    expect(rule.invalid.length).toBeGreaterThan(0);
  }
});

test("a resource with states has a field that lists them", () => {
  for (const kind of kinds) {
    const { fields, states } = reference[kind];
    const field = at(fields, "state") ?? at(fields, "status");
    if (states) expect(field?.enum).toEqual(states);
  }
});

test("enums that grant access are closed and no others", () => {
  const closed = kinds.flatMap((kind) =>
    reference[kind].fields.filter((f) => f.closed).map(({ path }) => `${kind} ${path}`),
  );
  expect(sorted(closed)).toEqual([
    "PolicySettings residency",
    "PolicySettings zeroDataRetention.inference.enforcement",
    "PolicySettings zeroDataRetention.training.enforcement",
    "User role",
  ]);
});

test.each(settableKinds)("some valid body of %s sets each field that can be set, and only such fields", (kind) => {
  const bodies = [valid[kind].minimal, ...valid[kind].full];
  const settable = settableFields(kind);
  for (const { path } of settable) expect([path, bodies.some((body) => stepsTo(path, body))]).toEqual([path, true]);
  for (const body of bodies) expect(violations(settable, body)).toEqual([]);
});

test("good inputs break no fact but the ones that are warnings", () => {
  for (const { resource, description, body, warnsAt } of goodInputs) {
    const broken = violations(reference[resource].fields, body);
    const settled = broken.filter(({ path }) => !at(reference[resource].fields, path)?.enumPartial);
    expect([description, settled]).toEqual([description, warnsAt ? [{ path: warnsAt, rule: "enum" }] : []]);
  }
});

test("bad inputs break one thing, at the expected property", () => {
  for (const { resource, description, body, query, path, orPath } of badInputs) {
    if (query) continue;
    const broken = [...new Set(violations(reference[resource].fields, body).map((violation) => violation.path))];
    const expected = orPath && broken.length > 1 ? [path, orPath] : [path];
    expect([description, sorted(broken)]).toEqual([description, sorted(expected)]);
  }
});

test("examples of stored responses have documented fields only", () => {
  const { fields, rules } = reference.StoredResponse;
  for (const rule of rules) {
    for (const { body } of [...rule.valid, ...rule.invalid]) expect(violations(fields, body)).toEqual([]);
  }
});

test("a near miss is nearest to its suggestion alone", () => {
  for (const { resource, description, body, path, suggestion, rule } of badInputs) {
    if (!suggestion) continue;
    const facts = reference[resource].fields;
    const generic = path.replaceAll(/\[\d+\]/g, "[]");
    const parent = generic.replace(/\.?\w+$/, "");
    const typo = rule === "unknown" ? generic.slice(parent ? parent.length + 1 : 0) : valueAtPath(body, path);
    const words =
      rule === "unknown"
        ? facts
            .map((fact) => fact.path)
            .filter((p) => p.replace(/\.?\w+$/, "") === parent)
            .map((p) => p.replace(/^.*\./, ""))
        : (at(facts, generic)?.enum ?? []);
    const near = words.filter((word) => distance(String(typo), word) <= 1);
    expect([description, near]).toEqual([description, [suggestion]]);
  }
});

function valueAtPath(body: object, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], body);
}

test("every documented length is a bad input one code point later, and good before", () => {
  const long = badInputs.filter(({ rule }) => rule === "maxLength");
  const documented = limits.filter(({ maxLength }) => maxLength !== undefined);
  expect(documented.length).toBeGreaterThan(3);
  expect(sorted([...new Set(long.map(({ resource, path }) => `${resource} ${path}`))])).toEqual(
    sorted(documented.map(({ kind, path }) => `${kind} ${path}`)),
  );
});

test("the 17 listed operations have their fixed names, once each", () => {
  expect(listedOperations.map(({ name }) => name)).toEqual([
    "getPolicySettings",
    "listDeploymentShapeVersions",
    "createSupervisedFineTuningJob",
    "listSupervisedFineTuningJobs",
    "updateDeployedModel",
    "listDeployedModels",
    "createUser",
    "updateUser",
    "listAccounts",
    "getModel",
    "getRlorTrainerJob",
    "listRlorTrainerJobs",
    "getResponse",
    "createDeployment",
    "getModelUploadEndpoint",
    "updateSecret",
    "deleteBatchInferenceJob",
  ]);
  expect(listedOperations.map(({ section }) => section)).toEqual(listedOperations.map((_, i) => `4.${i + 1}`));
});

test("operations are unique by name and by method and path", () => {
  expect(repeated(operations.map(({ name }) => name))).toEqual([]);
  expect(repeated(operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`))).toEqual([]);
});

test("conventional operations cite conventions, listed ones sections", () => {
  for (const { by = [] } of conventionalOperations) expect(by.join()).toMatch(/^A\d{3}(,A\d{3})*$/);
  for (const { by } of listedOperations) expect(by).toBeUndefined();
});

test("GET reads and everything else writes, with four exceptions", () => {
  const odd = operations.filter(({ method, effect }) => effect !== (method === "GET" ? "read" : "write"));
  expect(odd.map(({ method, name, effect }) => `${method} ${name} ${effect}`)).toEqual([
    "POST getModelUploadEndpoint mintsCredential",
    "POST matchDeploymentShapeVersions readViaPost",
    "GET validateModelUpload write",
    "GET getModelDownloadEndpoint mintsCredential",
  ]);
});

test("required body fields are body fields, wildcards are path parameters", () => {
  for (const { body = [], requiredBody = [], wildcards = [], path } of operations) {
    expect(body).toEqual(expect.arrayContaining([...requiredBody]));
    for (const wildcard of wildcards) expect(path).toContain(`{${wildcard}}`);
  }
});

test("the bodies of operations are what the resources' tables say can be set", () => {
  expect(sorted(jobBody)).toEqual(sorted(topLevel("SupervisedFineTuningJob")));
  expect(sorted(deploymentBody)).toEqual(sorted(topLevel("Deployment")));
  expect(sorted(deployedModelBody)).toEqual(sorted(topLevel("DeployedModel")));
  expect(sorted(userBody)).toEqual(sorted(topLevel("User")));
  expect(sorted(rlorBody)).toEqual(sorted(topLevel("RlorTrainerJob")));
  expect(sorted(policyBody)).toEqual(sorted(topLevel("PolicySettings")));
  expect(["keyName", "value"]).toEqual(topLevel("Secret"));
});

test("all but two fields of a deployment and a model are mutable or replace it", () => {
  expect(sorted([...mutableDeploymentFields, ...replacingDeploymentFields])).toEqual(
    sorted(topLevel("Deployment").filter((path) => !["expireTime", "disableDeploymentSizeValidation"].includes(path))),
  );
  expect(sorted([...mutableModelFields, ...replacingModelFields])).toEqual(sorted(topLevel("Model")));
  expect(topLevel("SupervisedFineTuningJob")).toEqual(expect.arrayContaining([...notSemanticJobFields]));
});

test("each job state has one class", () => {
  const classified = Object.values(jobStateClasses).flat();
  expect(sorted(classified)).toEqual(sorted([...jobStates, ...undocumentedJobStates]));
});

test("secret positions are fields", () => {
  for (const [kind, paths] of Object.entries(secretPositions)) {
    for (const path of paths) expect(at(reference[kind as Kind].fields, path)).toBeDefined();
  }
});

test("the limits are those of the fields", () => {
  for (const { id, kind, path, ...limit } of limits) {
    expect([id, at(reference[kind].fields, path)]).toEqual([id, expect.objectContaining(limit)]);
  }
  const limited = (fact: FieldFact) =>
    [fact.maxLength, fact.maxEntries, fact.min, fact.max].some((l) => l !== undefined);
  const stated = kinds.flatMap((kind) => reference[kind].fields.filter(limited).map(({ path }) => `${kind} ${path}`));
  expect(limits.map(({ kind, path }) => `${kind} ${path}`)).toEqual(expect.arrayContaining(stated));
});

test("list operations have the paging of the paging table and its default orders", () => {
  const listing = operations.filter(
    ({ response }) => typeof response === "object" && "list" in response && response.of,
  );
  for (const { name, query, defaultOrder, method } of listing.filter(({ method }) => method === "GET")) {
    expect(query).toContainEqual({
      name: "pageSize",
      type: "integer",
      default: paging.defaultPageSize,
      max: paging.maxPageSize,
    });
    expect([name, method, query.some((parameter) => parameter.name === "orderBy")]).toEqual([
      name,
      "GET",
      !(withoutOrderBy as readonly string[]).includes(name),
    ]);
    expect([name, defaultOrder]).toEqual([name, defaultOrders[name]]);
  }
  for (const { asked, used } of pageSizes) {
    expect(used).toBe(Math.min(asked || paging.defaultPageSize, paging.maxPageSize));
  }
});

test("statuses and codes agree", () => {
  const codes = Object.values(codesByStatus).flat();
  expect(codes.map(Number).sort((a, b) => a - b)).toEqual(Object.values(grpcCodes));
  for (const { http, code } of documentedErrors) if (http && code) expect(codesByStatus[http]).toContain(code);
});
