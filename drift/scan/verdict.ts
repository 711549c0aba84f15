import { isSecret, type StateValue } from "../../engine/state/index";
import { acceptedOf, deviations, isIdentityField, isStillChanging } from "../../provider/core/comparison/accepted";
import { isIgnored } from "../../provider/core/comparison/diff";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { goalOf, hasReached, phaseOf } from "../../provider/core/declaration/states";
import { type Difference, differences, isCompared } from "../../provider/core/fields/equality";
import { type Field, fieldsOnPath } from "../../provider/core/fields/fields";
import type { Owner } from "../../provider/core/fields/owner";
import {
  isObject,
  omitUndefined,
  pathText,
  type Segment,
  topLevel,
  type Values,
} from "../../provider/core/values/values";
import type { LoosenedValue } from "../../provider/kinds/hooks";
import { hooksOf } from "../../provider/kinds/index";
import { acceptanceTokenFor } from "../../provider/lifecycle/changes/acceptance";
import { isNone, outcomeOutlivesRecord } from "../../provider/lifecycle/read";
import {
  type Change,
  type Finding,
  redactedValue,
  type Severity,
  type Suppression,
  type Verdict,
} from "./finding-document";
import type { RecordedObject } from "./recorded-object";
import { severities, verdicts } from "./verdicts";

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

