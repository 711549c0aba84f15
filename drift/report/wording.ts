import { formatAmount, nanosIn } from "../../governance/cost/money";
import { type CommandRest, ownCommand, quotedCommand } from "../../io/text/command-line";
import { resourceNameIn } from "../../provider/core/pulumi-names";
import {
  type AccountReport,
  type CollectionReport,
  type Dependent,
  type DriftReport,
  type Finding,
  type FindingGroup,
  openDriftIn,
  type Suppression,
  type Verdict,
} from "../scan/document";
import { coverageOf, type StackCoverage } from "../scan/result";

/** Phrases that several formats share. They are not safe to print yet: they hold names that others have written. */

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** Objects with a verdict, without those that a choice leaves out; of breaches, how many there are. */
export const countIn = ({ summary, leftOut = 0 }: Pick<DriftReport, "summary" | "leftOut">, verdict: Verdict): number =>
  (summary[verdict] ?? 0) - (verdict === "unmanaged" ? leftOut : 0);

/** What a report is of: a scan of drift, or an audit. */
export const reportSubject = ({ policies }: Pick<DriftReport, "policies">): "drift" | "audit" =>
  policies === undefined ? "drift" : "audit";

/** What follows account and collection; empty where an account has but one object of the kind. */
const idIn = (name: string): string => name.split("/").slice(3).join("/");

/**
 * Which object a finding is about, in few words: `Deployment chat`, or
 * `PolicySettings of acme` where an account has but one.
 */
export function shortName({ name, type, account }: Pick<Finding, "name" | "type" | "account">): string {
  const id = idIn(name);
  return id === "" ? `${type} of ${account}` : `${type} ${id}`;
}

/** A report in one sentence. */
export function headline(report: DriftReport): string {
  const { drifted, complete, exitCode } = report;
  const subject = reportSubject(report);
  if (exitCode === 1) return `The ${subject === "audit" ? "audit" : "scan"} failed`;
  const open = openDriftIn(report).length;
  const { failing, harmless, none, counted } = outcomes[subject];
  if (subject === "audit" && !complete && open === 0) return "Not everything could be judged";
  if (!complete && open === 0 && nothingIsRead(report)) return "Nothing could be read";
  const summary = open > 0 ? harmless : none;
  const partial = complete ? "" : ", and not everything could be read";
  return `${drifted ? failing : summary}${open > 0 ? `: ${counted(open)}` : ""}${partial}`;
}

const nothingIsRead = ({ accounts }: DriftReport): boolean =>
  accounts.every(({ collections }) => collections.every(({ status }) => status !== "read"));

/** How a report begins: with findings that fail it, with others only, and with none. */
const outcomes = {
  drift: {
    failing: "Drift found",
    harmless: "Nothing that fails the scan",
    none: "No drift",
    counted: (open: number): string => `${count(open, "object")} ${open === 1 ? "differs" : "differ"} from the stacks`,
  },
  audit: {
    failing: "Breaches found",
    harmless: "Nothing that fails the audit",
    none: "No breach",
    counted: (open: number): string => `${count(open, "breach", "breaches")} of policies`,
  },
};

/** `19 of 20 (95%)`, or `19 of ?`. */
export function coverageText({ managed, total }: StackCoverage): string {
  if (total === null) return `${managed} of ?`;
  return total === 0 ? "0 of 0" : `${managed} of ${total} (${Math.floor((managed / total) * 100)}%)`;
}

/** The totals of an account's collections. */
export const coverageIn = ({ status, collections }: AccountReport): StackCoverage =>
  collections.length === 0 && status !== "read" ? { managed: 0, total: null } : coverageOf(collections);

/**
 * The unreadable parts of an account that was read otherwise; of an account that could not be read at all, there is
 * nothing more to say.
 */
export const unreadOf = ({ status, collections }: AccountReport): CollectionReport[] =>
  status === "partial" ? collections.filter((collection) => collection.status !== "read") : [];

/** Why a finding does not count, in words. */
export const acceptance = ({ by, owner, reason, expires }: Suppression): string =>
  [
    by,
    ...(owner === null ? [] : [`owner ${owner}`]),
    ...(reason === null ? [] : [reason]),
    ...(expires === null ? [] : [`until ${expires}`]),
  ].join(", ");

