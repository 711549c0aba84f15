import { isSecret, type StateValue } from "../../engine/state/index";
import { acceptedOf, deviations, isStillChanging } from "../../provider/core/comparison/accepted";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { type Difference, differences, isCompared } from "../../provider/core/fields/equality";
import type { Field } from "../../provider/core/fields/fields";
import { fieldsOnPath } from "../../provider/core/fields/places";
import { pathText, type Segment } from "../../provider/core/values/paths";
import { isObject, omitUndefined, type Values } from "../../provider/core/values/values";
import { type Change, redactedValue } from "./finding-schema";
import type { RecordedObject } from "./recorded-object";

interface ObjectComparison {
  changes: Change[];
  /** Paths that cannot be compared. */
  unverified: string[];
}

/**
 * Where a live object differs from the record of its stack: fields that the program sets, by the fields' own idea of
 * equality, and watched fields as last accepted, whoever sets them (A049); what a refresh has recorded since does not
 * count. While the object moves, fields that are still settling are not compared.
 */
export function compare({ spec, inputs, outputs }: RecordedObject, live: Values, isMoving = false): ObjectComparison {
  const fields = spec.fields.message.map((field) => compareField(field));
  const changedPaths = new Set(fields.flatMap(({ changes }) => changes.map(({ path }) => path)));
  return {
    changes: [
      ...fields.flatMap(({ changes }) => changes),
      ...unaccepted().filter(({ path }) => !changedPaths.has(path)),
    ],
    unverified: fields.flatMap(({ unverified }) => unverified),
  };

  function compareField(field: Field): ObjectComparison {
    if (!isCompared(field))
      return {
        changes: [],
        unverified: field.markers.inputOnly && isSetByProgram(spec, field, outputs) ? [field.name] : [],
      };
    if (!Object.hasOwn(inputs, field.name) || (isMoving && isStillChanging(field, live[field.name])))
      return { changes: [], unverified: [] };
    const open = withoutSecrets(inputs[field.name], live[field.name], [field.name]);
    const hidden = open.hidden.map(pathText);
    if (open.isHidden) return { changes: [], unverified: hidden };
    const resolution = outputs.resolutions?.[field.name];
    const differing = differences(field, open.recorded, open.live, resolution);
    const kept = resolution?.stands ? unchangedDeviations(differing, differences(field, open.recorded, open.live)) : [];
    return {
      changes: differing.map((difference) => changeOf(field, difference, true)),
      unverified: [...hidden, ...kept],
    };
  }

  /** A value that a program marked as secret is ciphertext in the state. */
  function unaccepted(): Change[] {
    const accepted = acceptedOf(spec, outputs);
    const declared = [...spec.fields.message, ...spec.fields.outputs];
    return deviations(spec, outputs, live)
      .filter(({ path }) => !containsSecret(accepted[String(path[0])]))
      .map((difference) => {
        const field = declared.find(({ name }) => name === difference.path[0])!;
        return changeOf(field, difference, Object.hasOwn(inputs, field.name));
      });
  }
}

/** Where the service keeps another value than the program sets, and has since it was sent (A033). */
function unchangedDeviations(differing: readonly Difference[], unlike: readonly Difference[]): string[] {
  const changed = new Set(differing.map(({ path }) => pathText(path)));
  return unlike.map(({ path }) => pathText(path)).filter((path) => !changed.has(path));
}

/** A value that is never answered was given: by the program, or from elsewhere (A054). */
function isSetByProgram(spec: ResourceSpec, field: Field, outputs: RecordedObject["outputs"]): boolean {
  const isElsewhere = spec.fields.behaviours.some(
    ({ name, markers }) => markers.resendsField === field.name && outputs[name] !== undefined,
  );
  return (
    isElsewhere || outputs.digests?.[field.name] !== undefined || outputs.managedFields?.includes(field.name) === true
  );
}

interface SecretFreePair {
  recorded: unknown;
  live: unknown;
  /** Places of secrets, which are taken out of both sides. */
  hidden: (readonly Segment[])[];
  /** Nothing is left to compare. */
  isHidden: boolean;
}

/**
 * Removes secrets: the state holds ciphertext, and the service's answer must not be shown. A list with a secret counts
 * as one.
 */
function withoutSecrets(recorded: unknown, live: unknown, path: readonly Segment[]): SecretFreePair {
  if (isSecret(recorded as StateValue) || (Array.isArray(recorded) && containsSecret(recorded)))
    return { recorded, live, hidden: [path], isHidden: true };
  if (!isObject(recorded) || !containsSecret(recorded)) return { recorded, live, hidden: [], isHidden: false };
  const liveMembers: Values = isObject(live) ? live : {};
  const members = Object.keys(recorded).map(
    (name) => [name, withoutSecrets(recorded[name], liveMembers[name], [...path, name])] as const,
  );
  const hiddenNames = new Set(members.filter(([, { isHidden }]) => isHidden).map(([name]) => name));
  const open = members.filter(([name]) => !hiddenNames.has(name));
  const others = Object.entries(liveMembers).filter(([name]) => !Object.hasOwn(recorded, name));
  return {
    recorded: Object.fromEntries(open.map(([name, member]) => [name, member.recorded])),
    live: isObject(live) ? Object.fromEntries([...others, ...open.map(([name, member]) => [name, member.live])]) : live,
    hidden: members.flatMap(([, { hidden }]) => hidden),
    isHidden: false,
  };
}

const containsSecret = (value: unknown): boolean =>
  isSecret(value as StateValue) ||
  (typeof value === "object" && value !== null && Object.values(value).some(containsSecret));

function changeOf(field: Field, { path, desired, live }: Difference, managed: boolean): Change {
  const along = fieldsOnPath(field, path.slice(1));
  const isPrintable = !along.some(({ markers }) => markers.secret) && !hasSecretMember(along.at(-1)!);
  const [recorded, liveValue] = [desired, live].map((value) =>
    isPrintable || isAbsent(value) ? value : redactedValue,
  );
  return omitUndefined<Change>({
    path: pathText(path),
    kind: kindOf(desired, live),
    recorded: recorded ?? undefined,
    live: liveValue ?? undefined,
    severity: along.map(({ markers }) => markers.severity).findLast((severity) => severity !== undefined) ?? "warning",
    managed,
  });
}

function kindOf(recorded: unknown, live: unknown): Change["kind"] {
  if (isAbsent(recorded)) return "added";
  return isAbsent(live) ? "removed" : "changed";
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const hasSecretMember = (field: Field): boolean =>
  [...(field.fields ?? []), ...(field.item ? [field.item] : [])].some(
    (member) => member.markers.secret === true || hasSecretMember(member),
  );