/** Whether a value that is never returned was set, by the program or from elsewhere (A054). */
function isSetByProgram(spec: ResourceSpec, field: Field, outputs: RecordedObject["outputs"]): boolean {
  const isElsewhere = spec.fields.behaviours.some(
    ({ name, markers }) => markers.rewrites === field.name && outputs[name] !== undefined,
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

/** The judgement of one recorded object, and its reason. */
export interface Judgement {
  verdict: Verdict;
  severity: Severity;
  /** A more specific rule, if the verdict alone is too general. */
  rule?: "failed" | "remade" | "loosened" | "watched" | "output" | undefined;
  reason: string;
  updateTime: string | null;
  changes: Change[];
  unverified: string[];
  /** The token that accepts the live values of watched fields. */
  acceptDrift?: string | undefined;
  suppressed?: Suppression | undefined;
  /** What the live object costs more per hour than the recorded one. */
  hourlyCostChange?: string | undefined;
  /** The owner that an unmanaged object names. */
  claimedBy?: Owner | undefined;
  /** Of the live object. */
  annotations?: Finding["annotations"] | undefined;
}

/** Severities of findings without a field that has one. */
const severityOf: Readonly<Record<Verdict, Severity>> = {
  error: "warning",
  forbidden: "warning",
  missing: "error",
  retired: "note",
  changed: "warning",
  "in-flight": "note",
  unverifiable: "note",
  "in-sync": "note",
  unmanaged: "warning",
  breach: "error",
};

export const createJudgement = (verdict: Verdict, reason: string, rest: Partial<Judgement> = {}): Judgement => ({
  verdict,
  severity: severityOf[verdict],
  reason,
  updateTime: null,
  changes: [],
  unverified: [],
  ...rest,
});

/**
 * Whether an answer shows an object that is there: tombstones and settings that
 * were never saved are not (A042, A060, A072).
 */
export const isPresent = (spec: ResourceSpec, live: Values | undefined): live is Values =>
  live !== undefined && phaseOf(spec.lifecycle, live) !== "gone" && !isNone({ spec }, live);

/**
 * The verdict about a recorded object, given the live one or undefined where it is gone for sure:
 * the first of `verdicts` that applies. Undefined where there is nothing to tell: what was to be
 * deleted is gone, or what was to be made was not.
 */
export function judge(object: RecordedObject, live: Values | undefined): Judgement | undefined {
  return object.isProduced ? judgeProduced(object, live) : judgeRecorded(object, live);
}

/** An object that another one created counts with that one, and is reported only if it is deleted or opened. */
function judgeProduced(object: RecordedObject, live: Values | undefined): Judgement | undefined {
  if (!isPresent(object.spec, live))
    return createJudgement("missing", "was created by a job of the stack, and is gone", { rule: "output" });
  const { changes } = compare(object, live);
  if (changes.length === 0) return undefined;
  const severity = worstSeverity(changes.map((change) => change.severity));
  return createJudgement("changed", `was created by a job of the stack; ${countText(changes)}`, {
    rule: "output",
    updateTime: timeOf(live),
    severity,
    changes,
  });
}

function judgeRecorded(object: RecordedObject, live: Values | undefined): Judgement | undefined {
  const { spec, outputs, pending, isRunning } = object;
  if (!isPresent(spec, live)) return judgeMissing(object);
  const updateTime = timeOf(live);
  if (pending === "creating") {
    const reason = isRunning
      ? "is being created by a run that holds the lock of its stack"
      : "exists, although its create did not finish; the next `up` takes it over";
    return createJudgement("in-flight", reason, { updateTime });
  }
  if (pending !== undefined)
    return createJudgement(
      "in-flight",
      `is ${String(live["state"] ?? "there")}, and is to be deleted by the next \`up\``,
      {
        updateTime,
      },
    );
  const phase = phaseOf(spec.lifecycle, live);
  const { changes, unverified } = compare(object, live, phase === "moving");
  const counted = changes.filter(({ path }) => !isIgnored(path, object.ignoreChanges));
  const deviating = deviations(spec, outputs, live);
  const observed = {
    updateTime,
    unverified,
    acceptDrift: deviating.length > 0 ? acceptanceTokenFor(spec, live, deviating) : undefined,
  };
  if (phase === "failed")
    return createJudgement("changed", `has failed${statusText(live)}`, {
      ...observed,
      rule: "failed",
      severity: "error",
      changes: [stateChange(outputs, live), ...counted],
    });
  if (counted.length > 0) return changedJudgement(object, live, counted, observed);
  if (changes.length > 0)
    return { ...changedJudgement(object, live, changes, observed), suppressed: byProgram(object) };
  if (isUnderWay(object, live)) return createJudgement("in-flight", `is ${String(live["state"])}`, observed);
  if (unverified.length > 0) return createJudgement("unverifiable", unverifiedText(outputs, unverified), observed);
  return createJudgement(
    "in-sync",
    object.failure === undefined
      ? "is as recorded"
      : `matches the record, although its last operation failed: ${object.failure}`,
    observed,
  );
}

function unverifiedText({ resolutions }: RecordedObject["outputs"], unverified: readonly string[]): string {
  const kept = unverified.filter((path) => resolutions?.[topLevel(path)]?.stands);
  const unseen = unverified.filter((path) => !kept.includes(path));
  const reasons = [
    ...(unseen.length > 0
      ? [`a scan cannot see ${joinNames(unseen)}, so ${unseen.length === 1 ? "it" : "they"} cannot be compared`]
      : []),
    ...(kept.length > 0
      ? [`the service keeps another value of ${joinNames(kept)} than the one that was sent, as it did then`]
      : []),
  ];
  return reasons.join("; ");
}

function judgeMissing({ spec, outputs, pending, failure }: RecordedObject): Judgement | undefined {
  if (pending === "deleting" || pending === "creating") return undefined;
  if (pending === "replacing")
    return createJudgement("missing", "was deleted for a replacement that was not created; run `up` again");
  if (outputs.retired === true || outcomeOutlivesRecord({ spec }, outputs))
    return createJudgement("retired", "succeeded, and the service has since removed its record");
  return createJudgement(
    "missing",
    failure === undefined ? "is gone" : `is gone; its last operation failed: ${failure}`,
  );
}

function changedJudgement(
  { spec, outputs }: RecordedObject,
  live: Values,
  changes: Change[],
  observed: Partial<Judgement>,
): Judgement {
  const before = { ...outputs, ...acceptedOf(spec, outputs) };
  const opened = hooksOf(spec).loosened?.(before, live) ?? [];
  const recreated = changes.find(({ path }) => isIdentityField(spec, path));
  const severity = worstSeverity(changes.map((change) => change.severity));
  const because = (reason: string, rule: Judgement["rule"]): Judgement =>
    createJudgement("changed", reason, { ...observed, changes, severity, rule });

  if (recreated)
    return because(
      `is another object of the same name, created ${String(recreated.live)}; the recorded one was created ${String(recreated.recorded)}`,
      "remade",
    );
  if (opened.length > 0)
    return because(`opens up what the record does not: ${opened.map(loosenedText).join("; ")}`, "loosened");
  return because(countText(changes), changes.some(({ managed }) => managed) ? undefined : "watched");
}

export const countText = ({ length }: readonly unknown[]): string =>
  `${length} field${length === 1 ? " differs" : "s differ"} from what is recorded`;

const byProgram = ({ ignoreChanges }: RecordedObject): Suppression => ({
  by: "ignoreChanges",
  owner: null,
  reason: `the program ignores changes of ${joinNames(ignoreChanges)}`,
  expires: null,
});

const loosenedText = ({ path, before, after }: LoosenedValue): string => `\`${path}\` was ${before} and is ${after}`;

/** Moving, in an unknown state (A090), or at rest before the program's goal. */
function isUnderWay({ spec: { lifecycle }, inputs }: RecordedObject, live: Values): boolean {
  const { state } = live;
  // What says nothing of its state is not held to be on its way (A094).
  if (!lifecycle || typeof state !== "string" || state === "" || state.endsWith("_UNSPECIFIED")) return false;
  const phase = phaseOf(lifecycle, live);
  if (phase === "resting") return !hasReached(lifecycle, live, goalOf(lifecycle, inputs));
  return phase === "moving" || phase === "unknown";
}

const stateChange = (outputs: Values, live: Values): Change =>
  omitUndefined<Change>({
    path: "state",
    kind: outputs["state"] === undefined ? "added" : "changed",
    recorded: outputs["state"],
    live: live["state"],
    severity: "error",
    managed: false,
  });

function statusText(live: Values): string {
  const { code, message } = (live["status"] ?? {}) as { code?: unknown; message?: unknown };
  const parts = [code, message].filter((part) => typeof part === "string" && part !== "");
  return parts.length > 0 ? `: ${parts.join(", ")}` : "";
}

const timeOf = ({ updateTime }: Values): string | null =>
  typeof updateTime === "string" && updateTime !== "" ? updateTime : null;

const joinNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

export const worstSeverity = (all: readonly Severity[]): Severity =>
  severities.find((severity) => all.includes(severity)) ?? "note";

const order: readonly Verdict[] = verdicts;

/** Of several verdicts, the decisive one. */
export const strongestJudgement = (judgements: readonly Judgement[]): Judgement | undefined =>
  judgements.reduce<Judgement | undefined>(
    (first, other) => (first && order.indexOf(first.verdict) <= order.indexOf(other.verdict) ? first : other),
    undefined,
  );
