import type { AccountReport, CollectionReport, DriftReport, Finding, Suppression, Verdict } from "../document";

/** What a verdict says to people, once for every format. */
export interface Wording {
  /** One or two words, as a heading. */
  title: string;
  /** What it means for the object. */
  meaning: string;
  /** What to do about it. */
  next: string;
  /** Whether it is drift, could not be found out, or is only told. */
  nature: "drift" | "unknown" | "told";
}

/** In the order in which people want to read them. */
export const wordings: Readonly<Record<Verdict, Wording>> = {
  changed: {
    title: "changed",
    meaning: "The live object differs from what its stack has recorded.",
    next: "`pulumi up --refresh` sets it back. To keep what is live, write it into the program; to accept it for a time, put it into the baseline.",
    nature: "drift",
  },
  missing: {
    title: "missing",
    meaning: "A stack has recorded the object, and the service has it no more.",
    next: "`pulumi up --refresh` makes it again. If it is meant to be gone, take it out of the program.",
    nature: "drift",
  },
  unmanaged: {
    title: "unmanaged",
    meaning: "The object is live and in no scanned stack.",
    next: "`modelplatform codify` writes its declaration. If it is not yours to manage, name it in the ignore file.",
    nature: "drift",
  },
  error: {
    title: "error",
    meaning: "The object could not be read, so nobody knows whether it has drifted.",
    next: "Read the reason and scan again. `modelplatform doctor` checks settings and reachability.",
    nature: "unknown",
  },
  forbidden: {
    title: "forbidden",
    meaning: "The account's key may not read the object, so nobody knows whether it has drifted.",
    next: "Give the account's key the right to read it, or leave the account out. `modelplatform doctor` shows what the key may do.",
    nature: "unknown",
  },
  retired: {
    title: "retired",
    meaning: "A finished job whose record the service has removed. Its outcome stands.",
    next: "Nothing to do: it is not run again.",
    nature: "told",
  },
  "in-flight": {
    title: "in flight",
    meaning: "The object is changing right now. What has settled is the same as recorded.",
    next: "Scan again when it has settled.",
    nature: "told",
  },
  unverifiable: {
    title: "unverifiable",
    meaning: "The service never answers some of its fields, so that they cannot be compared. The others are as recorded.",
    next: "If in doubt, raise `valueVersion`: the next `up` writes the value anew.",
    nature: "told",
  },
  "in-sync": { title: "in sync", meaning: "The live object is what its stack has recorded.", next: "Nothing to do.", nature: "told" },
};

type Advice = Pick<Wording, "title" | "meaning" | "next">;

/** Rules that say more than their verdict. */
const rules: Readonly<Record<string, Advice>> = {
  "drift/loosened": { ...wordings.changed, meaning: "The live object allows more than its stack has recorded." },
  "drift/recorded-twice": {
    title: "recorded twice",
    meaning: "Several resources record the same object, and each `up` of one may undo the other.",
    next: "Leave it to one: `pulumi state delete` takes it out of a stack and leaves the object alone.",
  },
};

/** What a finding means and what to do about it. */
export const adviceOn = ({ ruleId, verdict }: Pick<Finding, "ruleId" | "verdict">): Advice => (Object.hasOwn(rules, ruleId) ? rules[ruleId]! : wordings[verdict]);

/** Whether somebody has to do something about it, should it not be accepted. */
export const isTold = ({ ruleId, verdict }: Pick<Finding, "ruleId" | "verdict">): boolean => wordings[verdict].nature === "told" && !Object.hasOwn(rules, ruleId);

export const readingOrder = Object.keys(wordings) as Verdict[];

/** Findings in reading order, those that count before the suppressed ones, and the severe ones first. */
export function inReadingOrder(findings: readonly Finding[]): Finding[] {
  const severity = { error: 0, warning: 1, note: 2 };
  const rank = ({ suppressed, verdict, severity: level }: Finding): number => (suppressed === undefined ? 0 : 100) + readingOrder.indexOf(verdict) * 3 + severity[level];
  return [...findings].sort((a, b) => rank(a) - rank(b));
}

/** Which object a finding is about, in few words: `Deployment chat`, or `PolicySettings of acme` where an account has but one. */
export function shortName({ name, type, account }: Pick<Finding, "name" | "type" | "account">): string {
  const id = name.split("/").slice(3).join("/");
  return id === "" ? `${type} of ${account}` : `${type} ${id}`;
}

/** How far an account or a collection could be read. */
export const readings = { read: "read", partial: "read in part", forbidden: "forbidden", error: "could not be read" } as const satisfies Record<AccountReport["status"], string>;

export const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;

/** What a report says in one sentence. */
export function headline({ drifted, complete, exitCode, findings }: DriftReport): string {
  if (exitCode === 1) return "The scan failed";
  const open = findings.filter(({ verdict, suppressed }) => wordings[verdict].nature === "drift" && suppressed === undefined).length;
  const found = drifted ? "Drift found" : open > 0 ? "Nothing that fails the scan" : "No drift";
  const partial = complete ? "" : ", and not everything could be read";
  return `${found}${open > 0 ? `: ${count(open, "object")} ${open === 1 ? "differs" : "differ"} from the stacks` : ""}${partial}`;
}

export interface Coverage {
  managed: number;
  /** Null where a collection could not be read. */
  total: number | null;
}

/** `19 of 20 (95%)`, or `19 of ?`. */
export function coverageText({ managed, total }: Coverage): string {
  if (total === null) return `${managed} of ?`;
  return total === 0 ? "0 of 0" : `${managed} of ${total} (${Math.floor((managed / total) * 100)}%)`;
}

/** What an account's collections come to. */
export const coverageOf = ({ status, collections }: AccountReport): Coverage =>
  collections.reduce<Coverage>((sum, { managed, total }) => ({ managed: sum.managed + managed, total: sum.total === null || total === null ? null : sum.total + total }), {
    managed: 0,
    total: collections.length === 0 && status !== "read" ? null : 0,
  });

/** What could not be read of an account of which the rest could; of an account that could not be read at all there is no more to tell. */
export const unreadOf = ({ status, collections }: AccountReport): CollectionReport[] => (status === "partial" ? collections.filter((collection) => collection.status !== "read") : []);

/** Why a finding does not count, in words. */
export const acceptance = ({ by, owner, reason, expires }: Suppression): string =>
  [by, ...(owner === null ? [] : [`owner ${owner}`]), ...(reason === null ? [] : [reason]), ...(expires === null ? [] : [`until ${expires}`])].join(", ");

/** Seconds between the times that a report has recorded. */
export const secondsOf = ({ startedAt, finishedAt }: Pick<DriftReport, "startedAt" | "finishedAt">): number => (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;

/** Length of a scan in words. */
export function durationText(report: Pick<DriftReport, "startedAt" | "finishedAt">): string {
  const seconds = secondsOf(report);
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
