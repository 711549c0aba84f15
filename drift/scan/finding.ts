import { createHash } from "node:crypto";
import { nanosIn, toDecimal } from "../../governance/cost/money";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { fieldAtPath } from "../../provider/core/fields/fields";
import type { Redactor } from "../../provider/core/redact";
import { ascending, groupBy } from "../../provider/core/values/grouping";
import { isObject, omitUndefined, parsePath, type Values } from "../../provider/core/values/values";
import { canonicalBaseUrl } from "../../provider/lifecycle/memory/identity";
import { specOf } from "../../provider/resources/index";
import type { DriftReport } from "./document";
import {
  type Change,
  type Finding,
  type FindingGroup,
  type GroupChange,
  type Severity,
  type Suppression,
  sealValue,
} from "./finding-document";
import type { RecordedObject } from "./recorded-object";
import { countText, type Judgement, worstSeverity } from "./verdict";
import { severities } from "./verdicts";

/** The location of an object. */
export interface ObjectLocation {
  account: string;
  /** Scheme, host and port. */
  origin: string;
}

/** The object that a judgement is about. */
interface JudgedObject extends ObjectLocation {
  spec: ResourceSpec;
  /** Resource name. */
  name: string;
}

/** The same in every scan: origins of this machine count as one, because an emulator gets another port each time. */
export const fingerprintOf = (origin: string, name: string, path = ""): string =>
  shortHash(JSON.stringify([originKey(origin), name, path]));

/** A short name for a text, the same in every scan. */
export const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A scheme, host and port; or text that is none, of an account whose address is not known. */
export const originKey = (origin: string): string => (URL.canParse(origin) ? canonicalBaseUrl(origin) : origin);

/** What a scan says about the object `name`, recorded by `objects` or by none. */
export function findingOf(
  { account, origin, spec, name }: JudgedObject,
  objects: readonly RecordedObject[],
  judged: Judgement,
): Finding {
  const stacks = [...new Set(objects.map(({ stack }) => stack))];
  const [first] = objects;
  const isRecordedTwice = objects.length > 1;
  // An object that is recorded twice is a finding even where its verdict alone is none.
  const isOnlyRecordedTwice = isRecordedTwice && ["in-sync", "unverifiable", "in-flight"].includes(judged.verdict);
  return omitUndefined<Finding>({
    fingerprint: fingerprintOf(origin, name),
    ruleId: isOnlyRecordedTwice ? recordedTwice : `drift/${judged.rule ?? judged.verdict}`,
    verdict: judged.verdict,
    severity: isOnlyRecordedTwice ? "warning" : judged.severity,
    account,
    origin,
    type: spec.kind,
    name,
    urn: first?.urn ?? null,
    stacks,
    reason: isRecordedTwice
      ? `${judged.reason}${whereRecorded}${recordersText(objects, stacks)}: leave it to one`
      : judged.reason,
    updateTime: judged.updateTime,
    unverified: judged.unverified,
    acceptDrift: judged.acceptDrift,
    claimedBy: judged.claimedBy,
    annotations: judged.annotations ?? annotationsIn(first?.outputs) ?? annotationsIn(first?.inputs),
    hourlyCostChange: judged.hourlyCostChange,
    changedBetween: changedBetween(judged, first),
    suppressed: judged.suppressed,
    source: first?.source,
    trace: first?.trace && [...first.trace],
    changes: judged.changes,
  });
}

/** By which an owner may be told, where there are any. */
export function annotationsIn(values: Values | undefined): Finding["annotations"] {
  const annotations = values?.["annotations"];
  if (!isObject(annotations)) return undefined;
  const texts = Object.entries(annotations).filter(([, text]) => typeof text === "string");
  return texts.length === 0 ? undefined : (Object.fromEntries(texts) as Finding["annotations"]);
}

/** Members with words, times and digests of this package. */
const ownMembers: ReadonlySet<string> = new Set<keyof Finding | keyof Change>([
  ...(["fingerprint", "verdict", "severity", "type", "acceptDrift", "hourlyCostChange", "changedBetween"] as const),
  ...(["kind", "managed"] as const),
]);

/** The finding without secrets in what others have written: services, states and programs. */
export const maskedFinding = ({ changes, ...finding }: Finding, redactor: Redactor): Finding => ({
  ...maskedMembers(finding, redactor),
  changes: changes.map((change) => maskedMembers(change, redactor)),
});

