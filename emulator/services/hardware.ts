import type { Field } from "../../provider/core/fields/fields";
import { omitUndefined } from "../../provider/core/values/values";
import { specs } from "../../provider/resources/index";
import type { Fields, StoredObject, World } from "../types";
import { baseOf } from "./models";
import { geographyOf, residencyOf } from "./policy-settings";
import { snapshotOf, versionsFor } from "./shapes";

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
