import type { ErrorCode } from "../../provider/core/error-codes";
import type { Values } from "../values";
import { identityOf } from "./edits";
import { type Account, type HeldResource, heldFor, isAdopted, isCancelled, isOf } from "./invariants";
import { type Declaration, nameIn, type Program, urnOf, urnsOf } from "./program";
import type { Refusal } from "./refusals";

/**
 * What a person does once commands have failed, as their errors advise; nothing that a crash or a fault would ask for.
 */

/** The service, as a person reaches it. */
export interface ReachableService {
  live(): ReadonlyMap<string, Values>;
  theirs: ReadonlyMap<string, Values>;
  /**
   * Whether an interrupted create of this very declaration has begun the object, so that nobody has to say anything.
   */
  isOwn(declaration: Declaration, name: string): Promise<boolean>;
  /** Deletes an object for good, whoever made it. */
  discard(name: string): Promise<void>;
  /** Where ids of its own begin to count, so that no two stacks choose the same one. */
  readonly firstId: number;
}

/** The program with what no service would take set right, and the state without protection. */
export async function answered(
  program: Program,
  state: HeldResource[],
  service: ReachableService,
  released: Set<string>,
): Promise<Program> {
  let count = service.firstId;
  for (const entry of state) entry.protect = false;
  const corrected: Declaration[] = [];
  for (const declaration of withoutDoubles(program, state)) {
    const { protect: _, ...options } = declaration.options;
    const plain = { ...declaration, options, inputs: withoutTypo(declaration.inputs) };
    const entry = heldFor(plain, state);
    if ((entry?.taint || (options.replaceOnChanges ?? []).length > 0) && identityOf(plain) !== undefined) {
      plain.options = { ...options, deleteBeforeReplace: true };
      // What is kept keeps its id; what a former entry of it is still to delete is not kept by another one.
      const isShared = entry && state.some((each) => each !== entry && each.id === entry.id);
      if (!isShared && (entry?.retain || options.retainOnDelete))
        plain.inputs = elsewhere(plain.inputs, service.firstId + corrected.length + 1);
    }
    if (entry && isCancelled(service.live().get(entry.id))) plain.inputs = { ...plain.inputs, onFailure: "rerun" };
    if (plain.kind === "PolicySettings" && (!entry || entry.taint || entry.pendingReplacement))
      plain.inputs = { ...plain.inputs, adopt: "overwrite" };
    corrected.push(await settled(plain, entry, ++count));
  }
  return corrected;

  async function settled(
    declaration: Declaration,
    entry: HeldResource | undefined,
    number: number,
  ): Promise<Declaration> {
    const holder = holderOf(declaration, service);
    const isTheirs = holder !== undefined && service.theirs.has(holder);
    const isTaken = entry !== undefined && service.theirs.has(entry.id);
    const isAgreed =
      (entry !== undefined && isAdopted(entry)) ||
      (declaration.inputs["adopt"] === "overwrite" && (!isTaken || isOf(entry, service.theirs.get(entry.id))));
    if ((isTheirs || isTaken) && !isAgreed) {
      const own = isTheirs ? { ...declaration, inputs: elsewhere(declaration.inputs, number) } : declaration;
      // What the other team has made in place of a recorded object is theirs: the record goes with its name.
      return isTaken ? { ...own, name: `own-${number}`, options: { ...own.options, aliases: [] } } : own;
    }
    const isRetained = holder !== undefined && released.has(holder);
    if (holder === undefined || (holder === entry?.id && !isRetained)) return declaration;
    // One that leaves its id to the provider by now keeps the one that it has, or has begun.
    for (const each of program.filter((other) => identityOf(other) === undefined))
      if (heldFor(each, state)?.id === holder || (await service.isOwn(each, holder)))
        return { ...declaration, inputs: elsewhere(declaration.inputs, number) };
    if (service.theirs.has(holder) || entry) return { ...declaration, inputs: elsewhere(declaration.inputs, number) };
    // One that is still to be deleted, or that another resource gives up in the same command, has its id until then.
    const isDeclared = ({ urn }: HeldResource): boolean => program.some((each) => urnsOf(each).includes(urn));
    if (state.some((each) => each.id === holder && (each.delete || isDeclared(each))))
      return { ...declaration, inputs: elsewhere(declaration.inputs, number) };
    const former = state.find(
      (each) => each.id === holder && !each.delete && !isDeclared(each) && isOf(each, service.live().get(holder)),
    );
    if (former && !entry) {
      const { aliases = [] } = declaration.options;
      const options = { ...declaration.options, aliases: [...aliases, nameIn(former.urn)] };
      if (!former.taint) return { ...declaration, options };
      // What is kept keeps its id.
      const isKept = former.retain || options.retainOnDelete;
      const inputs = isKept ? elsewhere(declaration.inputs, number) : declaration.inputs;
      return { ...declaration, inputs, options: { ...options, deleteBeforeReplace: true } };
    }
    // What an interrupted create of another name has begun is taken over by the program's word.
    if (!entry && !released.has(holder) && !(await service.isOwn(declaration, holder)))
      return { ...declaration, inputs: { ...declaration.inputs, adopt: "overwrite" } };
    if (!released.has(holder)) return declaration;
    await service.discard(holder);
    released.delete(holder);
    return declaration;
  }
}

