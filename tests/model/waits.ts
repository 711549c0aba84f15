import { specOf } from "../../provider/resources/index";
import type { Values } from "../values";
import type { RecordedEntry } from "./engine";
import { heldFor, isOf } from "./invariants";
import { type Program, urnsOf } from "./program";

/** Objects that a run has given up to wait for, and that are still on their way. */
export class OpenWaits {
  private readonly names = new Set<string>();

  constructor(private readonly live: () => ReadonlyMap<string, Values>) {}

  /** Takes in what a run has left in a state. */
  follow(state: readonly RecordedEntry[]): void {
    for (const { id, initErrors } of state) if (initErrors.length > 0) this.names.add(id);
    const live = this.live();
    for (const name of this.names) if (!isMoving(name, live.get(name))) this.names.delete(name);
  }

  /** Another state is in place of the one that the run has left. */
  forget(): void {
    this.names.clear();
  }

  /** Those of a program, as the state has them. */
  of(program: Program, state: readonly RecordedEntry[]): RecordedEntry[] {
    const live = this.live();
    const held = program.map((each) => heldFor(each, state));
    return held.filter(
      (entry) =>
        entry !== undefined && !entry.pendingReplacement && this.names.has(entry.id) && isOf(entry, live.get(entry.id)),
    ) as RecordedEntry[];
  }

  /** What a preview of the program does not see. */
  unseen(program: Program, state: readonly RecordedEntry[], steps: readonly string[]): string[] {
    const waited = this.of(program, state);
    const isSeen = ({ urn }: RecordedEntry): boolean => {
      const declared = program.find((each) => urnsOf(each).includes(urn))!;
      return urnsOf(declared).some((each) => steps.some((step) => step.endsWith(` ${each}`)));
    };
    return waited.filter((entry) => !isSeen(entry)).map(({ id }) => id);
  }
}

const kindsByCollection: Readonly<Record<string, string>> = { deployments: "Deployment", users: "User" };

function isMoving(name: string, live: Values | undefined): boolean {
  const kind = kindsByCollection[name.split("/")[2]!];
  return kind !== undefined && specOf(kind)!.lifecycle!.moving.includes(String(live?.["state"]));
}