const maskedMembers = <T extends object>(members: T, redactor: Redactor): T =>
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, ownMembers.has(name) ? member : redactor.value(member)]),
  ) as T;

/** The rule of an object that is as recorded, but by several resources. It is drift wherever a change is. */
export const recordedTwice = "drift/recorded-twice";

const whereRecorded = "; is recorded ";

/** Who else records the object: part of what is found, whatever differs. */
export function alsoRecorded({ reason }: Pick<Finding, "reason">): { recorders?: string } {
  const at = reason.indexOf(whereRecorded);
  return at < 0 ? {} : { recorders: reason.slice(at) };
}

/** With the URNs, by which all but one are forgotten. */
const recordersText = (objects: readonly RecordedObject[], stacks: readonly string[]): string =>
  stacks.length > 1
    ? `in ${stacks.length} stacks (${objects.map(({ stack, urn }) => `${stack} as ${urn}`).join(", ")})`
    : `by ${objects.length} resources of one stack (${objects.map(({ urn }) => urn).join(", ")})`;

/**
 * When a live object became different from what is recorded: after an operation last recorded it, and at its
 * `updateTime` at the latest. The service's clock and the state's may disagree: a time of recording that is not before
 * `updateTime` says nothing, but the recorded `updateTime` still may.
 */
export function changedBetween(
  { verdict, updateTime }: Pick<Judgement, "verdict" | "updateTime">,
  recorded: Pick<RecordedObject, "recordedAt" | "outputs"> | undefined,
): Finding["changedBetween"] {
  if (!recorded || (verdict !== "changed" && verdict !== "missing")) return undefined;
  const before = instantOf(updateTime);
  const known = [recorded.recordedAt, recorded.outputs["updateTime"]]
    .map(instantOf)
    .filter((instant) => instant !== undefined && (before === undefined || instant < before));
  const after = known.length === 0 ? undefined : Math.max(...(known as number[]));
  if (before === undefined && after === undefined) return undefined;
  return omitUndefined({ after: text(after), before: text(before) });
}

const instantOf = (time: unknown): number | undefined => {
  const instant = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
};

const text = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString();

/** What decides how soon somebody should look at something. */
interface Weight {
  severity: Severity;
  /** A decimal text. */
  hourlyCostChange?: string | undefined;
  /** How much needs it. */
  dependents: number;
  firstSeen?: string | undefined;
}

/**
 * The severe first; of one severity, what changes the cost most, then what most depends on, then what has been there
 * longest.
 */
export const byWeight = (one: Weight, other: Weight): number =>
  severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
  Number(costOf(other) - costOf(one)) ||
  other.dependents - one.dependents ||
  ascending(one.firstSeen ?? "~", other.firstSeen ?? "~");

function costOf({ hourlyCostChange: change }: Weight): bigint {
  const nanos = (change === undefined ? undefined : nanosIn(change)) ?? 0n;
  return nanos < 0n ? -nanos : nanos;
}

export const weightOf = ({ severity, hourlyCostChange, dependents, firstSeen }: Finding) => ({
  ...{ severity, hourlyCostChange, firstSeen },
  dependents: dependents?.length ?? 0,
});

export const weightOfGroup = ({ severity, hourlyCostChange, dependents, firstSeen }: FindingGroup) => ({
  ...{ severity, hourlyCostChange, firstSeen },
  dependents: dependents ?? 0,
});

/** What a finding may share with others. */
interface Trait {
  /** Equal where it is shared. */
  key: string;
  /** Absent: it is the finding as a whole that is shared. */
  change?: Change;
}

/** A trait and the findings that have it. */
interface SharedTrait {
  key: string;
  members: Finding[];
  /** The members' changes, in the same order. */
  changes: Change[];
}

/** The report with the groups of its findings, computed anew. */
export function withGroups(report: DriftReport): DriftReport {
  const groups = groupsOf(report.findings);
  const first = new Map<string, string>();
  for (const { id, members } of [...groups].reverse()) for (const member of members) first.set(member, id);
  const findings = report.findings.map(({ group: _, ...finding }) => {
    const group = first.get(finding.fingerprint);
    return group === undefined ? finding : { ...finding, group };
  });
  return { ...report, findings, groups };
}