/** What a difference costs: `costs 48.00 USD more per hour`. */
export function costOf(
  { hourlyCostChange: change }: Pick<Finding, "hourlyCostChange">,
  currency = "",
): string | undefined {
  const nanos = change === undefined ? undefined : nanosIn(change);
  if (nanos === undefined) return undefined;
  const [size, word] = nanos < 0n ? [-nanos, "less"] : [nanos, "more"];
  return `costs ${[formatAmount(size), currency, word].filter((part) => part !== "").join(" ")} per hour`;
}

const minute = (time: string): string => `${time.slice(0, 16).replace("T", " ")} UTC`;

/** Since when a finding is known: `first seen 2026-03-01 02:00 UTC, in 12 scans`. */
export const knownSince = ({ firstSeen, timesSeen }: Pick<Finding, "firstSeen" | "timesSeen">): string | undefined =>
  firstSeen === undefined ? undefined : `first seen ${minute(firstSeen)}, in ${count(timesSeen ?? 1, "scan")}`;

/** Since when the oldest of several is known. */
export const firstSeenText = ({ firstSeen }: Pick<Finding, "firstSeen">): string | undefined =>
  firstSeen === undefined ? undefined : `first seen ${minute(firstSeen)}`;

/** When it changed, as far as that is known: `changed between 2026-02-27 10:00 UTC and 2026-02-28 23:11 UTC`. */
export function changeWindow({
  verdict,
  changedBetween: window,
}: Pick<Finding, "verdict" | "changedBetween">): string | undefined {
  const { after, before } = window ?? {};
  const what = verdict === "missing" ? "deleted" : "changed";
  if (after !== undefined && before !== undefined && minute(after) === minute(before))
    return `${what} at ${minute(before)}`;
  if (after !== undefined && before !== undefined) return `${what} between ${minute(after)} and ${minute(before)}`;
  if (after !== undefined) return `${what} after ${minute(after)}`;
  return before === undefined ? undefined : `${what} before ${minute(before)}`;
}

/** Both in one line, where either is known. */
export const timesOf = (finding: Finding): string | undefined => {
  const known = [knownSince(finding), changeWindow(finding)].filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.join("; ");
};
/** `12 objects depend on it`. */
export function dependentsText(dependents: number, isOne: boolean): string | undefined {
  if (dependents === 0) return undefined;
  return `${count(dependents, "object depends", "objects depend")} on ${isOne ? "it" : "them"}`;
}

/** What depends on an object: `needed by DeployedModel support, DeployedModel chat and 3 more`. */
export function dependentsIn(dependents: readonly Dependent[]): string | undefined {
  if (dependents.length === 0) return undefined;
  const visible = dependents.slice(0, mostDependents).map(dependentName);
  const rest = dependents.length - visible.length;
  return `needed by ${visible.join(", ")}${rest === 0 ? "" : ` and ${rest} more`}`;
}

/** Of an object, how many dependents a person reads. */
const mostDependents = 5;

export const dependentName = ({ type, name, urn }: Dependent): string =>
  `${type} ${name === null ? resourceNameIn(urn ?? "") : idIn(name)}`.trimEnd();

/** Which objects the findings of one cause are about: `40 of Deployment`. */
export function subjectOf({ type }: Pick<FindingGroup, "type">, members: readonly Finding[]): string {
  if (type !== null) return `${members.length} of ${type}`;
  const types = [...new Set(members.map((member) => member.type))];
  const counts = types.map((each) => `${members.filter((member) => member.type === each).length} of ${each}`);
  return counts.join(", ");
}

/** Where they are: `in 40 accounts, recorded in 3 stacks`. */
export function whereabouts({ accounts, stacks }: Pick<FindingGroup, "accounts" | "stacks">): string {
  const places = accounts.length === 1 ? accounts[0]! : count(accounts.length, "account");
  return `in ${places}${stacks.length === 0 ? "" : `, recorded in ${stacks.length === 1 ? stacks[0] : count(stacks.length, "stack")}`}`;
}

export function membersByAccount(members: readonly Finding[]): [account: string, ids: string[]][] {
  const accounts = new Map<string, string[]>();
  for (const { account, name } of members) {
    const id = idIn(name);
    accounts.set(account, [...(accounts.get(account) ?? []), ...(id === "" ? [] : [id])]);
  }
  return [...accounts];
}

