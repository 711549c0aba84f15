import type { Fact } from "../ports/journal";

/**
 * The fact in a line; undefined for a line that a crash has torn: its request was never sent. `seen`, which earlier
 * releases wrote, says nothing any longer.
 */
export function factIn(line: string): Fact | undefined {
  try {
    const fact: unknown = JSON.parse(line);
    return isFact(fact) ? fact : undefined;
  } catch {
    return undefined;
  }
}

const texts = ["kind", "urn", "origin", "account"];
const ofObjects = ["made", "held", "gone"];

/** The folder may be one that a project's files name. */
function isFact(value: unknown): value is Fact {
  const { fact, id, place, object, at, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (typeof at !== "number" || !texts.every((name) => typeof rest[name] === "string")) return false;
  if (fact === "sent") return typeof id === "string" && typeof place === "object" && place !== null;
  if (fact === "void") return typeof id === "string";
  return ofObjects.includes(String(fact)) && typeof (object as { name?: unknown } | null)?.name === "string";
}
