import type { ErrorAnswers } from "../../core/error-codes";
import type { IdSource } from "../memory/identity";

/**
 * What a live object is to the declaration that meets it, and its term in the documentation. The first that holds
 * counts.
 */
export const relations = {
  gone: ["deleted", "Deleted; its name stays taken until the service purges it."],
  theirs: ["another stack's", "It carries the marks of another stack."],
  siblingNow: ["another resource's now", "Another resource has it in this very run."],
  recorded: ["recorded", "The state that this run reads has it for this resource."],
  answered: ["this create's", "This create has created it; only the answer was lost."],
  begun: ["begun", "An interrupted run has certainly created it for this resource, and no state has held it."],
  former: ["former", "A state has held it for this resource."],
  siblingHeld: ["another resource's before", "A state has held it for another resource of this stack."],
  siblingBegun: ["begun by another resource", "An interrupted run has created it for another resource of this stack."],
  siblingAdopted: ["adopted by another resource", "Another resource of this stack has adopted it."],
  likely: [
    "likely begun",
    "A create of this resource lost its answer at that time, and sent exactly the fields that it shows.",
  ],
  possible: [
    "possibly begun",
    "As before, but it shows other fields as well. Or the create was refused because of it, and it shows exactly what was sent. Or the state says that a create had begun. Or it has an automatic id of this resource, which has had no object since it was created.",
  ],
  marked: ["marked as begun", "It has such an automatic id, and carries the marks of this resource."],
  strange: ["somebody's", "None of the above."],
} as const;

export type Relation = keyof typeof relations;

export type Adopt = "never" | "ifEqual" | "overwrite";
export type Recover = "ask" | "take" | "new";

/** What happens to a create that meets a live object. */
export const createActions = {
  next: "another object at the next id",
  nameAndNext: "another object at the next id; a message names the one that is left",
  keep: "it is this resource",
  takeOver: "taken over with a warning; refused if it cannot become what the program declares",
  takeBack: "taken back, with a warning; adopted only if it was before",
  adopt: "as `adopt` says",
  retake: "as `adopt` says; adopted only if it was before",
  revive: "as `onSoftDeletedConflict` says; refused if the id is never free again",
  ask: "refused, with a question that `recover` answers",
  refuse: "refused",
} as const;

export type CreateVerdict = keyof typeof createActions;

/** What a verdict depends on, beside the relation. */
export interface Situation {
  id: IdSource;
  adopt: Adopt;
  recover: Recover;
}

/** A row of a table: it matches if all columns that it names match. */
type Row<Conditions, Outcome> = { readonly [Name in keyof Conditions]?: readonly Conditions[Name][] } & {
  readonly verdict: Outcome;
};

type CreateRow = Row<Situation & { relation: Relation }, CreateVerdict>;

const named = ["chosen", "key"] as const;
const allowed = ["ifEqual", "overwrite"] as const;

/** What happens to a create that meets a live object: the first matching row. */
export const createRules: readonly CreateRow[] = [
  { relation: ["answered"], verdict: "keep" },
  { id: ["automatic"], relation: ["begun", "likely", "possible", "marked"], recover: ["new"], verdict: "nameAndNext" },
  { id: ["automatic"], relation: ["possible"], recover: ["ask"], verdict: "ask" },
  { id: ["automatic"], relation: ["begun", "likely", "possible", "marked"], verdict: "takeOver" },
  { id: ["automatic"], verdict: "next" },
  { id: named, relation: ["gone"], verdict: "revive" },
  { id: named, relation: ["begun", "likely"], recover: ["ask", "take"], verdict: "takeOver" },
  { id: named, relation: ["possible"], recover: ["take"], verdict: "takeOver" },
  { id: named, relation: ["possible"], adopt: ["never"], recover: ["ask"], verdict: "ask" },
  { id: named, relation: ["siblingHeld"], recover: ["take"], verdict: "takeBack" },
  { id: named, relation: ["former"], adopt: ["never"], recover: ["take"], verdict: "takeBack" },
  { id: named, relation: ["recorded", "former", "siblingBegun"], adopt: allowed, verdict: "retake" },
  { id: named, relation: ["possible", "siblingAdopted", "strange"], adopt: allowed, verdict: "adopt" },
  { id: named, verdict: "refuse" },
];

/** What happens to a create that meets such an object. */
export const decideCreate = (relation: Relation, situation: Situation): CreateVerdict =>
  firstMatchingRow(createRules, { ...situation, relation }).verdict;

const isRefusal = (verdict: CreateVerdict): boolean => verdict === "ask" || verdict === "refuse";

