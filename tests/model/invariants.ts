import { hiddenInput } from "../../provider/core/declaration/own-fields";
import type { ErrorCode } from "../../provider/core/error-codes";
import { secretProperties } from "../../provider/core/secrets";
import type { Slot } from "../../provider/lifecycle/memory/history";
import { digestNaturalKey, naturalKey } from "../../provider/lifecycle/memory/identity";
import { allSpecs, specOf } from "../../provider/resources/index";
import type { Values } from "../values";
import { canary } from "./edits";
import type { RecordedEntry } from "./engine";
import { type Declaration, type Program, urnsOf } from "./program";

/** What holds whatever happens, by what a run that breaks it has done. */
export const invariants = {
  "not-recorded": "What is declared is in the state.",
  "held-twice": "No two declarations hold one object.",
  "still-recorded": "The state has nothing that nobody declares.",
  "declared-and-gone": "What is declared is live.",
  "not-as-declared": "What is live is as declared.",
  "lives-on": "What nobody declares is gone, released, or named by a note.",
  "released-and-gone": "What was released is not deleted.",
  "taken-from-others": "What the other team has made is neither deleted nor changed.",
  "deleted-wrongly": "Nobody deletes what another entry keeps, what no state shows, or what the other team has made.",
  "recovery-fails": "One command without faults, and a person's answers, put everything right.",
  "preview-not-clean": "The preview after it finds nothing to do.",
  "removal-fails": "A destroy without faults succeeds.",
  "state-not-empty": "It leaves no entry.",
  "doubt-unnamed": "What a create has made and no state has, is known; a command names what the state has lost.",
  "wait-forgotten": "A wait that a run has given up is a change until a run has ended it.",
  "write-forgotten": "A run that ends well has looked at what a cut-off write may have left.",
  "wait-in-vain": "No wait goes round and round after an interrupt.",
  "unreadable-error": "Processes print errors that are answered in words that are found.",
  "secret-in-clear": "No secret stands in clear.",
  "processes-left": "No process outlives its command.",
} as const;

export type Invariant = keyof typeof invariants;

/** What the account holds is not what it should. */
export class Violation extends Error {
  /** Name of the object that it is about. */
  readonly object: string | undefined;
  /** Codes of the errors in which a command has ended. */
  readonly codes: readonly ErrorCode[];

  constructor(
    readonly invariant: Invariant,
    text: string,
    { object, codes = [] }: { object?: string; codes?: readonly ErrorCode[] } = {},
  ) {
    super(text);
    this.object = object;
    this.codes = codes;
  }
}

/** What a state holds of a resource, whichever engine keeps it. */
export interface HeldResource {
  urn: string;
  kind: string;
  id: string;
  outputs: Values;
  /** Replaced by another one, and still to be deleted. */
  delete: boolean;
  /** Deleted already, or released, and still to be recreated. */
  pendingReplacement: boolean;
  protect: boolean;
  retain: boolean;
  taint: boolean;
}

/** Whether the state says that the object was adopted; that it says so rightly, `lifecycle/creates` judges. */
export const isAdopted = ({ outputs }: Pick<HeldResource, "outputs">): boolean => outputs["adopted"] === true;

/**
 * Whether the object stays when the state gives up its entry. The sequences of `tests/model` and the programs of
 * `tests/random` judge by this rule; nothing of it is read from the product.
 */
export const isReleasedWith = (held: Pick<HeldResource, "outputs" | "retain">): boolean =>
  held.retain || isAdopted(held);

/** What there is to be judged after a command that has gone well. */
export interface Account {
  program: Program;
  state: readonly HeldResource[];
  /** Live objects, tombstones left out, by name. */
  live: ReadonlyMap<string, Values>;
  /** What the other team has made, as it was then, by name. */
  theirs: ReadonlyMap<string, Values>;
  /** Names of what the program has released without deleting it. */
  released: ReadonlySet<string>;
  /**
   * Names and natural keys of what interrupted creates have begun, as the
   * notes about them say that no state has settled.
   */
  begun: ReadonlySet<string>;
  /** Names of what was taken over with the program's consent. */
  adopted: ReadonlySet<string>;
}

/** Fields that programs of scenarios set, and that answers show. */
export const shown = ["role", "displayName", "email", "maxReplicaCount", "keyName"];

const isSingleton = ({ kind }: Pick<HeldResource, "kind">): boolean => specOf(kind)!.singleton === true;

/** Whether the entry is of this very object, and not of one that was there before under the same name. */
export function isOf({ outputs }: Pick<HeldResource, "outputs">, live: Values | undefined): boolean {
  const { createTime } = (outputs["accepted"] ?? {}) as Values;
  return createTime === undefined || createTime === live?.["createTime"];
}

/** What the state holds for a declaration, under any of its names. */
export const heldFor = <H extends HeldResource>(declaration: Declaration, state: readonly H[]): H | undefined =>
  state.find((held) => urnsOf(declaration).includes(held.urn) && !held.delete);

/**
 * Whether the state says something that only a refresh can set right: what was done outside, or done and not recorded.
 */