/** Causes that several findings share: what exactly the same findings have in common is one. */
export function groupsOf(findings: readonly Finding[]): FindingGroup[] {
  const order = new Map([...findings].sort(byImportance).map((finding, index) => [finding, index]));
  const causes = groupBy(traitsIn([...order.keys()]), ({ members }) =>
    members.map((member) => order.get(member)).join(),
  );
  return [...causes.values()].map(groupOf).sort(byGroupWeight);
}

/** The findings in the order in which a group lists its members. */
const byImportance = (one: Finding, other: Finding): number =>
  byWeight(weightOf(one), weightOf(other)) || ascending(one.account, other.account) || ascending(one.name, other.name);

/** What does not count comes last. */
const byGroupWeight = (one: FindingGroup, other: FindingGroup): number =>
  Number(one.suppressed !== undefined) - Number(other.suppressed !== undefined) ||
  byWeight(weightOfGroup(one), weightOfGroup(other)) ||
  other.members.length - one.members.length ||
  ascending(one.id, other.id);

function traitsIn(findings: readonly Finding[]): SharedTrait[] {
  const sharedByKey = new Map<string, SharedTrait>();
  for (const finding of findings) {
    for (const { key, change } of traitsOf(finding)) {
      const shared = sharedByKey.get(key) ?? { key, members: [], changes: [] };
      sharedByKey.set(key, shared);
      if (shared.members.at(-1) === finding) continue;
      shared.members.push(finding);
      if (change) shared.changes.push(change);
    }
  }
  return [...sharedByKey.values()].filter(({ members }) => members.length > 1);
}

/**
 * Changes are one where kind, field and live value are, whatever each stack has recorded. What could not be read is one
 * where the reason is, whatever it is, and so are the breaches of a rule.
 */
function traitsOf(finding: Finding): Trait[] {
  const { type, verdict, ruleId, reason, account, unverified, changes } = finding;
  const accepted = acceptanceOf(finding.suppressed);
  if (changes.length > 0)
    return changes.map((change) => ({
      key: JSON.stringify(["change", type, accepted, withoutAccount(change.path, account), formOf(finding, change)]),
      change,
    }));
  const what = isUnread(finding) ? [verdict] : [verdict, type, ruleId, ...unverified];
  const isByReason = isUnread(finding) || verdict === "breach";
  if (isByReason) what.push(reasonWithoutAccount(reason, account));
  return [{ key: JSON.stringify(["finding", accepted, ...what]) }];
}

const isUnread = ({ verdict }: Finding): boolean => verdict === "error" || verdict === "forbidden";

const acceptanceOf = (suppressed: Suppression | undefined): unknown =>
  suppressed ? [suppressed.by, suppressed.owner, suppressed.reason, suppressed.expires] : null;

const formOf = (finding: Finding, change: Change): unknown => liveForm(finding, change) ?? "another object";

/** What a live value is compared by; undefined for those that identify a recreated object, and differ for each. */
export function liveForm({ type, account }: Finding, { path, live }: Change): unknown {
  const mark = specOf(type)?.fields.outputs.find(({ name, markers }) => name === path && markers.watched);
  return mark ? undefined : sharedForm(type, path, live, account);
}

function groupOf(shared: readonly SharedTrait[]): FindingGroup {
  const [{ members }] = shared as [SharedTrait];
  const [first] = members as [Finding];
  const ruleIds = new Set(members.map(({ ruleId }) => ruleId));
  const types = new Set(members.map(({ type }) => type));
  const changes = shared.flatMap((each) => (each.changes.length > 0 ? [changeOf(each)] : []));
  const dependents = new Set(members.flatMap((member) => member.dependents ?? []).map(({ name, urn }) => name ?? urn));
  return omitUndefined<FindingGroup>({
    id: idOf(shared),
    type: types.size === 1 ? first.type : null,
    verdict: first.verdict,
    ruleId: ruleIds.size === 1 ? first.ruleId : `drift/${first.verdict}`,
    severity: worstSeverity(
      changes.length > 0 ? changes.map(({ severity }) => severity) : members.map(({ severity }) => severity),
    ),
    reason: reasonOf(members, changes),
    changes,
    members: members.map(({ fingerprint }) => fingerprint),
    accounts: [...new Set(members.map(({ account }) => account))].sort(),
    stacks: [...new Set(members.flatMap(({ stacks }) => stacks))].sort(),
    hourlyCostChange: sumOf(members),
    dependents: dependents.size > 0 ? dependents.size : undefined,
    firstSeen: members.flatMap((member) => member.firstSeen ?? []).sort()[0],
    suppressed: first.suppressed,
  });
}

