import { duration } from "../../core/recording/written-inputs";
import { parsePath } from "../../core/values/paths";
import { specOf } from "../../resources/index";
import { fieldsAlong } from "../comparison";
import type { Change, Finding } from "../document";

/**
 * The changes of a finding as people can compare them: durations in one form on both sides, `10m` and `15m` where a
 * program says `10m` and the service `900s`.
 */
export const comparableChanges = ({ type, changes }: Pick<Finding, "type" | "changes">): Change[] =>
  changes.map((change) => (isDuration(type, change.path) ? inOneForm(change) : change));

function isDuration(type: string, path: string): boolean {
  const [first, ...rest] = parsePath(path);
  const top = specOf(type)?.fields.message.find(({ name }) => name === first);
  const along = top ? fieldsAlong(top, rest) : [];
  return along.length === rest.length + 1 && along.at(-1)?.markers.sameAs === "duration";
}

const inOneForm = ({ recorded, live, ...change }: Change): Change => ({
  ...change,
  ...(recorded !== undefined && { recorded: formOf(recorded) }),
  ...(live !== undefined && { live: formOf(live) }),
});

const formOf = (value: unknown): unknown => (typeof value === "string" ? duration(value) : value);
