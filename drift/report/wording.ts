import type { AccountReport } from "../scan/document";
import type { Finding, Verdict } from "../scan/finding-schema";

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
    next: "`pulumi up --refresh` reverts what the program sets. `up` does not restore what is marked as not set by the program: set it in the program first. To keep the live value, write it into the program; to accept it for a time, put it into the baseline.",
  },
  missing: {
    title: "missing",
    meaning: "A stack has recorded the object, but the service no longer has it.",
    next: "`pulumi up --refresh` creates it again. If the deletion was intended, remove it from the program first; the same command then drops it from the state.",
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
    meaning: "The object could not be read, so drift is unknown.",
    next: "Read the reason and scan again. `npx pulumi-modelplatform doctor` checks settings and reachability.",
  },
  forbidden: {
    title: "forbidden",
    meaning: "The account's key may not read the object, so drift is unknown.",
    next: "Give the account's key the right to read it, or leave the account out. `npx pulumi-modelplatform doctor` shows what the key may do.",
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
  "To accept it as it is, give the program the `acceptDrift` of the finding and run `pulumi up`; to accept it for a time, put it into the baseline. A refresh accepts nothing.";

/** Rules that say more than their verdict. */
const rules: Readonly<Record<string, Advice>> = {
  "drift/watched": {
    title: "changed, set by no program",
    meaning: "The live object is not what was last accepted, in fields that matter and that the program does not set.",
    next: `Set the fields in the program to what they should be, and run \`pulumi up --refresh\`: \`up\` does not restore what the program leaves out. ${accepting}`,
  },
  "drift/loosened": {
    title: "opened",
    meaning: "The live object allows more than what was last accepted.",
    next: `\`pulumi up --refresh\` reverts what the program sets. \`up\` does not restore what is marked as not set by the program: set it in the program first. ${accepting}`,
  },
  "drift/remade": {
    title: "recreated by hand",
    meaning: "The object was deleted and created again under its name: it may differ from the recorded one.",
    next: `\`MODELPLATFORM_RECOVER=new pulumi up --replace <urn>\` creates another one from the program and leaves this one; where the program chose the id, give it another one instead. ${accepting}`,
  },
  "drift/failed": {
    title: "failed",
    meaning: "The live object has failed since it was recorded.",
    next: '`pulumi up --refresh` replaces it. A job is run again where its program says `onFailure: "rerun"`; otherwise with `pulumi up --replace <urn>`.',
  },
  "drift/output": {
    title: "what a job produced",
    meaning: "The output model of a finished job is gone, or was made public.",
    next: 'If it is gone, `pulumi up --replace <urn of the job>` runs the job again; if the model is no longer needed, remove the job from the program. If it was made public, declare the model (`Model` with `adopt: "overwrite"`) and set what it should be. To accept it for a time, put it into the baseline.',
  },
  "drift/recorded-twice": {
    title: "recorded twice",
    meaning: "Several resources record the same object, and each `up` of one may undo the other.",
    next: "Keep one: `pulumi state delete` removes the others from their stacks without touching the object.",
  },
};

/** The meaning of a finding, and what to do about it. */
export const adviceOn = ({ ruleId, verdict }: Pick<Finding, "ruleId" | "verdict">): Advice =>
  Object.hasOwn(rules, ruleId) ? rules[ruleId]! : wordings[verdict];

export const readingOrder = Object.keys(wordings) as Verdict[];

/** How far an account or a collection could be read. */
export const readings = {
  read: "read",
  partial: "read in part",
  forbidden: "forbidden",
  error: "could not be read",
} as const satisfies Record<AccountReport["status"], string>;
