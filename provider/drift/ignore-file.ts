import ignore, { type Ignore } from "ignore";
import { lastSegment } from "../core/values/names";
import { parsePath, pathText } from "../core/values/paths";
import type { Suppressor } from "./suppression";

/**
 * What an ignore file leaves out: gitignore syntax on `account/type/id`, and on `account/type/id#path` for a single
 * field. A pattern for a field leaves out what is below it, too; one without `#` is about objects only.
 */
export function ignoreFile(text: string): Suppressor {
  const lines = text.split(/\r?\n/);
  const [objects, fields] = [lines.filter((line) => !isOfField(line)), lines.filter(isOfField)].map((patterns) =>
    ignore({ ignoreCase: false, allowRelativePaths: true }).add(patterns),
  ) as [Ignore, Ignore];
  return ({ account, type, name }, change) => {
    const object = `${account}/${type}/${lastSegment(name)}`;
    const segments = change ? parsePath(change.path) : [];
    const places = segments.map((_, index) => `${object}#${pathText(segments.slice(0, index + 1))}`);
    const tested = [objects.test(object), ...places.map((place) => fields.test(place))].find(({ ignored }) => ignored);
    return (
      tested && {
        by: "ignore",
        owner: null,
        reason: tested.rule ? `matches ${JSON.stringify(tested.rule.pattern)}` : null,
        expires: null,
      }
    );
  };
}

/** A line that begins with `#` is a comment. */
const isOfField = (line: string): boolean => /^[^#].*#/.test(line);