export const isBehind = ({ state, live }: Pick<Account, "state" | "live">): boolean =>
  state.some((held) => {
    if (isSingleton(held) || held.outputs["retired"] === true) return false;
    const object = live.get(held.id);
    if (isCancelled(object) && !isCancelled(held.outputs)) return true;
    return !object || shown.some((field) => field in held.outputs && object[field] !== held.outputs[field]);
  });

/** A job that a destroy has stopped before it broke off: it is held, and runs again by the program's word alone. */
export const isCancelled = (job: Values | undefined): boolean => job?.["state"] === "JOB_STATE_CANCELLED";

/** No two declarations have one object, whatever a command has come to. */
export function expectHeldOnce(program: Program, state: readonly HeldResource[]): void {
  const held = program
    .flatMap((each) => heldFor(each, state) ?? [])
    .filter(({ pendingReplacement: isGone }) => !isGone);
  const twice = held.find((entry) => held.some((other) => other !== entry && other.id === entry.id));
  if (twice) throw new Violation("held-twice", `two declarations hold ${twice.id}`, { object: twice.id });
}

/** The state holds each declaration, once, and nothing else; and what is live is as declared. */
export function expectDeclared(account: Account): void {
  const expected = new Set<string>();
  for (const declaration of account.program) {
    const held = heldFor(declaration, account.state);
    if (!held) throw new Violation("not-recorded", `the state has no ${declaration.name}`);
    if (expected.has(held.id)) throw new Violation("held-twice", `two declarations hold ${held.id}`);
    // A job that has succeeded outlives its record.
    if (held.outputs["retired"] === true) continue;
    expected.add(held.id);
    if (!isSingleton(held)) expectAsDeclared(declaration, held.id, account.live.get(held.id));
  }
  const urns = account.program.flatMap(urnsOf);
  const stale = account.state.filter(({ urn }) => !urns.includes(urn));
  if (stale.length > 0)
    throw new Violation("still-recorded", `the state still holds ${stale.map(({ urn }) => urn).join()}`);
  expectLive(account, expected);
}

function expectAsDeclared({ kind, inputs }: Declaration, id: string, live: Values | undefined): void {
  if (!live) throw new Violation("declared-and-gone", `${id} is declared and gone`, { object: id });
  for (const field of [...shown, "baseModel", "epochs"])
    if (field in inputs && live[field] !== inputs[field])
      throw new Violation(
        "not-as-declared",
        `${id} has ${field} ${String(live[field])}, declared is ${String(inputs[field])}`,
      );
  const chosen = inputs["deploymentId"];
  if (kind === "Deployment" && chosen !== undefined && !id.endsWith(`/${String(chosen)}`))
    throw new Violation("not-as-declared", `${id} should be ${String(chosen)}`);
}

/**
 * What is live is what is declared, and what was never the program's or is its no longer. What a create has begun that
 * was killed, and that the program does not declare any longer, is not recorded in any state; the note about it names
 * it.
 */
export function expectLive({ live, theirs, released, begun }: Account, declared: ReadonlySet<string>): void {
  for (const [name, object] of live)
    if (
      !declared.has(name) &&
      !theirs.has(name) &&
      !released.has(name) &&
      !begun.has(name) &&
      !begun.has(keyOf(object))
    )
      throw new Violation("lives-on", `${name} lives on and nobody declares it`, { object: name });
  for (const name of released)
    if (!name.endsWith("/policySettings") && !live.has(name) && !declared.has(name))
      throw new Violation("released-and-gone", `${name} was released and is gone`);
}

/** What the other team has made is there, and as it was. */
export function expectTheirs({ theirs, live, adopted }: Pick<Account, "theirs" | "live" | "adopted">): void {
  for (const [name, made] of theirs) {
    const now = live.get(name);
    if (!now || now["createTime"] !== made["createTime"])
      throw new Violation("taken-from-others", `${name} of the other team was deleted`);
    if (adopted.has(name)) continue;
    for (const field of shown)
      if (now[field] !== made[field])
        throw new Violation("taken-from-others", `${field} of ${name} of the other team was changed`);
  }
}

/** Whether a note is about the object, by its key where both have one. */
export const isAbout = ({ name, keyDigest }: Slot, object: Values = {}): boolean =>
  keyDigest === undefined ? name === object["name"] : keyDigest === keyOf(object);

/** The natural key of a live object, as notes hold it. */
export function keyOf(object: Values): string {
  const [, account, collection] = String(object["name"]).split("/");
  const spec = allSpecs.find((each) => each.collection === collection)!;
  const key = naturalKey(spec, object);
  return key === undefined ? "" : digestNaturalKey(spec.kind, account!, key);
}

/** No text of a command, and nothing that a state has in clear, shows a secret. */
export function expectNoSecret(state: readonly RecordedEntry[], texts: readonly string[]): void {
  const kept = state.map(({ kind, inputs, outputs }) => [unmarked(kind, inputs), unmarked(kind, outputs)]);
  for (const text of [...texts, JSON.stringify(kept)])
    for (const form of [canary, encodeURIComponent(canary)])
      if (text.includes(form)) throw new Violation("secret-in-clear", `a secret stands in clear: ${text}`);
}

/** Without what the engine keeps as ciphertext. */
function unmarked(kind: string, values: Values): Values {
  const secrets = secretProperties(specOf(kind)!);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name) && name !== hiddenInput));
}
