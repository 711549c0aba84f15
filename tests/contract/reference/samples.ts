import type { Body, FieldFact } from "./types";

/** What stands directly below a place, such as `a.b` or `a[]` below `a`. */
export const below = (facts: readonly FieldFact[], place: string): FieldFact[] =>
  facts.filter(
    ({ path }) =>
      path.startsWith(place) &&
      /^(\.?\w+|\[\]|\{\})$/.test(path.slice(place.length)) &&
      (place === "" || /^[.[{]/.test(path.slice(place.length))),
  );

/** A value that the reference does not have, where it has none but the one for "unset". */
export const beyond = "SOMETHING_ELSE";

/** At rest, as most objects are. */
const atRest = /^(JOB_STATE_COMPLETED|DEPLOYED|READY|completed)$/;

/** A value of the documented type that says something: neither zero nor empty. */
function sample(facts: readonly FieldFact[], fact: FieldFact): unknown {
  const inner = below(facts, fact.path);
  switch (fact.type) {
    case "integer":
      return Math.max(fact.min ?? 0, 1);
    case "unshown":
      return fact.path.endsWith("_tokens") ? 1 : "text";
    case "number":
      return 0.5;
    case "boolean":
      return true;
    case "date-time":
      // Before the clock of the emulator: a deletion to come is none.
      return "2025-12-31T03:04:05Z";
    case "array":
      return inner.map((item) => sample(facts, item));
    case "map":
      return { [`${inner[0]?.keyPrefix ?? fact.keyPrefix ?? ""}key`]: inner[0] ? sample(facts, inner[0]) : "text" };
    case "object":
      return inner.length === 0 ? { member: "text" } : message(facts, fact.path);
    default:
      return fact.enum
        ? (fact.enum.find((value) => atRest.test(value)) ??
            fact.enum.filter((value) => !value.endsWith("_UNSPECIFIED")).at(-1) ??
            beyond)
        : "text";
  }
}

/** A message in which every documented field says something. */
export const message = (facts: readonly FieldFact[], place = ""): Body =>
  Object.fromEntries(
    below(facts, place).map((fact) => [fact.path.slice(fact.path.lastIndexOf(".") + 1), sample(facts, fact)]),
  );
