import type { Identity, Variant, Version } from "./kinds";

/** What a program says of its subject. */
export interface SubjectDeclaration {
  /** Default: `one`. */
  name?: "one" | "two" | "twin";
  content?: Version;
  build?: Version;
  /** It names the subject of the other name, or the one outside the component, as what it was. */
  alias?: boolean;
  /** It is a child of a component. */
  grouped?: boolean;
  protect?: boolean;
  retain?: boolean;
  adopt?: "overwrite";
  replaceOnChanges?: boolean;
}

/** What happened before the command. */
export type Step =
  | { up: readonly SubjectDeclaration[]; refuse?: "create" | "delete" }
  /** Somebody else's hand: makes the object first, takes it away, changes it, or makes it again in its place. */
  | { hand: "makes" | "removes" | "changes" | "makes again" }
  /** An engine that died after the create: the state has the operation as pending, and not the object. */
  | { state: "pending create" }
  /** The state holds the object under a second URN. */
  | { state: "twin" };

/** How a resource came to be where the command finds it, and what the program says of it by then. */
export interface Fate {
  title: string;
  steps: readonly Step[];
  program: readonly SubjectDeclaration[];
  /** The service refuses the subject's create while the command runs. */
  refused?: boolean;
  /** Another resource of the program cannot be made while the command runs. */
  elsewhere?: "fails";
  identities?: readonly Identity[];
  /** Why this variant cannot have it. */
  impossible?(variant: Variant): string | undefined;
}

/**
 * Whether an object outlives its record. This rule of ownership stands here alone: the matrix, the sequences of
 * `tests/model` and the programs of `tests/random` judge by it, and nothing of it is read from the product.
 */
export const outlivesRecord = ({ retain, adopted }: { retain: boolean; adopted: boolean }): boolean =>
  retain || adopted;

const one: SubjectDeclaration = {};
const made: Step = { up: [one] };
const other: SubjectDeclaration = { build: "second" };
const edited: SubjectDeclaration = { content: "second" };

const replaced = (identity: Identity): Fate => ({
  title: `replaced, ${identity}`,
  steps: [made],
  program: [other],
  identities: [identity],
  impossible: ({ neverReplaced }) => neverReplaced,
});

const needsEdit = ({ recordsOnly }: Variant): string | undefined =>
  recordsOnly ? "a change of it in place asks nothing of the service" : undefined;

const needsHand = ({ byHand, kind }: Variant): string | undefined =>
  byHand === undefined ? `nothing that a hand could change of a ${kind} is seen` : undefined;

const needsEnd = ({ singleton }: Variant): string | undefined => (singleton ? "settings are always there" : undefined);

const needsOther = ({ neverReplaced }: Variant): string | undefined => neverReplaced;

export const fates: readonly Fate[] = [
  { title: "created", steps: [], program: [one] },
  { title: "same", steps: [made], program: [one] },
  { title: "updated", steps: [made], program: [edited] },
  { title: "removed", steps: [made], program: [] },
  replaced("automatic id"),
  replaced("explicit id"),
  replaced("natural key"),
  { title: "replaced and reverted", steps: [made, { up: [other] }], program: [one], impossible: needsOther },
  { title: "renamed with an alias", steps: [made], program: [{ name: "two", alias: true }] },
  {
    title: "renamed with an alias and replaced",
    steps: [made],
    program: [{ name: "two", alias: true, build: "second" }],
    impossible: needsOther,
  },
  { title: "renamed without an alias", steps: [made], program: [{ name: "two" }] },
  {
    title: "renamed and adopted",
    steps: [made],
    program: [{ name: "two", adopt: "overwrite" }],
    identities: ["explicit id", "natural key", "singleton"],
  },
  { title: "renamed while another fails", steps: [made], program: [{ name: "two" }], elsewhere: "fails" },
  {
    title: "renamed and adopted while another fails",
    steps: [made],
    program: [{ name: "two", adopt: "overwrite" }],
    elsewhere: "fails",
    identities: ["explicit id", "natural key", "singleton"],
  },
  { title: "moved under a component", steps: [made], program: [{ grouped: true, alias: true }] },
  { title: "protected", steps: [{ up: [{ protect: true }] }], program: [{ protect: true }] },
  { title: "protected and removed", steps: [{ up: [{ protect: true }] }], program: [] },
  { title: "retained", steps: [{ up: [{ retain: true }] }], program: [] },
  {
    title: "to adopt",
    steps: [{ hand: "makes" }],
    program: [{ adopt: "overwrite" }],
    identities: ["explicit id", "natural key", "singleton"],
  },
  {
    title: "adopted and removed",
    steps: [{ hand: "makes" }, { up: [{ adopt: "overwrite" }] }],
    program: [],
    identities: ["explicit id", "natural key"],
  },
  {
    title: "somebody else's",
    steps: [{ hand: "makes" }],
    program: [one],
    identities: ["explicit id", "natural key"],
  },
  { title: "gone outside", steps: [made, { hand: "removes" }], program: [one], impossible: needsEnd },
  { title: "gone outside and removed", steps: [made, { hand: "removes" }], program: [], impossible: needsEnd },
  {
    title: "changed outside",
    steps: [made, { hand: "changes" }],
    program: [one],
    impossible: (variant) => needsHand(variant) ?? needsEdit(variant),
  },
  {
    title: "changed outside and removed",
    steps: [made, { hand: "changes" }],
    program: [],
    impossible: (variant) => needsHand(variant) ?? needsEdit(variant),
  },
  { title: "recreated outside", steps: [made, { hand: "makes again" }], program: [one], impossible: needsEnd },
  {
    title: "failed create",
    steps: [],
    program: [one],
    refused: true,
    impossible: ({ singleton }) => (singleton ? "settings are not created" : undefined),
  },
  {
    title: "failed create then removed",
    // The failure ends the `up`: what else there is has to be there before.
    steps: [{ up: [] }, { up: [one], refuse: "create" }],
    program: [],
    impossible: ({ singleton }) => (singleton ? "settings are not created" : undefined),
  },
  {
    title: "pending delete",
    steps: [made, { up: [other], refuse: "delete" }],
    program: [other],
    identities: ["automatic id"],
    impossible: needsOther,
  },
  {
    title: "pending delete, reverted",
    steps: [made, { up: [other], refuse: "delete" }],
    program: [one],
    identities: ["automatic id"],
    impossible: needsOther,
  },
  { title: "pending create", steps: [made, { state: "pending create" }], program: [one] },
  {
    title: "replaceOnChanges",
    steps: [{ up: [{ replaceOnChanges: true }] }],
    program: [{ content: "second", replaceOnChanges: true }],
  },
  { title: "two URNs, one object", steps: [made, { state: "twin" }], program: [one] },
  { title: "two URNs, one object, both removed", steps: [made, { state: "twin" }], program: [] },
];
