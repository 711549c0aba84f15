import { usageFailure } from "./failure";

/** Parses a flag that takes one or more known words, separated by commas or in flags of their own. */
export const listOf =
  <T extends string>(flag: string, known: readonly T[]) =>
  (text: string, before: T[] | undefined): T[] => {
    const given = text.split(",").map((part) => part.trim());
    const unknown = given.find((part) => !known.includes(part as T));
    if (unknown !== undefined)
      throw usageFailure(`${flag} does not know ${JSON.stringify(unknown)}; there are ${known.join(", ")}.`);
    return [...new Set([...(before ?? []), ...(given as T[])])];
  };
