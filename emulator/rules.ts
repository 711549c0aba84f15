import type { ResourceSpec } from "../provider/core/declaration/resource";
import { brokenRules, type Rule } from "../provider/core/rules/rules";
import { oncePer } from "../provider/core/values/once";
import { topLevel } from "../provider/core/values/paths";
import { invalid } from "./refusals";
import type { Fields } from "./types";

/**
 * Refuses values that break a rule between fields. `values` holds the message, the id and the directives that are on;
 * of an update only rules about `changed` members count, since an object that someone else made may break others.
 */
export function judgeRules(spec: ResourceSpec, values: Fields, changed?: ReadonlySet<string>): void {
  const rules = serviceRules(spec).filter((rule) => changed === undefined || mentions(rule, changed));
  const broken = rules.filter((rule) => brokenRules([rule], values).length > 0);
  if (broken.length > 0)
    throw invalid(
      brokenRules(broken, values).map(({ path, reason }) => ({ field: path, description: reason })),
      broken,
    );
}

/** The rules that the service knows: those that name no option of this provider. */
export const serviceRules = oncePer(({ fields, rules }: ResourceSpec): readonly Rule[] => {
  const options = new Set(fields.behaviours.map((field) => field.name));
  return rules.filter((rule) => !mentions(rule, options));
});

/** Whether a rule is about one of `names`. */
function mentions(rule: unknown, names: ReadonlySet<string>): boolean {
  if (typeof rule === "string") return names.has(topLevel(rule));
  return rule !== null && typeof rule === "object" && Object.values(rule).some((part) => mentions(part, names));
}
