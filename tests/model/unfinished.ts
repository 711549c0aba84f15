import type { Values } from "../values";
import { type HeldResource, heldFor, shown, Violation } from "./invariants";
import type { Declaration } from "./program";
import type { Stack } from "./stacks";

/** A write that the service carried out, and whose answer no run has recorded. */
interface UnfinishedWrite {
  method: string;
  stack: Stack;
  /** The journal of the machine at hand has a note of it. */
  isNoted: boolean;
}

/** What is live under a name, values that are never answered included. */
type Look = (name: string) => { fields: Values; hidden?: Values | undefined } | undefined;

/** Writes to recorded objects that broke off: what a run that ends well must have looked at. */
export class UnfinishedWrites {
  private readonly byName = new Map<string, UnfinishedWrite>();

  add(name: string, write: UnfinishedWrite): void {
    this.byName.set(name, write);
  }

  /** Something else has happened to the object since. */
  forget(name: string): void {
    this.byName.delete(name);
  }

  /** The next commands of the stack find no note of its writes. */
  loseNotes(isMeant: (stack: Stack) => boolean = () => true): void {
    for (const write of this.byName.values()) if (isMeant(write.stack)) write.isNoted = false;
  }

  /** Whether a plain `up` of the stack looks at the object. */
  isLookedAt({ urn, id }: Pick<HeldResource, "urn" | "id">, stack: Stack): boolean {
    const write = this.byName.get(id);
    const isNoted = write?.isNoted === true && write.stack === stack && write.method === "PATCH";
    return stack.engine.isUncertain(urn) || isNoted;
  }

  /** What an `up` that ends well has to look at, of what is declared. */
  due(stack: Stack): string[] {
    const held = stack.program.map((each) => heldFor(each, stack.engine.state));
    return held.flatMap((entry) =>
      entry && this.byName.has(entry.id) && this.isLookedAt(entry, stack) ? entry.id : [],
    );
  }

  /** Every due object is as the program says, or the state says that this is not known yet. */
  expectFinished(due: readonly string[], stack: Stack, look: Look): void {
    for (const declaration of stack.program) {
      const entry = heldFor(declaration, stack.engine.state);
      if (!entry || !due.includes(entry.id) || stack.engine.isUncertain(entry.urn)) continue;
      // A job that has succeeded outlives its record.
      if (entry.outputs["retired"] === true) continue;
      const { method } = this.byName.get(entry.id)!;
      const deviation = deviationOf(declaration, look(entry.id));
      if (deviation !== undefined)
        throw new Violation(
          "write-forgotten",
          `${entry.id} ${deviation} after a ${method} that broke off, and \`up\` ended well`,
        );
      this.forget(entry.id);
    }
  }
}

/** How what is live differs from what the program says; undefined if it does not. */
function deviationOf({ inputs }: Declaration, live: ReturnType<Look>): string | undefined {
  if (!live) return "is gone";
  const all: Values = { ...live.fields, ...live.hidden };
  const field = [...shown, "value", "residency"].find((each) => each in inputs && all[each] !== inputs[each]);
  return field && `has another ${field} than the program says`;
}

/** What a stack of that program would have lost without a word. */
export const unnamed = (names: Iterable<string>, texts: readonly string[], listed: ReadonlySet<string>): string[] =>
  [...names].filter((name) => !listed.has(name) && !texts.some((text) => text.includes(name)));
