import { dayOf } from "../../provider/core/values/grouping";
import { accountOf } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import type { DriftReport, StaleEntry } from "./document";
import { liveForm, originKey, recordedTwice, shortHash, withoutAccount } from "./finding";
import type { Change, Finding, FindingGroup, Suppression } from "./finding-document";
import { formerSubstanceOf, substanceOf } from "./substance";
import type { Suppressor } from "./suppression";
import { latestExpiry, longestAcceptance } from "./verdicts";

/** Who has accepted it, and until when. */
const Terms = z.strictObject({
  owner: z.string().min(1),
  reason: z.string().min(1),
  /** Last day on which it holds, UTC. */
  expires: z.iso.date(),
});

/** Findings that a team has accepted for a while. */
const Entry = Terms.extend({
  origin: z.string(),
  name: z.string(),
  /** Absent: the finding as a whole, which has no changes. */
  path: z.string().optional(),
  /** Hash of what was decided on: another live value, rule or reason counts again. */
  live: z.string(),
});

/** A live value of a field that is accepted in all objects of a kind. */
const CauseEntry = Terms.extend({
  origin: z.string(),
  kind: z.string(),
  path: z.string(),
  /** Hash of the live value, in which `{account}` stands for the object's own account. */
  live: z.string(),
});

const BaselineFile = z.strictObject({
  version: z.literal(1),
  entries: z.array(Entry),
  causes: z.array(CauseEntry).optional(),
});

type Terms = z.infer<typeof Terms>;
type Entry = z.infer<typeof Entry>;
type CauseEntry = z.infer<typeof CauseEntry>;
type BaselineFile = z.infer<typeof BaselineFile>;

export interface Baseline {
  /** Another one for another baseline. */
  key: string;
  suppressor: Suppressor;
  /**
   * Entries whose time is over, those that nothing matched in the accounts that were read, those that would accept more
   * than somebody has seen, and those of severity error where these are not accepted. Asked once all findings have been
   * shown to the suppressor.
   */
  stale(accounts: ReadonlySet<string>): StaleEntry[];
}

function fileIn(document: unknown, where: string): BaselineFile {
  const parsed = BaselineFile.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new Error(
    `${where} is not a baseline: ${parsed.error.issues.map(({ path, message }) => `\`${path.join(".") || "document"}\`: ${message}`).join("; ")}. Write one with \`drift baseline\`.`,
  );
}

const holdsOn =
  (day: string) =>
  ({ expires }: Terms): boolean =>
    expires >= day;

/** What a baseline accepts today, for one that is written in its place. */
export function currentIn(document: unknown, where: string, now: number): Required<BaselineFile> {
  const { version, entries, causes = [] } = fileIn(document, where);
  const isCurrent = holdsOn(dayOf(now));
  return { version, entries: entries.filter(isCurrent), causes: causes.filter(isCurrent) };
}

/** Reads a baseline. Throws an error that names the entry at fault. `where` is how errors call the file. */
export function openBaseline(document: unknown, where: string, now: number, allowError: boolean): Baseline {
  const { entries, causes = [] } = fileIn(document, where);
  const tooLong = [...entries, ...causes.map(asEntry)].find(({ expires }) => expires > latestExpiry(now));
  if (tooLong)
    throw new Error(
      `${where} accepts \`${tooLong.name}\` until ${tooLong.expires}, which is more than ${longestAcceptance} days from now. Give a day up to ${latestExpiry(now)}.`,
    );
  const isCurrent = holdsOn(dayOf(now));
  const current = new Map(entries.filter(isCurrent).map((entry) => [keyOf(entry), entry]));
  const currentCauses = new Map(causes.filter(isCurrent).map((entry) => [causeKeyOf(entry), entry]));
  const matched = new Set<Entry>();
  const wide = new Set<Entry>();
  const refused = new Set<Entry>();

  return {
    key: hashOf([entries, causes, allowError]),
    suppressor: (finding, change) => {
      const entry = current.get(keyOf(entryKey(finding, change, substanceOf)));
      const wider = entry ?? current.get(keyOf(entryKey(finding, change, formerSubstanceOf)));
      if (wider && !entry) wide.add(wider);
      if (!entry) return acceptedBy(currentCauses.get(causeKeyOf(change && causeOf(finding, change))));
      matched.add(entry);
      if (allowError || (change ?? finding).severity !== "error") return acceptedBy(entry);
      refused.add(entry);
      return undefined;
    },
    stale: (accounts) => {
      const whyStale = (entry: Entry): StaleEntry["why"] | undefined => {
        if (!isCurrent(entry)) return "expired";
        if (refused.has(entry)) return "error";
        if (wide.has(entry) && !matched.has(entry)) return "wide";
        return !matched.has(entry) && accounts.has(accountOf(entry.name) ?? "") ? "unmatched" : undefined;
      };
      // What no scan has read may have the cause, so that only its time ends it.
      const ended = causes.filter((cause) => !isCurrent(cause)).map(asEntry);
      return [...entries, ...ended].flatMap((entry) => {
        const why = whyStale(entry);
        const { name, path, owner, reason, expires } = entry;
        return why ? [omitUndefined({ name, path, owner, reason, expires, why })] : [];
      });
    },
  };
}

/** As messages name it. */
const asEntry = ({ kind, ...cause }: CauseEntry): Entry => ({ name: kind, ...cause });

