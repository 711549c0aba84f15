import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { ascending } from "../../provider/core/values/grouping";
import { lastSegment } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import { canRead, deniedError, platform } from "../access";
import { render } from "../answers";
import { invalidField, invalidRequest } from "../refusals";
import type { Fields, StoredObject, World } from "../types";
import { parseBody } from "../validate";
import { baseOf, shapeModels } from "./models";
import { geographyOf, residencyOf } from "./policy-settings";
import type { Service, ServiceCall } from "./service";

const deployment = specs.Deployment as unknown as ResourceSpec;
const version = specs.DeploymentShapeVersion as unknown as ResourceSpec;

const snapshotOf = (shape: StoredObject): Fields => (shape.fields["snapshot"] ?? {}) as Fields;

/** Members of a deployment that a shape decides, with their names in its snapshot (A047). */
const owned: readonly { field: Field; name: string; inSnapshot: string }[] = [
  ...deployment.fields.message,
  ...deployment.fields.directives,
].flatMap((field) => {
  const { ownedBy } = field.markers;
  return ownedBy ? [{ field, name: field.name, inSnapshot: ownedBy.as ?? field.name }] : [];
});

/** Versions that an account may use: its own and public ones. */
const usableVersions = (world: World, account: string): StoredObject[] =>
  world
    .list(version.kind)
    .filter((shape) => shape.name.startsWith(`accounts/${account}/`) || shape.fields["public"] === true);

/**
 * Usable validated versions for a model, or for what it was made from: each shape's
 * latest first, older shapes before newer ones.
 */
function versionsFor(world: World, account: string, model: string): StoredObject[] {
  const names = new Set(shapeModels(world, model));
  const fit = usableVersions(world, account).filter(
    (shape) => shape.fields["validated"] === true && names.has(String(snapshotOf(shape)["baseModel"])),
  );
  const rank = (shape: StoredObject) =>
    `${shape.fields["latestValidated"] === true ? 0 : 1} ${String(snapshotOf(shape)["createTime"])}`;
  return fit.sort((a, b) => ascending(rank(a), rank(b)));
}

const speculation = ["draftModel", "draftTokenCount", "ngramSpeculationLength"] as const;

/** A request that turns speculation off, without what it says of speculation. */
export const withoutSpeculation = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !(speculation as readonly string[]).includes(name)));

/** A shape that says nothing of the flag speculates where it has a draft model or looks back for n-grams. */
function snapshotFor({ fields: { snapshot = {} } }: StoredObject): Fields {
  const members = snapshot as Fields;
  return speculation.some((name) => Boolean(members[name]))
    ? { disableSpeculativeDecoding: false, ...members }
    : members;
}

/** Fields of the request that contradict a shape. What the snapshot does not say, the request may. */
function conflictsWith(shape: StoredObject, fields: Fields): string[] {
  const snapshot = snapshotFor(shape);
  return owned
    .filter(
      ({ field, name, inSnapshot }) =>
        isProvided(field, fields[name]) && snapshot[inSnapshot] !== undefined && snapshot[inSnapshot] !== fields[name],
    )
    .map(({ name }) => name);
}

/**
 * `false` is as much the request's word as `true`: a shape overrides neither. An empty
 * text and a zero leave a default to the service.
 */
function isProvided(field: Field, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return field.markers.zero === "value" || (value !== 0 && value !== "" && !String(value).endsWith("_UNSPECIFIED"));
}

/** The members that a shape decides, as it has them. */
export function shapedFields(shape: StoredObject): Fields {
  const snapshot = snapshotOf(shape);
  return Object.fromEntries(
    owned.flatMap(({ field, name, inSnapshot }) =>
      field.markers.directive || snapshot[inSnapshot] === undefined ? [] : [[name, snapshot[inSnapshot]]],
    ),
  );
}

export const isOwned = (name: string): boolean => owned.some((member) => member.name === name);

