import type { Field } from "../../provider/core/fields/fields";
import { allSpecs, specs } from "../../provider/resources/index";
import { inputFacts, sentencesIn } from "../../tools/schema/facts";
import { at, declared, differing, spec, tableOf, within } from "./declared";
import { limits } from "./reference/limits";
import { secretPositions } from "./reference/secret-positions";
import { reference, settableKinds } from "./reference/tables";
import { notTold, told } from "./reference/told";
import type { FieldFact, Kind, SettableKind } from "./reference/types";

/** Kinds of object; the progress of a job is a message of the jobs. */
const kinds = (Object.keys(reference) as Kind[]).filter((kind) => kind !== "JobProgress");

const isOutput = (kind: string, { path }: FieldFact): boolean =>
  spec(kind).fields.outputs.some(
    (field) => path === field.name || (/^[.[{]/.test(path.slice(field.name.length)) && path.startsWith(field.name)),
  ) || at(kind, path).markers.outputOnly === true;

const membersNotShown = (kind: Kind, path: string): boolean =>
  reference[kind].fields.some((fact) => fact.membersNotShown && path.startsWith(`${fact.path}.`));

const typesOf = ({ type, orType }: FieldFact): readonly string[] => {
  if (orType) return ["any"];
  if (type === "unshown") return ["string", "integer", "number", "any"];
  return [type === "enum" || type === "date-time" ? "string" : type];
};

const sorted = (values: readonly string[]): string[] => [...values].sort();

test.each(kinds)("%s has every field of the reference and no other", (kind) => {
  const facts = reference[kind].fields.map(({ path }) => path);
  const own = declared(kind)
    .map(({ path }) => path)
    .filter((path) => facts.includes(path) || !membersNotShown(kind, path));
  const table = tableOf(kind);
  expect({ table, fields: sorted(own) }).toEqual({ table, fields: sorted(facts) });
});

test.each(kinds)("fields of %s have the reference's types", (kind) => {
  const wrong = reference[kind].fields.filter((fact) => !typesOf(fact).includes(at(kind, fact.path).type));
  expect(wrong.map((fact) => [tableOf(kind), fact.path, at(kind, fact.path).type])).toEqual([]);
  const times = reference[kind].fields.filter(({ type }) => type === "date-time").map(({ path }) => path);
  expect(
    declared(kind)
      .filter(({ format, path }) => format === "date-time" && !membersNotShown(kind, path))
      .map(({ path }) => path),
  ).toEqual(expect.arrayContaining(times));
});

test.each(kinds)("enums of %s have the documented values; only those that grant access are closed", (kind) => {
  const named = reference[kind].fields.filter((fact) => fact.enum && !fact.orType);
  expect(
    differing(
      kind,
      named,
      ({ values }) => sorted(values ?? []),
      (fact) => sorted(fact.enum!),
    ),
  ).toEqual([]);
  expect(
    differing(
      kind,
      named,
      ({ closed }) => closed,
      (fact) => fact.closed === true,
    ),
  ).toEqual([]);
});

test.each(kinds)("what the service alone sets on %s is an output, and the rest is the program's", (kind) => {
  const facts = reference[kind].fields.filter(({ path }) => path !== "name");
  expect(facts.filter((fact) => isOutput(kind, fact) !== (fact.readOnly === true)).map(({ path }) => path)).toEqual([]);
});

/** Required by us: a create without an id is repeated only by this natural key (A092). */
const requiredByIdentity: readonly string[] = ["DeployedModel model", "DeployedModel deployment"];

test.each(settableKinds)("a program must give of %s what every request must carry", (kind) => {
  const facts = reference[kind].fields.filter(
    (fact) => !fact.readOnly && fact.path !== "name" && !/[\]}]$/.test(fact.path),
  );
  expect(
    differing(
      kind,
      facts,
      ({ required }) => required,
      (fact) => fact.required === true || requiredByIdentity.includes(`${kind} ${fact.path}`),
    ),
  ).toEqual([]);
});

test.each(kinds)("an answer of %s must have what the reference says, and a name", (kind) => {
  const facts = reference[kind].fields.filter(
    (fact) => isOutput(kind, fact) && /^\w+$/.test(fact.path) && fact.path !== "name",
  );
  expect(
    differing(
      kind,
      facts,
      ({ required }) => required,
      (fact) => fact.requiredInResponse === true,
    ),
  ).toEqual([]);
});

test.each(kinds)("deprecated fields of %s say so", (kind) => {
  expect(
    differing(
      kind,
      reference[kind].fields,
      ({ markers }) => markers.deprecated !== undefined,
      (fact) => fact.deprecated === true,
    ),
  ).toEqual([]);
});

test.each(kinds)("limits of %s are the documented ones; counts start at zero", (kind) => {
  const counts = ({ type, minimum }: Field, fact: FieldFact) =>
    fact.min === undefined && type === "integer" && minimum === 0 ? undefined : minimum;
  expect(
    differing(
      kind,
      reference[kind].fields,
      (field, fact) => [field.maxLength, counts(field, fact), field.maximum],
      (fact) => [fact.maxLength, fact.min, fact.max],
    ),
  ).toEqual([]);
});

