import type { CheckFailure } from "../../core/checks/check";
import { isNew } from "../../core/declaration/own-records";
import { hostCollection, type ResourceSpec } from "../../core/declaration/resource";
import { resourceNameIn } from "../../core/fields/tokens";
import { lastSegment } from "../../core/values/names";
import { isUnknown } from "../../core/values/unknowns";
import { chosenId, objectClaims } from "../identity";
import { hostedSpecs } from "../patching/guests";
import type { Ports } from "../ports/ports";
import type { CheckView } from "../run/views";
import type { Call, Values } from "../types";

/** One declaration of a program under check, in its account. */
interface CheckedDeclaration {
  spec: ResourceSpec;
  call: Call;
  account: unknown;
  olds: Values;
  inputs: Values;
}

/** Something that only one declaration can claim, and the error for the second one. */
interface UniqueClaim {
  key: string;
  property: string;
  conflictError(first: string, second: string): string;
}

/** Conflicts between the declarations of one program, among those checked so far. */
export function findConflicts(resource: CheckView, declared: CheckedDeclaration): CheckFailure[] {
  const { urn } = declared.call.hidden;
  const claims = [...claimsOfObject(declared), ...claimsOfRole(declared)];
  const others = resource.claim(claims.map(({ key }) => key));
  const failures = claims.flatMap(({ key, property, conflictError }) => {
    const first = others.get(key);
    return first === undefined ? [] : [{ property, reason: conflictError(first, urn) }];
  });
  return failures.filter(({ property }, index) => failures.findIndex((other) => other.property === property) === index);
}

/**
 * One object has one declaration: two would keep undoing each other's changes, and deleting one would delete it for
 * both.
 */
function claimsOfObject({ spec, account, inputs }: CheckedDeclaration): UniqueClaim[] {
  const claims = objectClaims(spec, account, inputs);
  // Two that share a natural key also share the id that follows from it: report the key, which the program has.
  const keysFirst = [
    ...claims.filter(({ key }) => isNaturalKey(key)),
    ...claims.filter(({ key }) => !isNaturalKey(key)),
  ];
  return keysFirst.map(({ key, properties }) => ({
    key,
    property: properties[0]!,
    conflictError: (first, second) => {
      if (spec.singleton)
        return `an account has only one ${spec.kind}, and two resources declare the one of \`${String(account)}\`: ${first} and ${second}. Put everything into one of them and remove the other`;
      const named = properties.map((name) => `\`${name}\``).join(" and ");
      const idField = spec.fields.resourceId?.name;
      if (!isNaturalKey(key) && properties[0] !== idField)
        return `two resources declare one ${spec.kind} of account \`${String(account)}\`, by the same id \`${lastSegment(key)}\`, which follows from ${named}: ${first} and ${second}. Give one of them another \`${idField}\``;
      return `two resources declare one ${spec.kind} of account \`${String(account)}\`, by the same ${named}: ${first} and ${second}. Change ${named} of one of them, or remove one`;
    },
  }));
}

const isNaturalKey = (key: string): boolean => key.includes("#");

/** Only one host can answer for a content: with two claims, each run would take it from the other (A081). */
function claimsOfRole({ spec, account, inputs }: CheckedDeclaration): UniqueClaim[] {
  const { host } = spec;
  const content = host && inputs[host.content];
  if (!host || inputs[host.claim] !== true || typeof content !== "string" || isUnknown(content) || isUnknown(account))
    return [];
  return [
    {
      key: `${host.claim} ${spec.kind} of ${content} in ${String(account)}`,
      property: host.claim,
      conflictError: (first, second) =>
        `only one ${spec.kind} of ${content} can have \`${host.claim}\`, and two resources set it: ${first} and ${second}. Remove it from one of them`,
    },
  ];
}

/** A new host loads its own content, which conflicts with a declaration of the same (A081). */
export function recommendations(
  { claims, specs }: Ports,
  resource: CheckView,
  { spec, account, olds, inputs }: CheckedDeclaration,
): string[] {
  if (!isNew(olds)) return [];
  if (hostedSpecs(specs, spec).length > 0) resource.declareHost({ spec, account, inputs });
  const { host } = spec;
  if (!host) return [];
  const kind = specs.find(({ collection }) => collection === hostCollection(spec))?.kind;
  const name = inputs[host.field];
  const meant = [...resource.newHosts()].find(([urn, other]) => {
    const id = claims.heldBy(urn)?.split("/").at(-1) ?? chosenId(other.spec, other.inputs);
    const same = typeof name !== "string" || isUnknown(name) || lastSegment(name) === id;
    return (
      same &&
      other.spec.kind === kind &&
      isKnownAs(account, other.account) &&
      isKnownAs(inputs[host.content], other.inputs[host.own]) &&
      other.inputs[host.unless] !== true &&
      !isUnknown(other.inputs[host.unless])
    );
  });
  if (!meant) return [];
  const title = `${kind} \`${resourceNameIn(meant[0])}\``;
  return [
    `the service puts this \`${host.content}\` onto the new ${title} by itself; set \`${host.unless}: true\` there, so that this resource alone does it`,
  ];
}

/** Unknowns are all alike, so they cannot be compared. */
const isKnownAs = (one: unknown, other: unknown): boolean => one === other && !isUnknown(one);
