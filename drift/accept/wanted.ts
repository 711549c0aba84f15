import type { Field } from "../../provider/core/fields/fields";
import type { Finding } from "../scan/finding-schema";
import type { Sought } from "./declarations";
import type { DeclarationObjection } from "./objections";
import { isRefusal, type RefusedPart, type Wish } from "./wishes";

/** What an object is called in the program, and where it was declared at the time. */
export const soughtOf = ({ type, urn, source, trace }: Finding): Sought => ({
  kind: type,
  name: nameIn(urn) ?? "",
  isChild: urn?.split("::")[2]?.includes("$") ?? false,
  source,
  trace,
});

const nameIn = (urn: string | null): string | undefined => urn?.split("::").slice(3).join("::");

/** What a resource is called in every stack: its types and its name. */
export const tailOf = (urn: string | null): string | undefined => urn?.split("::").slice(2).join("::");

/** Whether a stack wants the same of its own of that resource. */
export const isAskedBy = (
  wishes: readonly (Wish | RefusedPart)[],
  stack: string,
  { urn }: Finding,
  asks: (wish: Wish) => boolean,
): boolean =>
  wishes.some(
    (wish) =>
      !isRefusal(wish) && wish.finding.stacks.includes(stack) && tailOf(wish.finding.urn) === tailOf(urn) && asks(wish),
  );

/** The wish once it has met an objection: to say what goes without saying, and if that has been said, to leave it. */
export function inOtherWords(wish: Wish, { text }: DeclarationObjection): Wish | RefusedPart {
  const { finding } = wish;
  const reason = `would have the program refused: ${text}`;
  if (wish.act !== "say") return { finding, reason };
  const { path, change } = wish;
  const value = change.spelled ?? writtenUnset(change.field);
  if (change.desired === undefined && value !== undefined)
    return { ...wish, change: { ...change, spelled: value, desired: value } };
  return { finding, path, reason, value };
}

/** What a program can write for a field that has no value live: answers leave a zero out that is like none (A094). */
const writtenUnset = (field: Field | undefined): number | undefined =>
  field && ["integer", "number"].includes(field.type) && field.markers.zero !== "value" ? 0 : undefined;
