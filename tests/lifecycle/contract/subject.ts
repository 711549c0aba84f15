import type { Settings } from "../../../emulator/index";
import type { Values } from "../../values";

/** One change of a field in place, and back. */
export interface Change {
  to: unknown;
  /** What the service then has, where that is not `to` itself. */
  holds?: unknown;
  /** Fields that the service moves along with it. */
  moves?: readonly string[];
  /** What the service has once the program no longer sets the field (A035), where the program may stop setting it. */
  dropped?: "kept" | "cleared" | { reset: unknown };
}

/** Changes that can be made one after the other to one object, each of which is taken back. */
export interface ChangeGroup {
  /** The program's inputs before, where they are not the subject's own. */
  inputs?: Values;
  changes: Readonly<Record<string, Change>>;
  /** Settings of the provider. */
  config?: Readonly<Record<string, string>>;
  settings?: Partial<Settings>;
}

/** A change that only another object can have. */
export interface Replacement {
  to: unknown;
  /** The program's inputs before, where they are not the subject's own. */
  from?: Values;
  /** What has to change along with it. */
  with?: Values;
  /** What the service then has, where that is not `to` itself. */
  holds?: unknown;
}

/** What has to be known of a kind of resource to put it through everything that any resource has to stand. */
export interface ContractSubject {
  kind: string;
  /** A program's inputs. */
  inputs: Values;
  /** Makes the identity the program's own choice. */
  chosen: Values;
  /** Inputs of another object beside it. */
  other: Values;
  /** Inputs of a second declaration that cannot have its way beside the first. Default: the first's own. */
  conflict?: Values;
  /** With these, a removal removes. */
  removable?: Values;
  /** Objects of the account that have to be there before; each with its name. */
  world?: readonly (Values & { name: string })[];
  updates: readonly ChangeGroup[];
  /** Fields that can only be given at creation and whose change sends nothing (A070). */
  recorded?: Values;
  /** For each field that cannot change, another value. */
  replacements: Readonly<Record<string, Replacement>>;
  /** A secret's place: inputs that hold the given text. */
  secret?: (text: string) => Values;
  /** What changes outside the program, among the fields of `inputs`. */
  drift?: Values;
}