/** Of several declarations of one thing, the one that the state has it for, or the first. */
const withoutDoubles = (program: Program, state: readonly HeldResource[]): Program => {
  const rank = (each: Declaration): number => (heldFor(each, state) ? 0 : 1);
  const kept = new Map(
    [...program]
      .reverse()
      .sort((one, other) => rank(other) - rank(one))
      .map((each) => [identityOf(each) ?? each, each]),
  );
  return program.filter((each) => kept.get(identityOf(each) ?? each) === each);
};

const withoutTypo = (inputs: Values): Values =>
  String(inputs["baseModel"]).endsWith("/missing")
    ? { ...inputs, baseModel: "accounts/platform/models/open-8b" }
    : inputs;

/** Objects that the program says may be taken over and changed, whether a state holds them by now or not. */
export const consentedTo = (program: Program, service: Pick<ReachableService, "live">): string[] =>
  program
    .filter(({ inputs }) => inputs["adopt"] === "overwrite")
    .flatMap((declaration) => holderOf(declaration, service) ?? []);

/** The live object that stands where the declaration's has to be. */
function holderOf(declaration: Declaration, service: Pick<ReachableService, "live">): string | undefined {
  const identity = identityOf(declaration);
  if (identity === undefined) return undefined;
  const collection = { User: "users", Secret: "secrets", Deployment: "deployments" }[declaration.kind];
  for (const [name, object] of service.live()) {
    const [, , in_, id] = name.split("/");
    if (in_ !== collection) continue;
    const inputs = declaration.kind === "Deployment" ? { deploymentId: id } : object;
    if (identityOf({ kind: declaration.kind, inputs }) === identity) return name;
  }
  return undefined;
}

/** The same with a key of its own. */
const elsewhere = (inputs: Values, number: number): Values => ({
  ...inputs,
  ...("email" in inputs && { email: `own-${number}@example.com` }),
  ...("keyName" in inputs && { keyName: `OWN_KEY_${number}` }),
  ...("deploymentId" in inputs && { deploymentId: `own-${number}` }),
});

const of = (refusals: readonly Refusal[], ...codes: readonly ErrorCode[]): readonly Refusal[] =>
  refusals.filter(({ code }) => code !== undefined && codes.includes(code));

/** Names of the objects that errors of these codes are about. */
const objectsOf = (refusals: readonly Refusal[], ...codes: readonly ErrorCode[]): string[] =>
  of(refusals, ...codes).flatMap(({ about }) => about.object ?? []);