interface ShapeRequest {
  /** What the request gives as `deploymentShape`. */
  input: string;
  model: string;
  /** Members that the request sets, its directives included. */
  fields: Fields;
  /** Whether a version that is not validated will do. */
  unvalidated: boolean;
}

/** The version that a `deploymentShape` resolves to. Throws an error that names conflicts and what would fit. */
export function resolveShape(world: World, account: string, request: ShapeRequest): StoredObject {
  return request.input === "default" ? pickShape(world, account, request) : namedShape(world, account, request);
}

function pickShape(world: World, account: string, { model, fields }: ShapeRequest): StoredObject {
  const compatible = latestOnly(versionsFor(world, account, model));
  const fit = compatible.find((shape) => conflictsWith(shape, fields).length === 0);
  if (fit) return fit;
  if (compatible.length === 0)
    throw invalidField(
      "deploymentShape",
      `no validated shape is compatible with ${model}; name a shape, or leave \`deploymentShape\` out`,
    );
  throw conflict(compatible, [...new Set(compatible.flatMap((shape) => conflictsWith(shape, fields)))]);
}

const conflict = (compatible: readonly StoredObject[], names: readonly string[]) =>
  invalidRequest([
    ...names.map((field) => ({ field, description: "conflicts with every compatible shape" })),
    { field: "deploymentShape", description: `compatible shapes: ${compatible.map((shape) => shape.name).join(", ")}` },
  ]);

/** One version of each shape: the latest validated one. */
const latestOnly = (shapes: readonly StoredObject[]): StoredObject[] =>
  shapes.filter((shape) => shape.fields["latestValidated"] === true);

function namedShape(world: World, account: string, { input, model, fields, unvalidated }: ShapeRequest): StoredObject {
  const versions = usableVersions(world, account).filter(
    (shape) => shape.name === input || inShape(shape, input, account),
  );
  const validated = versions.filter((shape) => shape.fields["validated"] === true);
  const choice = unvalidated ? versions : validated;
  if (versions.length === 0) throw invalidField("deploymentShape", `${input} does not exist`);
  if (choice.length === 0)
    throw invalidField(
      "deploymentShape",
      `${input} is not validated; pass \`skipShapeValidation=true\` to use it all the same`,
    );
  const shape = choice.find((candidate) => candidate.fields["latestValidated"] === true) ?? choice.at(-1)!;
  if (!shapeModels(world, model).includes(String(snapshotOf(shape)["baseModel"]))) {
    const fit = latestOnly(versionsFor(world, account, model)).map((candidate) => candidate.name);
    throw invalidField(
      "deploymentShape",
      `${input} is for ${String(snapshotOf(shape)["baseModel"])}, not for ${model}; compatible shapes: ${fit.join(", ") || "none"}`,
    );
  }
  const names = conflictsWith(shape, fields);
  if (names.length > 0)
    throw invalidRequest(names.map((field) => ({ field, description: `conflicts with the shape ${shape.name}` })));
  return shape;
}

/** A shape by its name, or by its id alone in the account or the platform's (A047). */
function inShape(shape: StoredObject, input: string, account: string): boolean {
  const parent = shape.name.slice(0, shape.name.lastIndexOf("/versions/"));
  return input.includes("/")
    ? parent === input
    : lastSegment(parent) === input &&
        (parent.startsWith(`accounts/${account}/`) || parent.startsWith(`accounts/${platform}/`));
}

/** Versions with which a deployment could be created (A020). */
function match(call: ServiceCall): Fields {
  const { world, request, account, settings, caller } = call;
  if (!canRead(caller, account, undefined)) throw deniedError(`accounts/${account}`, settings);
  const order = (request.body as Fields | undefined)?.["createDeploymentRequest"] as Fields | undefined;
  if (order === undefined || order === null || typeof order !== "object")
    throw invalidField("createDeploymentRequest", "is required");
  const { fields } = parseBody(deployment, order["deployment"] ?? {}, { settings, update: false });
  const shapes = latestOnly(versionsFor(world, account, String(fields["baseModel"]))).filter(
    (shape) => conflictsWith(shape, fields).length === 0,
  );
  return {
    [version.collection]: shapes.map((shape) =>
      render(version, shape.fields, { emitUnset: settings.emitUnset, allKeys: false }),
    ),
  };
}

