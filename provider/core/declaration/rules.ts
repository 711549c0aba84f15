import { containsUnknown, type Values, valueAt } from "../values/values";

/** A rule between fields, as data. `by` is the convention that supplies it where the API's description does not. */
export type Rule<Path extends string = string> = RuleForm<Path> & { by?: string };

type RuleForm<Path extends string> =
  /** At most one of `fields` may be set. A flag that is off is not. */
  | { rule: "exclusive"; fields: readonly Path[] }
  /** Exactly one of `fields` must be set, where `within` (or the resource) is there at all. */
  | { rule: "exactlyOne"; fields: readonly Path[]; within?: Path }
  /** In at least one of the groups every condition must hold. */
  | { rule: "anyOf"; groups: readonly (readonly RuleCondition<Path>[])[] }
  /** Where `field` is set, so must `needs` be. */
  | { rule: "requires"; field: Path; needs: Path }
  /** `field` may be set only where one of `conditions` holds. */
  | { rule: "onlyWith"; field: Path; conditions: readonly RuleCondition<Path>[] }
  /** `field` must be set where the condition holds. */
  | { rule: "requiredWith"; field: Path; condition: RuleCondition<Path> }
  /** `field` must not be above `bound`. */
  | { rule: "notAbove"; field: Path; bound: Path }
  /** No two members of the list may have the same `key`. */
  | { rule: "uniqueBy"; field: Path; key: string };

export type RuleCondition<Path extends string = string> = {
  field: Path;
  /** The condition holds for one of these values; without it, for any value that is set. */
  in?: readonly (string | boolean)[];
  /** The value that an absent field counts as. */
  absentIs?: string;
};

/** A rule between fields that the service does not hold an object to, and what breaking it means. */
export interface Caution<Path extends string = string> {
  rule: Rule<Path>;
  /** Whether it is for new objects only: a later change does not ask for it again. */
  whenNew?: true;
  /** A sentence without its full stop. */
  says: string;
}

export interface RuleFailure {
  path: string;
  reason: string;
}

const isSet = (values: Values, path: string): boolean => {
  const value = valueAt(values, path);
  return value !== undefined && value !== null && value !== "" && value !== false;
};

const isMessage = (value: unknown): boolean => typeof value === "object" && value !== null;

const formatNames = (fields: readonly string[]): string => fields.map((name) => `\`${name}\``).join(", ");

/** The rules that `values` break. A rule that depends on a value not yet known is not broken yet. */
export function brokenRules(rules: readonly Rule[], values: Values): RuleFailure[] {
  return rules.flatMap((rule) =>
    fieldsIn(rule).some((path) => containsUnknown(valueAt(values, path)))
      ? []
      : judge(rule, values).map((failure) => withConventionNumber(failure, rule)),
  );
}

const withConventionNumber = ({ path, reason }: RuleFailure, { by }: Rule): RuleFailure => ({
  path,
  reason: by === undefined ? reason : `${reason} (${by})`,
});

function judge(rule: Rule, values: Values): RuleFailure[] {
  switch (rule.rule) {
    case "exclusive": {
      const present = rule.fields.filter((path) => isSet(values, path));
      return present.length <= 1
        ? []
        : [
            {
              path: present[1]!,
              reason: `only one of ${formatNames(rule.fields)} may be set; drop ${formatNames(present.slice(1))} or ${formatNames(present.slice(0, 1))}`,
            },
          ];
    }
    case "exactlyOne": {
      if (rule.within !== undefined && !isMessage(valueAt(values, rule.within))) return [];
      const present = rule.fields.filter((path) => isSet(values, path));
      const isEmpty = rule.fields.some((path) => valueAt(values, path) === "");
      return present.length === 1
        ? []
        : [
            {
              path: present[1] ?? rule.within ?? rule.fields[0]!,
              reason: `exactly one of ${formatNames(rule.fields)} must be set; ${present.length > 0 ? `${formatNames(present)} are` : isEmpty ? "it is empty" : "none is"}`,
            },
          ];
    }
    case "anyOf": {
      const met = rule.groups.some((group) => group.every((condition) => holds(condition, values)));
      return met
        ? []
        : [
            {
              path: rule.groups[0]![0]!.field,
              reason: `set ${rule.groups.map((group) => group.map(inWords).join(" with ")).join(", or ")}`,
            },
          ];
    }
    case "requires":
      return !isSet(values, rule.field) || isSet(values, rule.needs)
        ? []
        : [{ path: rule.needs, reason: `must be set together with \`${rule.field}\`` }];
    case "onlyWith":
      return !isSet(values, rule.field) || rule.conditions.some((condition) => holds(condition, values))
        ? []
        : [{ path: rule.field, reason: `is allowed only with ${rule.conditions.map(inWords).join(" or ")}` }];
    case "requiredWith":
      return isSet(values, rule.field) || !holds(rule.condition, values)
        ? []
        : [{ path: rule.field, reason: `must be set with ${inWords(rule.condition)}` }];
    case "notAbove":
      return notAbove(rule, values);
    case "uniqueBy":
      return duplicates(rule, values);
  }
}

function holds(condition: RuleCondition, values: Values): boolean {
  const fieldValue = valueAt(values, condition.field);
  const value = fieldValue === undefined || fieldValue === null || fieldValue === "" ? condition.absentIs : fieldValue;
  if (condition.in === undefined) return isSet(values, condition.field);
  return condition.in.some((allowed) => allowed === value);
}

function inWords(condition: RuleCondition): string {
  return condition.in === undefined
    ? `\`${condition.field}\``
    : `\`${condition.field}\` ${condition.in.map((value) => `\`${value}\``).join(" or ")}`;
}

function notAbove(rule: { field: string; bound: string }, values: Values): RuleFailure[] {
  const value = valueAt(values, rule.field);
  const bound = valueAt(values, rule.bound);
  if (typeof value !== "number" || typeof bound !== "number" || value <= bound) return [];
  return [{ path: rule.field, reason: `must not be above \`${rule.bound}\` (${bound})` }];
}

function duplicates(rule: { field: string; key: string }, values: Values): RuleFailure[] {
  const list = valueAt(values, rule.field);
  if (!Array.isArray(list)) return [];
  const seen = new Set<unknown>();
  return list.flatMap((member: Values, index) => {
    const key = member?.[rule.key];
    if (key === undefined || !seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [
      {
        path: `${rule.field}[${index}].${rule.key}`,
        reason: `appears twice in \`${rule.field}\`; keep one entry for it`,
      },
    ];
  });
}

function fieldsIn(rule: Rule): string[] {
  switch (rule.rule) {
    case "exclusive":
    case "exactlyOne":
      return [...rule.fields];
    case "anyOf":
      return rule.groups.flat().map((condition) => condition.field);
    case "requires":
      return [rule.field, rule.needs];
    case "onlyWith":
      return [rule.field, ...rule.conditions.map((condition) => condition.field)];
    case "requiredWith":
      return [rule.field, rule.condition.field];
    case "notAbove":
      return [rule.field, rule.bound];
    case "uniqueBy":
      return [rule.field];
  }
}