/** Whose findings they are: `owner: search`; undefined where nobody owns any. */
export function ownersText(findings: readonly Pick<Finding, "owner">[]): string | undefined {
  const teams = [...new Set(findings.flatMap(({ owner }) => owner ?? []))].sort();
  if (teams.length === 0) return undefined;
  const isWhole = findings.every(({ owner }) => owner !== undefined);
  return `${teams.length === 1 ? "owner" : "owners"}: ${[...teams, ...(isWhole ? [] : ["nobody"])].join(", ")}`;
}

/** How much of what counts is whose, with owners: `by owner: search 12, serving 3, nobody 1`. */
export function countsByOwner({ owners, findings }: Pick<DriftReport, "owners" | "findings">): string | undefined {
  if (owners === undefined) return undefined;
  const open = openDriftIn({ findings });
  const countOf = (team: string | undefined): number => open.filter(({ owner }) => owner === team).length;
  const counts = [...owners, undefined].map((team) => [team ?? "nobody", countOf(team)] as const);
  const held = counts.filter(([, findings]) => findings > 0).map(([team, findings]) => `${team} ${findings}`);
  return held.length === 0 ? undefined : `by owner: ${held.join(", ")}`;
}

/** The line of the program that accepts changes of watched fields. */
export const acceptLine = ({
  acceptDrift,
  suppressed,
}: Pick<Finding, "acceptDrift" | "suppressed">): string | undefined =>
  acceptDrift === undefined || suppressed !== undefined ? undefined : `acceptDrift: ${JSON.stringify(acceptDrift)}`;

