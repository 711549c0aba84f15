import { isDeepStrictEqual } from "node:util";
import type { YamlPath, YamlValue } from "./spelling";
import { spliced, yaml } from "./splice";

/** Line breaks of the parser that the Pulumi CLI uses. */
const pulumiBreaks = /\r\n|[\r\u0085\u2028\u2029]/g;

/**
 * The text with `value` at `path`, or without what stands there where `value` is undefined. Not a byte outside of it
 * changes. The result is read again, once as this package reads it and once with the line breaks of the Pulumi CLI's
 * parser: an edit that either reads as anything but that one change is refused.
 */
export function editedYaml(text: string, path: YamlPath, value: YamlValue | undefined, file: string): string {
  const after = spliced(text, path, value, file);
  for (const read of [asWritten, asPulumiReads]) {
    const [before, result] = [read(text), read(after)];
    if (before === unreadable || !isDeepStrictEqual(result, withValue(before, path, value)))
      throw new Error(
        `${file} is left as it is: writing \`${path.join(".")}\` could change more of it than that. Edit it by hand, or put the value on a line of its own.`,
      );
  }
  return after;
}

const unreadable = Symbol("unreadable");

const asWritten = (text: string): unknown => reading(text.replace(/^\uFEFF/, ""));
const asPulumiReads = (text: string): unknown => reading(text.replace(/^\uFEFF/, "").replace(pulumiBreaks, "\n"));

function reading(text: string): unknown {
  try {
    const document = yaml().parseDocument(text, { intAsBigInt: true });
    return document.errors.length > 0 ? unreadable : (document.toJS() ?? {});
  } catch {
    return unreadable;
  }
}

/** What the file has to say after the edit. */
function withValue(root: unknown, [head, ...rest]: YamlPath, value: YamlValue | undefined): unknown {
  if (head === undefined) return comparable(value);
  if (Array.isArray(root)) {
    const copy = [...root];
    if (rest.length === 0 && value === undefined) copy.splice(Number(head), 1);
    else copy[Number(head)] = withValue(copy[Number(head)], rest, value);
    return copy;
  }
  const entries = Object.entries((root ?? {}) as Record<string, unknown>);
  if (rest.length === 0 && value === undefined) return Object.fromEntries(entries.filter(([key]) => key !== head));
  const before = entries.find(([key]) => key === head)?.[1];
  const after = withValue(before, rest, value);
  return before === undefined
    ? Object.fromEntries([...entries, [head, after]])
    : Object.fromEntries(entries.map(([key, held]) => [key, key === head ? after : held]));
}

/** As a reader answers it: whole numbers are big ones. */
function comparable(value: YamlValue | undefined): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, comparable(member)]));
  return value;
}
