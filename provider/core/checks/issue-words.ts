import { didYouMean } from "../values/closest";
import { pathText, type Segment, valueAt } from "../values/paths";
import type { Values } from "../values/values";
import type { z } from "../zod";

/** What the schema library finds wrong with a value, in our words. `answered` names what only the service sets. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  input: Values,
  answered: readonly string[],
  membersOf: (path: readonly Segment[]) => readonly string[],
): { path: string; reason: string }[] {
  const path = issue.path as Segment[];
  const value = valueAt(input, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: pathText([...path, key]),
        reason:
          path.length === 0 && answered.includes(key)
            ? "is read-only: the service sets it; drop it"
            : `is not a property${path.length > 0 ? ` of \`${pathText(path)}\`` : ""}${didYouMean(key, membersOf(path))}`,
      }));
    case "invalid_type":
      return [
        {
          path: pathText(path),
          reason:
            value === undefined
              ? `is required; give ${article(issue.expected)}`
              : `must be ${article(issue.expected)}, not ${article(kindOf(value))}`,
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

const typeNames: Readonly<Record<string, string>> = {
  int: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  record: "a map",
  object: "an object",
  null: "null",
};

const article = (type: string): string => typeNames[type] ?? `a ${type}`;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
