import type { Rule, RuleCondition } from "../rules/rules";

/** What the rules of a kind say about the field at `path`, as sentences. */
export const ruleSentences = (rules: readonly Rule[], path: string): string[] =>
  rules.flatMap((rule) => sentencesOf(rule, path));

function sentencesOf(rule: Rule, path: string): string[] {
  switch (rule.rule) {
    case "exclusive":
      return about(path, rule.fields, (others) => `Not together with ${joinWords(others, "or")}.`);
    case "exactlyOne":
      return about(
        path,
        rule.fields,
        () => `Exactly one of ${joinWords(rule.fields.map(quotedName), "and")} must be set.`,
      );
    case "anyOf":
      return rule.groups.some((group) => group.some(({ field }) => field === path)) ? [oneOfGroups(rule.groups)] : [];
    case "requires":
      return rule.field === path ? [`Needs ${quotedName(rule.needs)} as well.`] : [];
    case "onlyWith":
      return rule.field === path ? [`Only with ${joinWords(rule.conditions.map(conditionText), "or")}.`] : [];
    case "requiredWith":
      return rule.field === path ? [`Required with ${conditionText(rule.condition)}.`] : [];
    case "notAbove":
      return rule.field === path ? [`Must not exceed ${quotedName(rule.bound)}.`] : [];
    case "uniqueBy":
      return rule.field === path ? [`Each ${quotedName(rule.key)} at most once.`] : [];
  }
}

/** A sentence for each of `fields`, about the others. */
const about = (path: string, fields: readonly string[], sentence: (others: string[]) => string): string[] =>
  fields.includes(path) ? [sentence(fields.filter((field) => field !== path).map(quotedName))] : [];

const oneOfGroups = (groups: readonly (readonly RuleCondition[])[]): string =>
  `One of these must be given: ${groups.map((group) => joinWords(group.map(conditionText), "and")).join(", or ")}.`;

/** A condition as a program would write it: `role: "custom"`. */
function conditionText({ field, in: values, absentIs }: RuleCondition): string {
  if (values === undefined) return quotedName(field);
  const absent = absentIs !== undefined && values.includes(absentIs) ? `, or no ${quotedName(field)}` : "";
  return `${joinWords(
    values.map((value) => `\`${nameIn(field)}: ${JSON.stringify(value)}\``),
    "or",
  )}${absent}`;
}

const nameIn = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

const quotedName = (path: string): string => `\`${nameIn(path)}\``;

export function joinWords(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