/** All that a hover and a page say about a field. */
const saidOf = (field: Field): string =>
  [field.description, ...sentencesIn(inputFacts(field))].join(" ").replaceAll("`", "");

test("limits that no type expresses are in the descriptions", () => {
  for (const { kind, path, maxEntries, default: value } of limits) {
    if (maxEntries !== undefined) expect(saidOf(at(kind, path))).toContain(`${maxEntries} pairs`);
    if (value !== undefined) expect(saidOf(at(kind, path))).toContain(`Default: ${String(value)}.`);
  }
});

test("rules that no type expresses are in the descriptions", () => {
  const lost = told.flatMap(({ kind, path, says }) => {
    const { description } = at(kind, path);
    return says.filter((text) => !description.includes(text)).map((text) => ({ kind, path, text, description }));
  });
  expect(lost).toEqual([]);
});

test("descriptions make up no units, ranges and defaults", () => {
  const invented = notTold.flatMap(({ kind, path, invents }) => {
    const said = saidOf(at(kind, path));
    return invents.filter((text) => said.includes(text)).map((text) => ({ kind, path, text, said }));
  });
  expect(invented).toEqual([]);
});

test.each(settableKinds)("map keys of %s that must have a prefix have it", (kind) => {
  expect(
    differing(
      kind,
      reference[kind].fields,
      ({ markers }) => markers.keyPrefix,
      (fact) => fact.keyPrefix,
    ),
  ).toEqual([]);
});

test.each(settableKinds)("what %s accepts and never answers is input only", (kind) => {
  const facts = reference[kind].fields.filter(({ path }) => path !== "trackingConfig.apiKey");
  expect(
    differing(
      kind,
      facts,
      ({ markers }) => markers.inputOnly === true,
      (fact) => fact.inputOnly === true,
    ),
  ).toEqual([]);
});

test.each(allSpecs.map(({ kind }) => kind))("secrets of %s stand where the conventions say (A004)", (kind) => {
  const holds = (field: Field): boolean => within(field).some(({ markers }) => markers.secret);
  const innermost = (field: Field): string[] => {
    const inner = [...(field.fields ?? []), ...(field.item ? [field.item] : [])].filter(holds);
    return inner.length > 0 ? inner.flatMap(innermost) : [field.path];
  };
  const { message, outputs } = spec(kind).fields;
  expect(sorted([...message, ...outputs].filter(holds).flatMap(innermost))).toEqual(
    sorted(secretPositions[kind as Kind] ?? []),
  );
});

test("a secret in a message makes the whole property secret, as engines know them", () => {
  const holders = allSpecs.flatMap((each) =>
    each.fields.message.filter((field) => within(field).some(({ markers }) => markers.secret)),
  );
  expect(holders.filter(({ markers }) => !markers.secret).map(({ name }) => name)).toEqual([]);
});

test.each(settableKinds.map((kind) => [kind, reference[kind].name!] as const))(
  "%s has its resource name",
  (kind, name) => {
    expect(spec(kind).name.replaceAll(/\{\w+\}/g, "{}")).toBe(name.replaceAll(/\{\w+\}/g, "{}"));
  },
);

test.each(["DeploymentShapeVersion", "Account"] as const)("%s has its resource name", (kind) => {
  expect(spec(kind).name.replaceAll(/\{\w+\}/g, "{}")).toBe(reference[kind].name!.replaceAll(/\{\w+\}/g, "{}"));
});

test("a deployment shape is what its versions keep a snapshot of", () => {
  const snapshot = reference.DeploymentShapeVersion.fields
    .filter(({ path }) => path.startsWith("snapshot."))
    .map(({ path }) => path.replace("snapshot.", ""));
  expect(sorted(specs.DeploymentShape.fields.outputs.map(({ name }) => name))).toEqual(sorted(snapshot));
});

test("programs can declare what the reference lets them set, and nothing else", () => {
  const settable = allSpecs.filter(({ fields }) => fields.message.length > 0).map(({ kind }) => kind);
  expect(sorted(settable)).toEqual(sorted(settableKinds as readonly SettableKind[] as string[]));
});

test("each list that a program gives is judged: its order does not matter", () => {
  const lists = settableKinds.flatMap((kind) =>
    declared(kind).flatMap(({ path, type, markers }) => (type === "array" ? [[`${kind}.${path}`, markers.setOf]] : [])),
  );
  expect(Object.fromEntries(lists)).toEqual({
    "Deployment.placement.regions": true,
    "Deployment.directRouteApiKeys": true,
    "Model.baseModelDetails.modelHubFiles": true,
    "Model.peftDetails.targetModules": true,
    "PolicySettings.rules": "model",
    "RlorTrainerJob.rewardWeights": true,
    "RlorTrainerJob.trainingConfig.loraTargetModules": true,
  });
});