/**
 * The one question that a recovery may ask: what an interrupted run has begun is not what the program says now, and
 * cannot become it. The error names it and says that it may be deleted.
 */
export const askedToDelete = (
  refusals: readonly Refusal[],
  { state, theirs, live }: Pick<Account, "state" | "theirs" | "live">,
): string[] =>
  objectsOf(
    refusals.filter(({ answers }) => answers.delete),
    "cannot-become",
  ).filter((name) => !theirs.has(name) && !state.some((held) => holds(held, name) && isOf(held, live.get(name))));

/** Whether the entry has the object; one that a replacement has yet to finish has deleted its own. */
const holds = ({ id, pendingReplacement }: HeldResource, name: string | undefined): boolean =>
  id === name && !pendingReplacement;

/**
 * Whether an error asks for a refresh: the recorded object is gone, settings that a process has cleared are not
 * recorded, or what an interrupted create has begun is held by the state.
 */
export const asksToRefresh = (refusals: readonly Refusal[], state: readonly HeldResource[]): boolean =>
  of(refusals, "replaced-by-own", "changed-by-another").length > 0 ||
  objectsOf(refusals, "cannot-become").some((name) => state.some((held) => holds(held, name)));

/** Whether an error says that a recorded object is not visible, and to refresh once it is ten minutes old. */
export const asksToWait = (refusals: readonly Refusal[]): boolean => of(refusals, "not-visible").length > 0;

/** The program with another id for what an error says was kept under the one that it has. */
export const besideKept = (
  refusals: readonly Refusal[],
  program: Program,
  service: Pick<ReachableService, "live" | "firstId">,
  released: ReadonlySet<string>,
): Program => {
  const names = objectsOf(refusals, "already-created");
  return program.map((each, index) => {
    const holder = holderOf(each, service);
    const isKept = each.options.retainOnDelete || (holder !== undefined && released.has(holder));
    const isAsked = isKept && holder !== undefined && names.includes(holder);
    return isAsked ? { ...each, inputs: elsewhere(each.inputs, service.firstId + index + 1) } : each;
  });
};

/**
 * The program with the alias that an error asks for: what the stack has made as another resource is that one's, unless
 * the state has another object for it by now.
 */
export const adopting = (
  refusals: readonly Refusal[],
  program: Program,
  service: Pick<ReachableService, "live" | "firstId">,
  state: readonly HeldResource[],
): Program => {
  const asked = of(refusals, "created-as-another");
  return program.map((each, index) => {
    const holder = holderOf(each, service);
    const ask = holder === undefined ? undefined : asked.find(({ about }) => about.object === holder);
    if (!ask) return each;
    if (ask.answers.adopt?.includes("overwrite")) return { ...each, inputs: { ...each.inputs, adopt: "overwrite" } };
    const maker = nameIn(ask.about.resource!);
    const isDeclared = program.some(
      (other) => other !== each && (other.name === maker || other.options.aliases?.includes(maker)),
    );
    const isAnother = state.some(({ urn, id, kind }) => urn === urnOf(kind, maker) && id !== holder);
    if (isDeclared || isAnother) return { ...each, inputs: elsewhere(each.inputs, service.firstId + index + 1) };
    return { ...each, options: { ...each.options, aliases: [...(each.options.aliases ?? []), maker] } };
  });
};

/** Whether an error asks whose an object is that an interrupted create has begun and somebody changed outside since. */
export const asksToTake = (refusals: readonly Refusal[], changed: ReadonlySet<string>): boolean =>
  objectsOf(refusals, "created-meanwhile").some((name) => changed.has(name));

/**
 * Whether an error asks whose an object is that the state still has to delete, or that the other team has made: a
 * destroy has deleted what replaced it, and was broken off before it.
 */
export const asksWhose = (
  refusals: readonly Refusal[],
  { state, theirs }: Pick<Account, "state" | "theirs">,
): boolean =>
  objectsOf(refusals, "automatic-id-exists").some(
    (name) => theirs.has(name) || state.some((held) => held.delete && held.id === name),
  );

