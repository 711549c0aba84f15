import { dayMs, dayOf } from "../../provider/core/values/day";
import { accountOf } from "../../provider/core/values/names";
import { omitUndefined } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import type { DriftReport, StaleEntry } from "./document";
import { originKey, shortHash } from "./finding";
import type { Change, Finding } from "./finding-schema";
import type { Suppressor } from "./suppression";

/** Findings that a team has accepted for a while. */
const Entry = z.strictObject({
  origin: z.string(),
  name: z.string(),
  /** Absent: the finding as a whole, which has no changes. */
  path: z.string().optional(),
  /** Hash of the live value: another value counts again. */
  live: z.string(),
  owner: z.string().min(1),
  reason: z.string().min(1),
  /** Last day on which it holds, UTC. */
  expires: z.iso.date(),
});

const BaselineFile = z.strictObject({ version: z.literal(1), entries: z.array(Entry) });

type Entry = z.infer<typeof Entry>;

export interface Baseline {
  suppressor: Suppressor;
  /**
   * Entries whose time is over, and those that nothing matched in the accounts that were read. Asked once all
   * findings have been shown to the suppressor.
   */
  stale(accounts: ReadonlySet<string>): StaleEntry[];
}

const longestDays = 180;

/** The day until which an entry made at `now` may hold at most. */
export const latestExpiry = (now: number): string => dayOf(now + longestDays * dayMs);

/** Reads a baseline. Throws an error that names the entry at fault. `where` is how errors call the file. */
export function openBaseline(document: unknown, where: string, now: number, allowError: boolean): Baseline {
  const parsed = BaselineFile.safeParse(document);
  if (!parsed.success)
    throw new Error(
      `${where} is not a baseline: ${parsed.error.issues.map(({ path, message }) => `\`${path.join(".") || "document"}\`: ${message}`).join("; ")}. Write one with --write-baseline.`,
    );
  const { entries } = parsed.data;
  const tooLong = entries.find(({ expires }) => expires > latestExpiry(now));
  if (tooLong)
    throw new Error(
      `${where} accepts \`${tooLong.name}\` until ${tooLong.expires}, which is more than ${longestDays} days from now. Give a day up to ${latestExpiry(now)}.`,
    );
  const today = dayOf(now);
  const current = new Map(entries.filter(({ expires }) => expires >= today).map((entry) => [keyOf(entry), entry]));
  const matched = new Set<Entry>();

  return {
    suppressor: (finding, change) => {
      const entry = current.get(keyOf(entryKey(finding, change)));
      if (!entry) return undefined;
      matched.add(entry);
      if ((change ?? finding).severity === "error" && !allowError) return undefined;
      return { by: "baseline", owner: entry.owner, reason: entry.reason, expires: entry.expires };
    },
    stale: (accounts) => {
      const whyStale = (entry: Entry): StaleEntry["why"] | undefined => {
        if (entry.expires < today) return "expired";
        return !matched.has(entry) && accounts.has(accountOf(entry.name) ?? "") ? "unmatched" : undefined;
      };
      return entries.flatMap((entry) => {
        const why = whyStale(entry);
        const { name, path, owner, reason, expires } = entry;
        return why ? [omitUndefined({ name, path, owner, reason, expires, why })] : [];
      });
    },
  };
}

/**
 * A baseline that accepts the findings of a report that are not suppressed yet; those of severity `error` only if that
 * is allowed.
 */
export function baselineOf(
  { findings }: DriftReport,
  { allowError, ...terms }: { owner: string; reason: string; expires: string; allowError: boolean },
): z.infer<typeof BaselineFile> {
  const accepted = findings.filter(
    ({ suppressed, verdict }) => verdict !== "in-sync" && (!suppressed || suppressed.by === "baseline"),
  );
  const entries = accepted.flatMap((finding) => {
    const parts = finding.changes.length > 0 ? finding.changes : [undefined];
    return parts
      .filter((change) => allowError || (change ?? finding).severity !== "error")
      .map((change) => ({ ...entryKey(finding, change), ...terms }));
  });
  return { version: 1, entries };
}

function entryKey(finding: Finding, change: Change | undefined): Pick<Entry, "origin" | "name" | "path" | "live"> {
  const { origin, name } = finding;
  const live = hashOf(change ? { value: change.live } : ofWhole(finding));
  return omitUndefined({ origin, name, path: change?.path, live });
}

/** What a policy says of an object names the values that it objects to. */
const ofWhole = ({ verdict, ruleId, reason }: Finding): object =>
  verdict === "breach" ? { ruleId, reason } : { verdict };

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
