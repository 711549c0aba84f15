import { firstOf } from "../../io/text/first-of";
import { groupBy } from "../../provider/core/values/grouping";
import type { DriftReport, StaleEntry } from "../scan/document";
import { byWeight, weightOf, weightOfGroup } from "../scan/finding";
import { type Finding, type FindingGroup, openDriftIn } from "../scan/finding-document";
import { readingOrder, wordings } from "./advice";
import { count, readingOf, refusedAccounts, shownFindings } from "./wording";

/** Findings of one cause. */
export interface SharedCause {
  group: FindingGroup;
  members: readonly Finding[];
}

/** One entry of a report: a cause that several findings share, or a finding of its own. */
export type Cause = SharedCause | { finding: Finding };

/** All findings, each cause once, in reading order. */
export function causesIn(report: Pick<DriftReport, "accounts" | "findings" | "groups">): Cause[] {
  const findings = shownFindings(report);
  const byFingerprint = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const shared = new Map<Finding, number>();
  const causes = (report.groups ?? []).flatMap((group): Cause[] => {
    const members = group.members.flatMap((member) => byFingerprint.get(member) ?? []);
    for (const member of members) shared.set(member, (shared.get(member) ?? 0) + Math.max(1, group.changes.length));
    return members.length === 0 ? [] : [{ group, members }];
  });
  const single = findings.filter((finding) => (shared.get(finding) ?? 0) < Math.max(1, finding.changes.length));
  return [...causes, ...single.map((finding): Cause => ({ finding }))].sort(inReading);
}

/** Findings in reading order, each alone. */
export const inReadingOrder = (findings: readonly Finding[]): Finding[] =>
  findings
    .map((finding): Cause & { finding: Finding } => ({ finding }))
    .sort(inReading)
    .map(({ finding }) => finding);

/** What counts comes first; of that the severe, the costly, what much depends on, and what is old. */
function inReading(one: Cause, other: Cause): number {
  const [left, right] = [headOf(one), headOf(other)];
  return (
    Number(left.suppressed !== undefined) - Number(right.suppressed !== undefined) ||
    byWeight(left.weight, right.weight) ||
    right.size - left.size ||
    readingOrder.indexOf(left.verdict) - readingOrder.indexOf(right.verdict)
  );
}

/** What a cause is placed by. */
export function headOf(cause: Cause) {
  if ("finding" in cause) return { ...cause.finding, weight: weightOf(cause.finding), size: 1 };
  return { ...cause.group, weight: weightOfGroup(cause.group), size: cause.members.length };
}

interface Warning {
  about: string;
  warning: string;
}

/** Why lists could not be read, once for each reason, where no finding says it. */
function unreadWarnings({ accounts, findings }: DriftReport): Warning[] {
  const known = new Set(findings.map(({ account, reason }) => `${account} ${reason}`));
  const refused = new Set(refusedAccounts({ accounts }));
  const others = accounts.filter(({ account }) => !refused.has(account));
  return others.flatMap(({ account, collections }) => {
    const unread = collections.filter(({ problem }) => problem !== undefined && !known.has(`${account} ${problem}`));
    return [...new Set(unread.map(({ problem }) => problem!))].map((problem) => {
      const names = unread.filter((each) => each.problem === problem).map(({ name }) => name);
      const of = names.length === collections.length ? "" : `/${names.join(", ")}`;
      return { about: `accounts/${account}${of}`, warning: `could not be read: ${problem}` };
    });
  });
}

/** What nobody has read. Accounts are many where a shard is lost. */
export function missingWarnings({ missing = [] }: Pick<DriftReport, "missing">): Warning[] {
  const groups = [...groupBy(missing, ({ part, reason }) => JSON.stringify([part, reason])).values()];
  return groups.map((parts) => ({
    about: `${parts[0]!.part}${parts.length === 1 ? "" : "s"} ${namesOf(parts)}`,
    warning: `missing: ${parts[0]!.reason}`,
  }));
}

/** The same in short: `missing: shards 5/10, 10/10; 69 accounts; 1 stack`. */
export function missingText({ missing = [] }: Pick<DriftReport, "missing">): string | undefined {
  const of = (part: string): string[] => missing.filter((each) => each.part === part).map(({ name }) => name);
  const shards = of("shard");
  const lists = missing.filter(({ part }) => part === "list");
  const texts = [
    ...(shards.length > 0 ? [`shard${shards.length === 1 ? "" : "s"} ${shards.join(", ")}`] : []),
    ...["account", "stack"].flatMap((part) => (of(part).length > 0 ? [count(of(part).length, part)] : [])),
    ...(lists.length > 0 ? [`what the ${lists.length === 1 ? "list" : "lists"} of ${namesOf(lists)} would show`] : []),
  ];
  return texts.length === 0 ? undefined : `missing: ${texts.join("; ")}`;
}