/** Whether an error asks whether the state has lost what was the resource before, and that answer leads on. */
export const asksAboutFormer = (refusals: readonly Refusal[], answer: "take" | "new"): boolean =>
  of(refusals, "lost-by-state", "already-created", "cannot-take").some(({ answers }) =>
    answers.recover?.includes(answer),
  );

/** What the answer "new" has left at the id that the program chooses: the error says how to delete it. */
export const leftAtItsId = (refusals: readonly Refusal[]): string[] => objectsOf(refusals, "left-at-its-id");

/**
 * What to recover with where an error asks whether another stack is this one under a former name, which only a person
 * knows.
 */
export function asksOfNeighbor(
  refusals: readonly Refusal[],
  formerNames: readonly string[],
): "take" | "new" | undefined {
  const [asked] = of(refusals, "begun-by-another-stack").flatMap(({ about }) => about.stack ?? []);
  return asked === undefined ? undefined : formerNames.includes(asked) ? "take" : "new";
}

/** Objects whose maker an error asks for: the state tells of a create, or no journal does, or times do not agree. */
export const askedAbout = (refusals: readonly Refusal[], isUnproven: boolean): string[] =>
  objectsOf(
    refusals.filter(({ answers }) => answers.recover?.includes("take")),
    ...(["begun-by-state", "refused-because-of"] as const),
    ...(isUnproven ? (["automatic-id-exists", "lost-by-state"] as const) : []),
  );

/** The program with an answer in the inputs of what an error is about, where that is not the other team's. */
function answering(
  asked: readonly Refusal[],
  program: Program,
  service: Pick<ReachableService, "live" | "theirs">,
  answer: (refusal: Refusal) => Values,
): Program {
  return program.map((each) => {
    const holder = holderOf(each, service);
    if (holder === undefined || service.theirs.has(holder)) return each;
    const ask = asked.find(({ about }) => about.object === holder);
    return ask ? { ...each, inputs: { ...each.inputs, ...answer(ask) } } : each;
  });
}

/** The program with `adopt`, as an error advises: no journal tells who made what has the name. */
export const adoptingUnknown = (
  refusals: readonly Refusal[],
  program: Program,
  service: Pick<ReachableService, "live" | "theirs">,
): Program => answering(of(refusals, "already-exists"), program, service, () => ({ adopt: "overwrite" }));

/** The program with the word that an error asks for: what has come to a recorded name is this stack's. */
export const acceptingOther = (
  refusals: readonly Refusal[],
  program: Program,
  service: Pick<ReachableService, "live" | "theirs">,
): Program =>
  answering(of(refusals, "replaced-by-another"), program, service, ({ answers: { acceptDrift } }) => ({ acceptDrift }));

/** Whether what an interrupted run has begun cannot become what is declared, and another one may stand beside it. */
export const asksForAnother = (refusals: readonly Refusal[]): boolean =>
  of(refusals, "cannot-become").some(({ answers }) => answers.recover?.includes("new"));

/** Whether an error says that the answer "take" cannot be obeyed. */
export const cannotTake = (refusals: readonly Refusal[]): boolean => of(refusals, "cannot-take").length > 0;

/** Whether all that is in the way is what another resource gives up in the same command. */
export const isGivenUp = (refusals: readonly Refusal[]): boolean =>
  refusals.length > 0 && of(refusals, "held-by-another").length === refusals.length;

/**
 * Two resources that change places within one command: the one that the error names is left out for one command, and
 * is back in the next.
 */
export function withoutRivals(refusals: readonly Refusal[], program: Program): Program[] {
  const rivals = new Set(of(refusals, "declared-by-another").map(({ about }) => about.resource));
  const rest = program.filter(({ kind, name }) => !rivals.has(urnOf(kind, name)));
  return rest.length < program.length ? [rest, program] : [];
}
