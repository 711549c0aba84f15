import type { ObjectIdentity } from "../identity/object";

/**
 * What the declarations of one run claim: every provider process that works for the same engine reads and adds to
 * it, so that an explicit provider, a component's own copy of the package or a process that replaces another one
 * in the middle of a command knows of them all.
 */
export interface Claims {
  /** The URN other than `urn` that has the object. */
  holderOf(name: string, urn: string): string | undefined;
  /** The URN other than `urn` that declares one of the keys. */
  declarerOf(keys: readonly string[], urn: string): string | undefined;
  /** The object that this URN has. */
  heldBy(urn: string): string | undefined;
  /**
   * The URN that continues with the object of that name, which the state has under `former`; undefined where none
   * does.
   */
  currentUrnOf(former: string, name: string): string | undefined;
  /** What this run's engine has shown as recorded under one of these URNs, whatever their stack is called. */
  shownUnder(urns: Iterable<string>): ObjectIdentity[];
  /** A refresh of this run has read what the state holds. */
  hasRead(): boolean;
}

/** The same, for whoever adds to it: what a resource goes through in this run, and nobody else. */
export interface RunClaims extends Claims {
  /** Makes `keys` everything that this URN declares. Returns the other URNs that declare some of them, by key. */
  declare(urn: string, keys: readonly string[]): Map<string, string>;
  /**
   * This URN has this object now: a diff left it in place, or a create or update
   * answered it. Undefined: it has none any longer.
   */
  hold(urn: string, name: string | undefined): void;
  /** This URN continues with what others have been before. */
  inherit(urn: string, formers: readonly Former[]): void;
  /** The engine shows a record of the object, or this run has found it gone. */
  show(urn: string, object: ObjectIdentity, how: Showing["how"]): void;
}

/**
 * What a URN was before. Without a name: whatever the program does not declare under that URN by now. Without a URN:
 * the object of that name, under whichever URN the state has it.
 */
export type Former = { urn: string; name?: string } | { urn?: never; name: string };

/** What an engine shows of its state. */
export interface Showing {
  urn: string;
  object: ObjectIdentity;
  /** `read`: by a refresh. `gone`: no longer. */
  how: "shown" | "read" | "gone";
}