/** The answers with which a refused create of that situation does something else. */
export const answersTo = (relation: Relation, situation: Situation): ErrorAnswers => ({
  ...answersThat((answer) => !isRefusal(decideCreate(relation, { ...situation, ...answer }))),
  ...(situation.id !== "automatic" && { otherId: true }),
});

/** The values of `recover` and `adopt` that lead to another verdict, each by itself. */
function answersThat(help: (answer: Partial<Pick<Situation, "adopt" | "recover">>) => boolean): ErrorAnswers {
  const recover = (["take", "new"] as const).filter((each) => help({ recover: each }));
  const adopt = allowed.filter((each) => help({ adopt: each }));
  return { ...(recover.length > 0 && { recover }), ...(adopt.length > 0 && { adopt }) };
}

/** What a create does about the former object of its declaration, which no record of the run shows. */
export const formerActions = {
  pass: "as a create that meets it",
  takeBack: "taken back",
  ask: "refused; import it, or answer with `recover`",
  name: "another one is created, and a warning names both",
} as const;

export type FormerAction = keyof typeof formerActions;

export interface FormerSituation {
  /** It has the slot of the create. */
  place: "same" | "other";
  adopt: Adopt;
  recover: Recover;
  /** The state lacks it, by the engine or a refresh, and nobody continues with it. */
  isLost: boolean;
  /** It can become what the program declares. */
  fits: boolean;
}

/** What happens, before a create, to the former object of this declaration: the first matching row. */
export const formers: readonly Row<FormerSituation, FormerAction>[] = [
  { place: ["same"], adopt: allowed, verdict: "pass" },
  { place: ["same"], recover: ["new"], verdict: "pass" },
  { place: ["same"], recover: ["ask"], isLost: [false], verdict: "pass" },
  { recover: ["take"], fits: [true], verdict: "takeBack" },
  { recover: ["ask", "take"], isLost: [true], verdict: "ask" },
  { verdict: "name" },
];

export const decideFormer = (situation: FormerSituation): FormerAction => firstMatchingRow(formers, situation).verdict;

/** The answers with which a create that is refused because of its former object does something else. */
export const answersToFormer = (situation: FormerSituation): ErrorAnswers => ({
  ...answersThat((answer) => {
    const given = { ...situation, ...answer };
    const verdict = decideFormer(given);
    if (verdict !== "pass") return verdict !== "ask";
    return given.fits && !isRefusal(decideCreate("former", { ...given, id: "chosen" }));
  }),
  ...(situation.place === "same" && { otherId: true }),
});

/** The first row whose named conditions all hold. */
export function firstMatchingRow<Conditions extends object, Outcome>(
  rows: readonly Row<Conditions, Outcome>[],
  situation: Conditions,
): Row<Conditions, Outcome> {
  const fits = (row: { readonly [Name in keyof Conditions]?: readonly Conditions[Name][] }): boolean =>
    (Object.keys(situation) as (keyof Conditions)[]).every((name) => row[name]?.includes(situation[name]) ?? true);
  return rows.find(fits)!;
}

/** What happens to another object under the recorded name. */
interface Recreated {
  /** On refresh: `accept` it as recorded, `drop` the record, or `show` it in the outputs only. */
  read: "accept" | "drop" | "show";
  /** In the diff and the update of a program: continue with it, replace this resource, or refuse. */
  change: "continue" | "replace" | "refuse";
}

const own: Recreated = { read: "accept", change: "continue" };
const somebodys: Recreated = { read: "show", change: "refuse" };
const siblings: Recreated = { read: "drop", change: "replace" };

export const inPlaceOfRecorded: Readonly<Record<Relation, Recreated>> = {
  gone: somebodys,
  theirs: somebodys,
  siblingNow: siblings,
  recorded: { read: "drop", change: "continue" },
  answered: own,
  begun: own,
  former: own,
  siblingHeld: siblings,
  // Its record comes with the next `up`, which replaces this resource.
  siblingBegun: { read: "show", change: "replace" },
  siblingAdopted: siblings,
  likely: own,
  possible: somebodys,
  marked: somebodys,
  strange: somebodys,
};

/** Whether a create of this declaration created the object, and no state has held it. */
export const isUnrecorded = (relation: Relation): boolean => relation === "begun" || relation === "likely";

/** Whether to name an object under another id or key of this declaration: a create takes over the rest. */
export const isLeftUnderOtherId = (relation: Relation, id: IdSource): boolean =>
  relation === "possible" || (isUnrecorded(relation) && id !== "automatic");