/** Of the traits of a group, the first one names it: it keeps its id where another trait joins or leaves. */
const idOf = (shared: readonly SharedTrait[]): string => shortHash(shared.map(({ key }) => key).sort()[0]!);

const sides = ["recorded", "live"] as const;
type Side = (typeof sides)[number];

/** A change that all members have, with the values that all of them have. */
function changeOf({ members, changes }: SharedTrait): GroupChange {
  const [first] = changes as [Change];
  const { account, type } = members[0]!;
  const formsOf = (side: Side): Set<string> =>
    new Set(
      changes.map((change, index) =>
        JSON.stringify(sharedForm(type, change.path, change[side], members[index]!.account)),
      ),
    );
  const various = sides.filter((side) => formsOf(side).size > 1);
  const valueOf = (side: Side): unknown =>
    first[side] === undefined || various.includes(side) ? undefined : ownAccount(sealValue(first[side]), account);
  const kinds = new Set(changes.map(({ kind }) => kind));
  return omitUndefined<GroupChange>({
    path: withoutAccount(first.path, account),
    kind: kinds.size === 1 ? first.kind : "changed",
    recorded: valueOf("recorded"),
    live: valueOf("live"),
    severity: worstSeverity(changes.map(({ severity }): Severity => severity)),
    managed: changes.every(({ managed }) => managed),
    various: various.length > 0 ? various : undefined,
  });
}

/** Which fields differ, where the members say no more than how many do; else the most frequent of their reasons. */
function reasonOf(members: readonly Finding[], changes: readonly GroupChange[]): string {
  const counts = new Map<string, number>();
  const isOneAccounts = new Set(members.map(({ account }) => account)).size === 1;
  for (const { reason, account } of members) {
    const shared = isOneAccounts ? reason : reasonWithoutAccount(reason, account);
    counts.set(shared, (counts.get(shared) ?? 0) + 1);
  }
  const [[most]] = [...counts].sort(([, one], [, other]) => other - one) as [[string, number]];
  const saysMore = counts.size === 1 && members.some((member) => member.reason !== countText(member.changes));
  return changes.length === 0 || saysMore ? most : differing(changes);
}

const mostNamed = 3;

/** Which fields differ, by name where they are few. */
export function differing(changes: readonly Pick<GroupChange, "path">[]): string {
  if (changes.length > mostNamed) return countText(changes);
  const names = changes.map(({ path }) => `\`${path}\``).join(", ");
  return `${names} ${changes.length === 1 ? "differs" : "differ"} from what is recorded`;
}

function sumOf(members: readonly Finding[]): string | undefined {
  const known = members.flatMap(({ hourlyCostChange: change }) =>
    change === undefined ? [] : (nanosIn(change) ?? []),
  );
  return known.length === 0 ? undefined : toDecimal(known.reduce((sum, nanos) => sum + nanos, 0n));
}

/** Stands in the place of the account that a finding is of. */
const ownPlace = "accounts/{account}";

/** A text with `{account}` in the names of the account's own objects. */
export const withoutAccount = (text: string, account: string): string =>
  text.replaceAll(`accounts/${account}/`, `${ownPlace}/`);

/** The same for a reason, which may call the account by its name alone. */
const reasonWithoutAccount = (reason: string, account: string): string =>
  withoutAccount(reason, account).replaceAll(`\`${account}\``, "`{account}`");

/** The same for every text of a value. */
function ownAccount(value: unknown, account: string): unknown {
  if (typeof value === "string") return withoutAccount(value, account);
  if (Array.isArray(value)) return value.map((entry) => ownAccount(entry, account));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutAccount(name, account), ownAccount(member, account)]),
  );
}

/**
 * What two values are compared by: nothing of a secret, members in one order, and entries too where a list has none.
 */
function sharedForm(type: string, path: string, value: unknown, account: string): unknown {
  const isSet = Array.isArray(value) && fieldAtPath(specOf(type), parsePath(path))?.markers.setOf !== undefined;
  const form = inOneOrder(ownAccount(sealValue(value), account));
  return isSet ? (form as unknown[]).map((entry) => JSON.stringify(entry)).sort() : form;
}

function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== "object" || value === null) return value ?? null;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, inOneOrder((value as Record<string, unknown>)[name])]);
}