/** `keys refused: acme-d (9 objects not compared)`. */
export function refusedKeysText(report: Pick<DriftReport, "accounts" | "findings">): string | undefined {
  const refused = refusedAccounts(report);
  const lost = groupBy(report.findings, ({ account, verdict }) => (verdict === "forbidden" ? account : undefined));
  const entries = refused.map((account) => ({
    name: `${account} (${count(lost.get(account)?.length ?? 0, "object")} not compared)`,
  }));
  return entries.length === 0 ? undefined : `${entries.length === 1 ? "key" : "keys"} refused: ${namesOf(entries)}`;
}

/** `key refused: acme-d, acme-e`, for each way in which accounts could not be read. */
export function unreadTexts({ accounts }: Pick<DriftReport, "accounts">): string[] {
  const unread = groupBy(
    accounts.filter(({ status }) => status !== "read").map(({ account, status }) => ({ name: account, status })),
    readingOf,
  );
  return [...unread].map(([reading, objects]) => `${reading}: ${namesOf(objects)}`);
}

/** What the owners file leaves to nobody. */
function unownedWarnings({ owners, findings }: DriftReport): Warning[] {
  const unowned = owners === undefined ? [] : openDriftIn({ findings }).filter(({ owner }) => owner === undefined);
  if (unowned.length === 0) return [];
  const warning = `${unowned.length === 1 ? "matches" : "match"} no rule of the owners file: a last rule with \`team\` alone takes what others leave`;
  return [{ about: count(unowned.length, "finding"), warning }];
}

/** Deprecated models and fields, and the objects that use them. */
const retirementWarnings = ({
  retirements = [],
  unreadModels = [],
  deprecatedFields = [],
  startedAt,
}: DriftReport): Warning[] => [
  ...retirements.map(({ model, day, objects }) => ({
    about: model,
    warning: `${day < startedAt.slice(0, 10) ? "was" : "is"} taken down on ${day} as a serverless deployment; made from it: ${namesOf(objects)}`,
  })),
  ...unreadModels.map(({ model, reason }) => ({
    about: model,
    warning: `could not be read, so whether it is taken down soon is unknown: ${reason}`,
  })),
  ...deprecatedFields.map(({ type, path, says, objects }) => ({
    about: `${type}.${path}`,
    warning: `is deprecated: ${says}; set for ${namesOf(objects)}`,
  })),
];

const mostNames = 5;

const namesOf = (objects: readonly { name: string }[]): string =>
  firstOf(
    objects.map(({ name }) => name),
    { most: mostNames },
  );

/** Policies that nobody has decided on, as YAML of a configuration that would. */
export const listUnconfigured = ({ unconfiguredPolicies = [] }: DriftReport): string =>
  unconfiguredPolicies
    .flatMap(({ name, configuration: { [name]: options } }) =>
      typeof options === "string"
        ? [`${name}: ${options}`]
        : [
            `${name}:`,
            ...Object.entries(options as object).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
          ],
    )
    .join("\n");

/** The heading above it. */
export const unconfiguredTitle = "Not configured, so off: decide in the file of --policy-pack-config";

export const warningsOf = (report: DriftReport): Warning[] => [
  ...(report.leftOut === undefined
    ? []
    : [{ about: "unmanaged", warning: `${count(report.leftOut, "object")} left out by \`--filter\` or \`--kind\`` }]),
  ...missingWarnings(report),
  ...(report.unmatchedOwners ?? []).map(({ team, part, pattern }) => ({
    about: pattern,
    warning: `belongs to ${team} by the owners file, but matches no ${part} of the scan`,
  })),
  ...unownedWarnings(report),
  ...unreadWarnings(report),
  ...(report.failedPolicies ?? []).map(({ name, reason, times }) => ({
    about: `policy/${name}`,
    warning: `ended in an error ${count(times, "time")} and says nothing there: ${reason}`,
  })),
  ...retirementWarnings(report),
  ...(report.unusable ?? []).map(({ stack, urn, reason }) => ({
    about: urn,
    warning: `of stack ${stack} ${reason}: it cannot be checked. Remove it from the state with \`pulumi state delete\`, and let its declaration take the object over with \`adopt\``,
  })),
  ...(report.resolved ?? []).map(({ name, verdict }) => ({
    about: name,
    warning: `is no longer ${wordings[verdict].title}`,
  })),
  ...(report.staleBaseline ?? []).map(({ name, path, owner, why }) => ({
    about: path === undefined ? name : `${name}#${path}`,
    warning: `is in the baseline, by ${owner}, and ${staleTexts[why]}`,
  })),
];

const staleTexts: Readonly<Record<StaleEntry["why"], string>> = {
  expired: "has expired",
  unmatched: "no longer matches anything",
  wide: "does not say what of it is accepted: look at the finding, and write the entry again with `drift baseline`",
  error: "counts all the same: it is of severity error, which only `--baseline-errors` accepts",
};
