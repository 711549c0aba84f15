import { lastSegment } from "../../provider/core/values/names";
import { parsePath, pathText } from "../../provider/core/values/paths";
import { ignoreRules, ruleFor } from "./ignore-rules";
import type { Suppressor } from "./suppression";

/**
 * What an ignore file leaves out: gitignore syntax on `account/type/id`, and on `account/type/id#path` for a single
 * field. A pattern for a field leaves out what is below it, too; one without `#` is about objects only.
 */
export function ignoreFile(text: string): Suppressor {
  const rules = ignoreRules(text);
  const [objects, fields] = [rules.filter(({ line }) => !isOfField(line)), rules.filter(({ line }) => isOfField(line))];
  return ({ account, type, name }, change) => {
    const object = `${account}/${type}/${lastSegment(name)}`;
    const segments = change ? parsePath(change.path) : [];
    const places = segments.map((_, index) => `${object}#${pathText(segments.slice(0, index + 1))}`);
    const rule = [ruleFor(objects, object), ...places.map((place) => ruleFor(fields, place))].find(Boolean);
    return rule && { by: "ignore", owner: null, reason: `matches ${JSON.stringify(rule.line)}`, expires: null };
  };
}

/** A line that begins with `#` is a comment. */
const isOfField = (line: string): boolean => /^[^#].*#/.test(line);