/** Seconds between the times that a report has recorded. */
export const secondsOf = ({ startedAt, finishedAt }: Pick<DriftReport, "startedAt" | "finishedAt">): number =>
  (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;

/** Length of a scan in words. */
function durationText(report: Pick<DriftReport, "startedAt" | "finishedAt">): string {
  const seconds = secondsOf(report);
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** The scope of the scan, and its cost. */
export function scopeOf(report: DriftReport): string[] {
  const { stacks, accounts, shard, run } = report.scope;
  const requests = report.accounts.reduce((sum, account) => sum + account.requests, 0);
  return [
    count(stacks.length, "stack"),
    // A merge knows of accounts that it misses; a shard reads its own of all.
    (shard === undefined && report.accounts.length < accounts.length ? `${report.accounts.length} of ` : "") +
      count(accounts.length, "account"),
    ...(shard === undefined ? [] : [`shard ${shard}`]),
    ...(run === undefined ? [] : [`run ${run}`]),
    objectsRead(report),
    count(requests, "request"),
    durationText(report),
  ];
}

/** `12 objects read, 10 judged`. Unread objects do not count. */
function objectsRead({ accounts, summary }: DriftReport): string {
  const read = accounts.flatMap(({ collections }) => collections).reduce((sum, each) => sum + each.read, 0);
  const judged = Object.values(summary).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  return `${count(read, "object")} read, ${judged} judged`;
}

/** The wording of each verdict, shared by all formats. */
interface Wording {
  /** One or two words, as a heading. */
  title: string;
  /** Its meaning for the object. */
  meaning: string;
  /** What to do about it. */
  next: string;
}

/** In the order in which people want to read them. */
export const wordings: Readonly<Record<Verdict, Wording>> = {
  changed: {
    title: "changed",
    meaning: "The live object differs from what its stack has recorded.",
    next: "{refresh} reverts what the program sets. `up` does not restore what is marked as not set by the program: set it in the program first. To keep the live value, write it into the program{accept}; to accept it for a time, put it into the baseline.",
  },
  missing: {
    title: "missing",
    meaning: "A stack has recorded the object, but the service no longer has it.",
    next: "{refresh} creates it again. If the deletion was intended, remove it from the program first{accept}; the same command then drops it from the state.",
  },
  unmanaged: {
    title: "unmanaged",
    meaning: "The object is live and not in any scanned stack.",
    next: "`npx pulumi-modelplatform codify` writes its declaration. If it is not yours to manage, name it in the ignore file.",
  },
  breach: {
    title: "in breach",
    meaning: "A live object, or what an account holds together, is not as a policy of the audit wants it.",
    next: "Do what the finding says, in the program where a stack declares the object. To accept it for a time, put it into the baseline.",
  },
  error: {
    title: "error",
    meaning: "The object could not be read, or a policy cannot judge what it holds.",
    next: "Read the reason and scan again. `npx pulumi-modelplatform doctor` checks settings and reachability. What a stack records of an account that is gone, `state delete` takes out of it.",
  },
  forbidden: {
    title: "forbidden",
    meaning: "The account's key may not read the object, so drift is unknown.",
    next: "Give an account another key if its own is not accepted (401), and its member the right if it may not read (403), or leave it out. `npx pulumi-modelplatform doctor` shows what the key may do.",
  },
  retired: {
    title: "retired",
    meaning: "A finished job whose record the service has removed. Its outcome stands.",
    next: "Nothing to do: it is not run again.",
  },
  "in-flight": {
    title: "in flight",
    meaning: "The object is changing right now. Settled fields match the record.",
    next: "Scan again when it has settled.",
  },
  unverifiable: {
    title: "unverifiable",
    meaning: "The service never returns some of its fields, so they cannot be compared. The others match the record.",
    next: "If in doubt, raise `valueVersion`: the next `up` writes the value again.",
  },
  "in-sync": {
    title: "in sync",
    meaning: "The live object matches the record.",
    next: "Nothing to do.",
  },
};

type Advice = Pick<Wording, "title" | "meaning" | "next">;

const accepting =
  "To accept it as it is, give the program the `acceptDrift` of the finding and run {up}; to accept it for a time, put it into the baseline. A refresh accepts nothing.";

/** Rules that say more than their verdict. */
const rules: Readonly<Record<string, Advice>> = {
  "drift/watched": {
    title: "changed, set by no program",
    meaning: "The live object is not what was last accepted, in fields that matter and that the program does not set.",
    next: `Set the fields in the program to what they should be, and run {refresh}: \`up\` does not restore what the program leaves out. To keep them, write them into the program{accept}. ${accepting}`,
  },
  "drift/loosened": {
    title: "opened",
    meaning: "The live object allows more than what was last accepted.",
    next: `{refresh} reverts what the program sets. \`up\` does not restore what is marked as not set by the program: set it in the program first. To keep the live value, write it into the program{accept}. ${accepting}`,
  },
  "drift/remade": {
    title: "recreated by hand",
    meaning: "The object was deleted and created again under its name: it may differ from the recorded one.",
    next: `{anew} creates another one from the program and leaves this one; where the program chose the id, give it another one instead. ${accepting}`,
  },
  "drift/failed": {
    title: "failed",
    meaning: "The live object has failed since it was recorded.",
    next: '{refresh} replaces it. A job is run again where its program says `onFailure: "rerun"`; otherwise with {replace}.',
  },
  "drift/output": {
    title: "what a job produced",
    meaning: "The output model of a finished job is gone, or was made public.",
    next: 'If it is gone, {rerun} runs the job again; if the model is no longer needed, remove the job from the program. If it was made public, declare the model (`Model` with `adopt: "overwrite"`) and set what it should be. To accept it for a time, put it into the baseline.',
  },
  "drift/recorded-twice": {
    title: "recorded twice",
    meaning: "Several resources record the same object, and each `up` of one may undo the other.",
    next: "Keep one: {forget}, with a URN of the reason, removes the others from their stacks without touching the object.",
  },
};

/** What advice depends on besides its rule. */
interface AdviceScope {
  /** Stacks that the commands are for. */
  stacks: readonly string[];
  /** Stacks of the scan: with several, each command names its own. */
  scanned: readonly string[];
  builtIn?: ReadonlySet<string> | undefined;
  /** Whether `accept` has to be allowed any of it; undefined if it cannot edit the program. */
  isGuarded?: boolean | undefined;
}

/** The meaning of a finding, and what to do about it, the same in every format. */
export function adviceOn(
  { ruleId, verdict }: Pick<Finding, "ruleId" | "verdict">,
  scope: AdviceScope = { stacks: [], scanned: [] },
): Advice {
  const advice = Object.hasOwn(rules, ruleId) ? rules[ruleId]! : wordings[verdict];
  return { ...advice, next: advice.next.replace(/\{(\w+)\}/g, (_, name: string) => commandsIn(scope)[name]!()) };
}

/** The commands that advice names, each for every stack that it is about. */
const commandsIn = (scope: AdviceScope): Record<string, () => string> => ({
  refresh: () => commandFor(scope, ["up", "--refresh"]),
  up: () => commandFor(scope, ["up"]),
  replace: () => commandFor(scope, ["up", "--replace"], { placeholder: "urn" }),
  rerun: () => commandFor(scope, ["up", "--replace"], { placeholder: "urn of the job" }),
  anew: () =>
    commandFor(scope, ["up", "--replace"], { placeholder: "urn", variables: { MODELPLATFORM_RECOVER: "new" } }),
  forget: () => commandFor(scope, ["state", "delete"], { placeholder: "urn" }),
  accept: () => acceptanceIn(scope),
});

/** Stacks whose commands advice spells out. */
const mostStacks = 3;

function commandFor({ stacks, scanned, builtIn }: AdviceScope, words: readonly string[], rest?: CommandRest): string {
  const [first] = scanned;
  const own = stacks.length > 0 ? stacks : scanned.slice(0, 1);
  const lines = (own.length > 0 ? own : [undefined]).slice(0, mostStacks).map((stack) => {
    const isNamed = stack !== undefined && (scanned.length > 1 || stack !== first);
    const flags = isNamed ? [["--stack", stack] as const] : [];
    return quotedCommand([...engineOf(stack, builtIn), ...words], { ...rest, flags });
  });
  const more = own.length - lines.length;
  const others = [...lines.slice(1), ...(more > 0 ? [`and so on for ${count(more, "more stack")}`] : [])];
  return others.length === 0 ? lines[0]! : `${lines[0]} (and ${others.join(", ")})`;
}

function acceptanceIn({ isGuarded, ...scope }: AdviceScope): string {
  if (isGuarded === undefined) return "";
  const everywhere = new Set(scope.scanned);
  const accepting = commandFor({ ...scope, builtIn: everywhere }, ["accept", "--write"]);
  const opening = isGuarded ? ", with the `--allow` that it names for what opens something up" : "";
  return `: ${accepting} does that${opening}`;
}

/** The words that a command of the stack's engine begins with. */
export const engineOf = (stack: string | undefined, builtIn: ReadonlySet<string> | undefined): readonly string[] =>
  stack !== undefined && builtIn?.has(stack) ? ownCommand : ["pulumi"];

/** What findings of one advice have in common: their stacks, and whether and how \`accept\` is for some of them. */
export function adviceScope(
  findings: readonly Pick<Finding, "fingerprint" | "stacks">[],
  { scope }: Pick<DriftReport, "scope">,
  { builtIn, allowances }: { builtIn?: ReadonlySet<string> | undefined; allowances?: Allowances },
): AdviceScope {
  const editable = findings.flatMap(({ fingerprint }) => {
    const needed = allowances?.get(fingerprint);
    return needed === undefined ? [] : [needed];
  });
  return {
    stacks: [...new Set(findings.flatMap(({ stacks }) => stacks))],
    scanned: scope.stacks,
    builtIn,
    isGuarded: editable.length === 0 ? undefined : editable.some(({ length }) => length > 0),
  };
}

type Allowances = ReadonlyMap<string, readonly string[]> | undefined;

export const readingOrder = Object.keys(wordings) as Verdict[];

/** Accounts whose key the service refuses: nothing of them is compared, which is said once and not for each object. */
export const refusedAccounts = ({ accounts }: Pick<DriftReport, "accounts">): string[] =>
  accounts.filter(({ status }) => status === "forbidden").map(({ account }) => account);

/** The findings that are listed one by one. */
export function shownFindings(report: Pick<DriftReport, "accounts" | "findings">): Finding[] {
  const refused = new Set(refusedAccounts(report));
  return report.findings.filter(({ verdict, account }) => verdict !== "forbidden" || !refused.has(account));
}

/** How far an account could be read. */
export const readingOf = ({ status }: Pick<AccountReport, "status">): string =>
  status === "forbidden" ? "key refused" : readings[status];

/** How far an account or a collection could be read. */
export const readings = {
  read: "read",
  partial: "read in part",
  forbidden: "forbidden",
  error: "could not be read",
} as const satisfies Record<AccountReport["status"], string>;