export const shapeVersions: Service = { collectionVerbs: { match } };

/** Which accelerators a deployment runs on, and where. */

const members = ["acceleratorType", "acceleratorCount", "precision"] as const;

const regions = (specs.Deployment.fields.outputs.find((field: Field) => field.name === "region")?.values ?? []).filter(
  (region) => !region.endsWith("_UNSPECIFIED"),
);

/**
 * What the service picks where the request is silent: what the model's first fitting
 * shape has, else the least that the model needs.
 */
export function hardwareFor(world: World, fields: Fields): Fields {
  const model = String(fields["baseModel"]);
  const own = String(fields["name"]).split("/")[1]!;
  const shape = versionsFor(world, own, model).find((candidate) => fits(candidate, fields));
  const base = world.get(baseOf(world, model))?.fields ?? {};
  const details = (base["baseModelDetails"] ?? {}) as Fields;
  const picked: Fields = shape
    ? snapshotOf(shape)
    : {
        acceleratorCount: details["worldSize"] ?? 1,
        precision: base["calibrated"] === true ? details["defaultPrecision"] : undefined,
      };
  const silent = members.filter((member) => !isSet(fields, member) && picked[member] !== undefined);
  return { ...Object.fromEntries(silent.map((member) => [member, picked[member]])), ...draftFor(base, fields) };
}

/** Speculation by draft model is as the base model has it, unless the request says otherwise. */
function draftFor(base: Fields, fields: Fields): Fields {
  const draftModel = fields["draftModel"] ?? base["defaultDraftModel"];
  if (draftModel === undefined || draftModel === "") return {};
  const count = isSet(fields, "draftTokenCount") ? fields["draftTokenCount"] : base["defaultDraftTokenCount"];
  return omitUndefined({ draftModel, draftTokenCount: count });
}

function isSet(fields: Fields, member: string): boolean {
  const value = fields[member];
  return (
    value !== undefined && value !== null && value !== 0 && value !== "" && !String(value).endsWith("_UNSPECIFIED")
  );
}

const fits = (shape: StoredObject, fields: Fields): boolean =>
  members.every((member) => !isSet(fields, member) || snapshotOf(shape)[member] === fields[member]);

/**
 * Whether a combination works: it fails if the model's shapes are known and none has it, or if the model is not
 * calibrated for it.
 */
export function outcomeOf(world: World, fields: Fields): "serves" | "fails" {
  const own = String(fields["name"]).split("/")[1]!;
  const model = String(fields["baseModel"]);
  const shapes = versionsFor(world, own, model);
  if (fields["deploymentShape"] !== undefined && fields["deploymentShape"] !== "") return "serves";
  if (shapes.length > 0) return shapes.some((shape) => fits(shape, fields)) ? "serves" : "fails";
  const known = world.get(model);
  const reduced = isSet(fields, "precision") && fields["precision"] !== "FP16";
  return known !== undefined && known.fields["calibrated"] !== true && reduced ? "fails" : "serves";
}

/** A region within the placement, and within the account's residency where there is no placement. */
export function regionFor(world: World, account: string, fields: Fields): string {
  const {
    region,
    multiRegion,
    regions: several,
  } = (fields["placement"] ?? {}) as { region?: string; multiRegion?: string; regions?: string[] };
  if (region !== undefined && region !== "") return region;
  if (several?.[0] !== undefined) return several[0];
  const geography =
    multiRegion === undefined || multiRegion.endsWith("_UNSPECIFIED") ? residencyOf(world, account) : multiRegion;
  return regions.find((candidate) => geographyOf(candidate) === geography) ?? regions[0]!;
}
