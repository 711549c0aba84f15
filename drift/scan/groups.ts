import { nanosIn, toDecimal } from "../../governance/cost/money";
import { fieldAtPath } from "../../provider/core/fields/places";
import { groupBy } from "../../provider/core/values/group-by";
import { ascending } from "../../provider/core/values/order";
import { parsePath } from "../../provider/core/values/paths";
import { omitUndefined } from "../../provider/core/values/values";
import { specOf } from "../../provider/resources/index";
import type { DriftReport } from "./document";
import { shortHash } from "./finding";
import {
  type Change,
  type Finding,
  type FindingGroup,
  type GroupChange,
  type Severity,
  type Suppression,
  sealValue,
} from "./finding-schema";
import { countText, worstSeverity } from "./verdict";
import { byWeight, weightOf, weightOfGroup } from "./weight";

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

/** The report with what its findings share: nothing that it said of groups before counts. */
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

/** The traits that several findings have. */
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
      key: JSON.stringify(["change", type, accepted, withoutAccount(change.path, account), liveForm(finding, change)]),
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

/** By which an object that was recreated under its name is told apart is another value for each. */
function liveForm({ type, account }: Finding, { path, live }: Change): unknown {
  const mark = specOf(type)?.fields.outputs.find(({ name, markers }) => name === path && markers.watched);
  return mark ? "another object" : sharedForm(type, path, live, account);
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
