import fc from "fast-check";
import { findingOf } from "../../../drift/scan/finding";
import type { Finding } from "../../../drift/scan/finding-document";
import { createJudgement, judge } from "../../../drift/scan/verdict";
import { check } from "../../../provider/core/check";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import { isCompared } from "../../../provider/core/fields/equality";
import { parsePath, valueAt } from "../../../provider/core/values/values";
import { managedSpecs } from "../../../provider/resources/index";
import { type AnsweringService, answerFor, type Draw, services, zeroOf } from "../../core/answering-service";
import { checkedInputsOf, valueOf } from "../../core/arbitraries";
import { changedByHand } from "../../core/changed-by-hand";
import { outputsFor } from "../../core/records";
import { origin, recordedStack } from "../../drift/support/stacks";
import type { Values } from "../../values";
import type { DrawnResource } from "./program";

/** An object, what a program says of it, and what has become of it since. */
export interface Lot extends DrawnResource {
  /** Full name of the object. */
  object: string;
  isManaged: boolean;
  /** What the service answered when it was recorded. */
  first: Values;
  /** Undefined: it is gone. */
  live: Values | undefined;
  finding: Finding | undefined;
}

/** Some resources, most of which have drifted. */
export function drawLots(draw: Draw): Lot[] {
  const service = draw(() => services);
  const lots: Lot[] = [];
  for (let index = draw(fc.nat, 2); index >= 0; index -= 1) {
    const lot = drawLot(draw, service, `d${index}`);
    if (!lots.some(({ object }) => object === lot.object)) lots.push(lot);
  }
  return lots;
}

function drawLot(draw: Draw, service: AnsweringService, name: string): Lot {
  const spec = managedSpecs[draw(fc.nat, managedSpecs.length - 1)]!;
  const { singleton, collection, fields } = spec;
  const inputs = thinned(draw, spec, draw(checkedInputsOf, spec));
  const id = (fields.resourceId && inputs[fields.resourceId.name]) ?? name;
  const object = singleton ? "accounts/acme/policySettings" : `accounts/acme/${collection}/${String(id)}`;
  const first = answered(draw, service, spec, inputs, object);
  const fate = draw(fc.constantFrom, "same", "missing", "unmanaged", ...Array<"changed">(7).fill("changed"));
  const isManaged = fate !== "unmanaged" || singleton === true;
  const isGone = fate === "missing" && !singleton;
  const live = isGone ? undefined : fate === "changed" ? changed(draw, service, spec, inputs, first) : first;
  const lot = { spec, name, inputs, object, isManaged, first, live };
  const finding = findingFor(lot);
  return { ...lot, finding, isPlain: finding !== undefined && !isAllowed(lot, finding) };
}

/** What the service answers of it; a cost would be drawn as any text, and no service says that. */
function answered(draw: Draw, service: AnsweringService, spec: ResourceSpec, inputs: Values, name: string): Values {
  const answer = { ...answerFor(draw, service, spec, inputs), name };
  return { updateTime: "2026-01-01T00:00:00Z", ...without(answer, "estimatedCost") };
}

/** The object after somebody has changed some of its fields. */
function changed(draw: Draw, service: AnsweringService, spec: ResourceSpec, inputs: Values, first: Values): Values {
  const fields = changeable(spec, inputs);
  const live: Values = { ...first, updateTime: "2026-02-01T00:00:00Z" };
  for (const field of fields) {
    if (draw(fc.nat, fields.length) >= 2) continue;
    const { name } = field;
    const way = draw(fc.constantFrom, "other", "any", "any", "zero", "gone");
    const other = changedByHand(field, inputs[name], first[name]);
    if (way === "other" && other !== undefined) live[name] = other;
    else if (way === "zero") live[name] = zeroOf(field);
    else if (way === "gone") delete live[name];
    else live[name] = answerFor(draw, service, spec, { ...inputs, [name]: draw(valueOf, field) })[name];
  }
  return live;
}

/** Whether a program may say all that is live. */
function isAllowed({ spec, inputs }: Pick<Lot, "spec" | "inputs">, { changes }: Finding): boolean {
  const said = structuredClone(inputs);
  for (const { path, live } of changes) {
    const segments = parsePath(path);
    const owner = segments.length > 1 ? valueAt(said, segments.slice(0, -1)) : said;
    if (typeof owner !== "object" || owner === null || Array.isArray(owner)) continue;
    if (live === undefined) delete (owner as Values)[String(segments.at(-1))];
    else (owner as Values)[String(segments.at(-1))] = live;
  }
  return check(spec, {}, said).failures.length === 0;
}

/** Programs seldom say everything that they may; and files to upload would have to be there. */
function thinned(draw: Draw, spec: ResourceSpec, given: Values): Values {
  const inputs = without(given, "source");
  const kept = Object.fromEntries(Object.entries(inputs).filter(() => draw(fc.nat, 2) === 0));
  const required = spec.fields.message.filter((field) => field.required).map(({ name }) => [name, inputs[name]]);
  const fewer = { ...kept, ...Object.fromEntries(required) };
  const { failures, inputs: checked } = check(spec, {}, fewer);
  return failures.length === 0 ? checked : inputs;
}

/** Fields that a program sets, and those that are watched whoever sets them. */
function changeable({ fields }: ResourceSpec, inputs: Values) {
  const compared = fields.message.filter((field) => isCompared(field) && !field.markers.secret);
  return compared.filter(({ name, markers }) => inputs[name] !== undefined || markers.watched);
}

const without = (values: Values, name: string): Values =>
  Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));

/** What a scan says of it. */
function findingFor({
  spec,
  name,
  inputs,
  object,
  isManaged,
  first,
  live,
}: Omit<Lot, "finding" | "isPlain">): Finding | undefined {
  const place = { account: "acme", origin };
  if (!isManaged)
    return findingOf({ ...place, spec, name: object }, [], createJudgement("unmanaged", "is in no scanned stack"));
  const { objects } = recordedStack(
    [{ kind: spec.kind, inputs, live: first, outputs: outputsFor(spec, inputs, first) }],
    {
      stack: "dev",
    },
  );
  const [recorded] = objects;
  const own = { ...recorded!, urn: recorded!.urn.replace(/::[^:]*$/, `::${name}`), stack: "organization/shop/dev" };
  const said = judge(own, live);
  const isOver = said === undefined || ["in-sync", "in-flight", "unverifiable", "retired"].includes(said.verdict);
  return isOver ? undefined : findingOf({ ...place, spec, name: object }, [own], said);
}
