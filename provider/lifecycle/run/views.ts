import type { DiffResult } from "../../core/comparison/diff";
import type { HiddenContext } from "../../core/declaration/own-records";
import type { ResourceSpec } from "../../core/declaration/resource";
import type { ObjectIdentity } from "../journal/facts";
import type { Values } from "../types";

/**
 * What a run knows of a resource. Each of the engine's calls changes it, and gets a view of what this call may ask and
 * add: the compiler refuses the rest.
 */
export interface ResourceMemory {
  /** The program declares it. An engine that has decided on another object checks again, without old inputs. */
  check(hidden: HiddenContext, olds: Values, inputs: Values): CheckView;
  /**
   * The program's declaration is compared with the recorded object. Undefined: the program has declared nothing yet,
   * so the diff belongs to a refresh or to a deletion, shows what no state holds, and teaches nothing.
   */
  diff(name: string, recorded: Values, object: ObjectIdentity): DiffView | undefined;
  create(): CreateView;
  /** A refresh begins: an engine shows what its state holds, and the program has to say again what it declares. */
  read(recorded: Values, object: ObjectIdentity): ReadView;
  update(name: string, recorded: Values, inputs: Values, object: ObjectIdentity): void;
  delete(): DeleteView;
}

export interface CheckView {
  /** The engine knows an object of the declaration, and has not decided on another one. */
  readonly hasCurrentObject: boolean;
  /** The object to create after the old one is deleted, where a diff requires that order. */
  readonly successorInPlace: Successor | undefined;
  /** Makes `keys` everything that it claims. Returns the other URNs that claim some of them, by key. */
  claim(keys: readonly string[]): Map<string, string>;
  /** Others serve from the object to create. */
  declareHost(host: NewHost): void;
  /** All of them so far, by URN. */
  newHosts(): ReadonlyMap<string, NewHost>;
}

export interface DiffView {
  /** Whether the input has changed, which an engine sees by itself. */
  isEdited(property: string): boolean;
  /** The recorded object is not protected, and neither is the one that it has replaced. */
  noteUnprotected(name: string): void;
  /** Learns whether the declaration keeps its object. */
  conclude(name: string, inputs: Values, answer: DiffResult): void;
}

export interface CreateView {
  /** The outputs of the object before, where an engine has shown them. */
  readonly previous: Values | undefined;
  /** An existing object is this declaration's from now on. Returns what undoes that. */
  claimExisting(name: string): () => void;
  /** The declaration has this object. */
  recordObject(name: string, inputs: Values): void;
  /** The declaration has no object. */
  recordNone(): void;
}

export interface ReadView {
  /** What was recorded is gone. */
  noteDeleted(object: ObjectIdentity): void;
}

export interface DeleteView {
  /**
   * Whether a create of this run has taken over the very object, before an engine has shown that its state holds it.
   */
  wasTakenOver(name: string): boolean;
  /** An engine shows what its state holds. */
  noteEngineRecord(recorded: Values, object: ObjectIdentity): void;
  /** What was recorded is gone. */
  noteDeleted(object: ObjectIdentity): void;
  /** What the program continues with in place of that object; undefined where that is the object itself, or unknown. */
  successorOf(name: string): CurrentObject | undefined;
  /** The object that the engine has decided on and that does not exist yet. */
  readonly plannedSuccessor: Successor | undefined;
  /** Whether that object has been replaced by one that is recorded without protection. */
  isReplacedByUnprotected(name: string): boolean;
  /** The name of the object that an engine has shown for another URN. */
  recordedNameFor(urn: string): string | undefined;
}

/** An object, and its current declaration. */
export interface CurrentObject {
  name: string;
  inputs: Values;
}

/** The declaration of an object that is to be created. */
export interface Successor {
  readonly inputs: Values;
  /** The service has said that it would create it. */
  isPossible: boolean;
}

/** The declaration of an object that is to be created and that others serve from. */
export interface NewHost {
  spec: ResourceSpec;
  account: unknown;
  inputs: Values;
}
