import { type CommandRest, ownCommand, quotedCommand } from "../../io/text/command-line";
import type { DriftReport } from "../scan/document";
import type { Finding, Verdict } from "../scan/finding-document";
import { count } from "./wording";

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
    next: "{refresh} reverts what the program sets, in every resource unless `--target` names some. `up` does not restore what is marked as not set by the program: set it in the program first. To keep the live value, write it into the program{accept}; to accept it for a time, put it into the baseline.",
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
    next: `{refresh} reverts what the program sets, in every resource unless \`--target\` names some. \`up\` does not restore what is marked as not set by the program: set it in the program first. To keep the live value, write it into the program{accept}. ${accepting}`,
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
