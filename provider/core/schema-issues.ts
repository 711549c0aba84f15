import { didYouMean } from "./values/did-you-mean";
import { pathText, type Segment, type Values, valueAt } from "./values/values";
import type { z } from "./zod";

/** The names of a kind that a message may suggest. */
interface Vocabulary {
  /** What only the service sets. */
  answered: readonly string[];
  /** The input that decides the name of an object. */
  namedBy: string | undefined;
  membersOf: (path: readonly Segment[]) => readonly string[];
  /** Where a member of an object has exactly that name. */
  placeOf: (name: string) => string | undefined;
}

/** What is wrong with a name that nothing of the kind has or is near to. */
export const unknownProperty = "is not a property";

/** What the schema library finds wrong with a value, in our words. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  input: Values,
  { answered, namedBy, membersOf, placeOf }: Vocabulary,
): { path: string; reason: string }[] {
  const path = issue.path as Segment[];
  const value = valueAt(input, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: pathText([...path, key]),
        reason:
          path.length === 0 && answered.includes(key)
            ? `is read-only: the service sets it; drop it${key === "name" && namedBy !== undefined ? `, or give \`${namedBy}\`` : ""}`
            : `${unknownProperty}${path.length > 0 ? ` of \`${pathText(path)}\`` : ""}${meantBy(key, membersOf(path), placeOf)}`,
      }));
    case "invalid_type":
      return [
        {
          path: pathText(path),
          reason:
            value === undefined
              ? `is required; give ${article(issue.expected)}`
              : `must be ${article(issue.expected)}, not ${insteadOf(issue.expected, value)}`,
        },
      ];
    case "invalid_value":
      return [
        {
          path: pathText(path),
          reason: `must be one of ${issue.values.map((allowed) => `\`${String(allowed)}\``).join(", ")}${typeof value === "string" ? didYouMean(value, issue.values.map(String)) : ""}`,
        },
      ];
    case "too_big":
      return [
        { path: pathText(path), reason: `must be ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}` },
      ];
    case "too_small":
      return [
        {
          path: pathText(path),
          reason:
            issue.origin === "string"
              ? "must not be empty"
              : `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`,
        },
      ];
    default:
      return [{ path: pathText(path), reason: issue.message }];
  }
}

/** A name nearby, or the exact one elsewhere in the kind. */
function meantBy(key: string, known: readonly string[], placeOf: Vocabulary["placeOf"]): string {
  const place = placeOf(key);
  return didYouMean(key, known) || (place === undefined ? "" : `; did you mean \`${place}\`?`);
}

const typeNames: Readonly<Record<string, string>> = {
  int: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  record: "a map",
  object: "an object",
  ...{ NaN: "NaN", Infinity: "Infinity", "-Infinity": "-Infinity" },
  null: "null",
};

const article = (type: string): string => typeNames[type] ?? `a ${type}`;

/** What a value is that is of another type: a number by itself, and a text with a number with what to write. */
function insteadOf(expected: string, value: unknown): string {
  if (typeof value === "number" && expected === "int" && Number.isFinite(value)) return String(value);
  const isQuoted = ["int", "number"].includes(expected) && typeof value === "string" && /^-?\d[\d.e-]*$/.test(value);
  return isQuoted && Number.isFinite(Number(value)) ? `a string; write ${value}` : article(kindOf(value));
}

function kindOf(value: unknown): string {
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}
