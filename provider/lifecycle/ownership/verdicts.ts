/** What a live object is to the declaration that meets it. Asked in this order: the first that holds counts. */
export const relations = {
  gone: "is deleted, and keeps its name until the service purges it",
  theirs: "carries the marks of another stack",
  siblingNow: "another resource of this run has it",
  recorded: "this run has shown a record of it for this resource",
  answered: "this very create has made it, and only the answer was lost",
  begun: "an interrupted run of this resource has made it, and no state has held it",
  former: "a state has held it for this resource",
  siblingHeld: "a state has held it for another resource of this stack",
  siblingBegun: "an interrupted run has made it for another resource of this stack",
  siblingAdopted: "another resource of this stack has adopted it",
  likely: "a create of this resource lost its answer, was under way when the object was made, and sent what it shows",
  possible:
    "the same, but it does not show exactly that; or it has an automatic id of this resource, and nothing else is known",
  marked: "it has an automatic id and the marks of this resource, and nothing else is known",
  strange: "none of that",
} as const;

export type Relation = keyof typeof relations;

/** Where the id comes from: nobody has chosen it, the program or a field has, or a natural key stands for it. */
export type IdSource = "automatic" | "chosen" | "key";
export type Adopt = "never" | "ifEqual" | "overwrite";
export type Recover = "ask" | "take" | "new";

/** What becomes of a create that meets a live object. */
export const verdicts = {
  next: "leave it, and create another at the next id",
  nameAndNext: "leave it, name it, and create another at the next id",
  keep: "it is this resource",
  takeOver: "take it over, and say so; refuse what cannot become what the program declares",
  takeBack: "take it over from who had it, and say so",
  adopt: "do as `adopt` says",
  retake: "the same; it is adopted only if it was before",
  revive: "do as `onSoftDeletedConflict` says; refuse where ids are never free again",
  ask: "stop, and ask for `recover`",
  refuse: "stop",
} as const;

export type Verdict = keyof typeof verdicts;

/** What a verdict depends on, beside the relation. */
export interface Situation {
  id: IdSource;
  adopt: Adopt;
  recover: Recover;
}

/** One row of a table: where all that it names holds. What it does not name may be anything. */
export type Row<Given, Outcome> = { readonly [Name in keyof Given]?: readonly Given[Name][] } & {
  readonly verdict: Outcome;
};

export type CreateRow = Row<Situation & { relation: Relation }, Verdict>;

const named = ["chosen", "key"] as const;
const allowed = ["ifEqual", "overwrite"] as const;

/** What becomes of a create that meets a live object: the first row that fits. */
export const creates: readonly CreateRow[] = [
  { relation: ["answered"], verdict: "keep" },
  {
    id: ["automatic"],
    relation: ["gone", "theirs", "siblingNow", "recorded", "former"],
    verdict: "next",
  },
  {
    id: ["automatic"],
    relation: ["siblingHeld", "siblingBegun", "siblingAdopted", "strange"],
    verdict: "next",
  },
  { id: ["automatic"], relation: ["begun", "likely", "possible", "marked"], recover: ["new"], verdict: "nameAndNext" },
  { id: ["automatic"], relation: ["possible"], recover: ["ask"], verdict: "ask" },
  { id: ["automatic"], verdict: "takeOver" },
  { id: named, relation: ["gone"], verdict: "revive" },
  { id: named, relation: ["theirs", "siblingNow"], verdict: "refuse" },
  { id: named, relation: ["begun", "likely"], recover: ["new"], verdict: "refuse" },
  { id: named, relation: ["begun", "likely"], verdict: "takeOver" },
  { id: named, relation: ["former"], adopt: ["never"], recover: ["take"], verdict: "takeBack" },
  { id: named, relation: ["siblingHeld"], recover: ["take"], verdict: "takeBack" },
  { id: named, relation: ["siblingHeld"], verdict: "refuse" },
  { id: named, relation: ["possible"], recover: ["take"], verdict: "takeOver" },
  { id: named, relation: ["possible"], adopt: ["never"], recover: ["ask"], verdict: "ask" },
  { id: named, adopt: ["never"], verdict: "refuse" },
  { id: named, relation: ["recorded", "former", "siblingBegun"], adopt: allowed, verdict: "retake" },
  { id: named, adopt: allowed, verdict: "adopt" },
];

/** What becomes of a create that meets such an object. */
export const decide = (relation: Relation, situation: Situation): Verdict =>
  rowOf(creates, { ...situation, relation }).verdict;

/** What a create does about the object that this declaration had before, and that no record of the run shows. */
export const formerVerdicts = {
  pass: "the create decides, by the table above",
  takeBack: "take it back",
  ask: "stop, and ask for `recover` or an import",
  name: "name it, and create another",
} as const;

export type FormerVerdict = keyof typeof formerVerdicts;

export interface FormerSituation {
  /** It stands where the create would be sent. */
  place: "same" | "other";
  adopt: Adopt;
  recover: Recover;
  /** This run has read what its state holds, and nobody continues with the object. */
  isLost: boolean;
  /** It can become what the program declares. */
  fits: boolean;
}

/** What happens, before a create, to the object that this declaration had before: the first row that fits. */
export const formers: readonly Row<FormerSituation, FormerVerdict>[] = [
  { place: ["same"], adopt: allowed, verdict: "pass" },
  { place: ["same"], recover: ["new"], verdict: "pass" },
  { place: ["same"], recover: ["ask"], isLost: [false], verdict: "pass" },
  { recover: ["take"], fits: [true], verdict: "takeBack" },
  { recover: ["ask", "take"], isLost: [true], verdict: "ask" },
  { verdict: "name" },
];

export const decideFormer = (situation: FormerSituation): FormerVerdict => rowOf(formers, situation).verdict;

/** The row that counts: the first where all that it names holds. */
export function rowOf<Given extends object, Outcome>(
  rows: readonly Row<Given, Outcome>[],
  given: Given,
): Row<Given, Outcome> {
  const fits = (row: { readonly [Name in keyof Given]?: readonly Given[Name][] }): boolean =>
    (Object.keys(given) as (keyof Given)[]).every((name) => row[name]?.includes(given[name]) ?? true);
  return rows.find(fits)!;
}

/** What becomes of an object that has come to the name of the recorded one. */
export interface Recreated {
  /** In a refresh: it is the recorded one from now on; the record goes; or it stands in the outputs, and is not. */
  read: "accept" | "drop" | "show";
  /** In the diff and the update of a program: go on with it, replace this resource, or refuse. */
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

/** Whether a create of this declaration has made the object, and no state has held it. */
export const isUnrecorded = (relation: Relation): boolean => relation === "begun" || relation === "likely";

/** Whether to name what stands where another id or key of this declaration was sent: a create takes over the rest. */
export const isLeftElsewhere = (relation: Relation, id: IdSource): boolean =>
  relation === "possible" || (isUnrecorded(relation) && id !== "automatic");
