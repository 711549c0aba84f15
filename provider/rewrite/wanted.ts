import type { Finding } from "../drift/document";
import type { Sought } from "./declarations";
import type { Objection } from "./objections";
import { isRefusal, type Refusal, type Wish } from "./wishes";

/** What an object is called in the program, and where it was declared at the time. */
export const soughtOf = ({ type, urn, source, trace }: Finding): Sought => ({
  kind: type,
  name: nameIn(urn) ?? "",
  source,
  trace,
});

const nameIn = (urn: string | null): string | undefined => urn?.split("::").slice(3).join("::");

/** Whether a stack wants the same of its resource of that name. */
export const isAskedBy = (
  wishes: readonly (Wish | Refusal)[],
  stack: string,
  { type, urn }: Finding,
  asks: (wish: Wish) => boolean,
): boolean =>
  wishes.some(
    (wish) =>
      !isRefusal(wish) &&
      wish.finding.stacks.includes(stack) &&
      wish.finding.type === type &&
      nameIn(wish.finding.urn) === nameIn(urn) &&
      asks(wish),
  );

/** The wish once it has met an objection: to say what goes without saying, and if that has been said, to leave it. */
export function inOtherWords(wish: Wish, { text }: Objection): Wish | Refusal {
  const { finding } = wish;
  const reason = `would have the program refused: ${text}`;
  if (wish.act !== "say") return { finding, reason };
  const { path, change } = wish;
  if (change.desired === undefined && change.spelled !== undefined)
    return { ...wish, change: { ...change, desired: change.spelled } };
  return { finding, path, reason, ...(change.spelled !== undefined && { value: change.spelled }) };
}