const acceptedBy = (terms: Terms | undefined): Suppression | undefined =>
  terms && { by: "baseline", owner: terms.owner, reason: terms.reason, expires: terms.expires };

/**
 * A baseline that accepts the findings of a report that are not suppressed yet, beside these causes; those of severity
 * `error` only if that is allowed.
 */
export function baselineOf(
  { findings }: DriftReport,
  { allowError, causes = [], ...terms }: Terms & { allowError: boolean; causes?: readonly CauseEntry[] },
): BaselineFile {
  const everywhere = new Set(causes.map(causeKeyOf));
  const isCovered = (finding: Finding, change: Change | undefined): boolean =>
    change !== undefined && everywhere.has(causeKeyOf(causeOf(finding, change)));

  const accepted = findings.filter(
    ({ suppressed, verdict, ruleId }) =>
      (verdict !== "in-sync" || ruleId === recordedTwice) && (!suppressed || suppressed.by === "baseline"),
  );
  const entries = accepted.flatMap((finding) => {
    const parts = finding.changes.length > 0 ? finding.changes : [undefined];
    return parts
      .filter((change) => (allowError || (change ?? finding).severity !== "error") && !isCovered(finding, change))
      .map((change) => ({ ...entryKey(finding, change, substanceOf), ...terms }));
  });
  return { version: 1, entries, ...(causes.length > 0 && { causes: [...causes] }) };
}

/**
 * What accepts these causes of a report, by their ids, in every object that has or gets one. Throws an error where an
 * id is not one of the report, or its cause has severity `error`, or is more than a value that is shown.
 */
export function causesOf(
  { findings, groups = [] }: Pick<DriftReport, "findings" | "groups">,
  { ids, ...terms }: Terms & { ids: readonly string[] },
): CauseEntry[] {
  const causes = ids.flatMap((id) => {
    const group = groups.find((each) => each.id === id);
    if (!group) throw new Error(`No cause of this report is ${id}${causesIn(groups)}`);
    const fingerprints = new Set(group.members);
    const members = findings.filter(({ fingerprint }) => fingerprints.has(fingerprint));
    const keys = members.flatMap((finding) =>
      finding.changes
        .filter(({ path }) => group.changes.some((shared) => shared.path === withoutAccount(path, finding.account)))
        .map((change) => causeOf(finding, change)),
    );
    if (keys.length === 0 || keys.includes(undefined))
      throw new Error(
        group.severity === "error"
          ? `The cause ${id} has severity error, which no entry accepts everywhere. Accept its objects without --cause, and with --baseline-errors.`
          : `The cause ${id} is not a value that is shown, or some of its objects have failed or are recorded twice: no entry accepts it everywhere. Accept its objects without --cause.`,
      );
    return keys as CauseKey[];
  });
  return withoutDoubles(causes.map((cause) => ({ ...cause, ...terms })));
}

/** How many causes an error names. */
const namedCauses = 5;

function causesIn(groups: readonly FindingGroup[]): string {
  if (groups.length === 0) return ": no two of its findings share one. Accept its findings without --cause.";
  const named = groups.slice(0, namedCauses).map(({ id, type, changes, members }) => {
    const what = [type, ...changes.map(({ path }) => `\`${path}\``)].filter((each) => each !== null).join(" ");
    return `${id} (${what}${what === "" ? "" : ", "}${members.length} findings)`;
  });
  const others = groups.length > namedCauses ? `, and ${groups.length - namedCauses} more` : "";
  return `: it has ${named.join(", ")}${others}; \`drift --json\` lists all, as \`groups\`.`;
}

/** Of the same cause, the last one. */
export const withoutDoubles = (causes: readonly CauseEntry[]): CauseEntry[] => [
  ...new Map(causes.map((cause) => [causeKeyOf(cause), cause])).values(),
];

type CauseKey = Pick<CauseEntry, "origin" | "kind" | "path" | "live">;

/** Undefined for what rests on more than the value, and for severity `error`: that is accepted for each object. */
function causeOf(finding: Finding, change: Change): CauseKey | undefined {
  const { origin, type: kind, verdict, account } = finding;
  const form = liveForm(finding, change);
  const restsOnMore = Object.keys(substanceOf(finding, change)).some((name) => name !== "value");
  if (verdict !== "changed" || change.severity === "error" || form === undefined || restsOnMore) return undefined;
  return { origin, kind, path: withoutAccount(change.path, account), live: hashOf(form) };
}

const causeKeyOf = (cause: CauseKey | undefined): string =>
  cause === undefined ? "" : JSON.stringify([originKey(cause.origin), cause.kind, cause.path, cause.live]);

function entryKey(
  finding: Finding,
  change: Change | undefined,
  substance: typeof substanceOf,
): Pick<Entry, "origin" | "name" | "path" | "live"> {
  const { origin, name } = finding;
  return omitUndefined({ origin, name, path: change?.path, live: hashOf(substance(finding, change)) });
}

/** What accepting a finding, or one of its changes, rests on: the object, the field, its value, the reason. */
export const acceptanceKey = (finding: Finding, change: Change | undefined): string =>
  keyOf(entryKey(finding, change, substanceOf));

const keyOf = ({ origin, name, path, live }: Pick<Entry, "origin" | "name" | "path" | "live">): string =>
  JSON.stringify([originKey(origin), name, path, live]);

const hashOf = (value: unknown): string => shortHash(JSON.stringify(inOrder(value)));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, inOrder(member)]),
  );
}
