import { fieldAt } from "../../provider/core/fields/places";
import { duration } from "../../provider/core/recording/written-inputs";
import { parsePath } from "../../provider/core/values/paths";
import { specOf } from "../../provider/resources/index";
import type { Change } from "../scan/finding-schema";

/**
 * The changes of a finding as people can compare them: durations in one form on both sides, `10m` and `15m` where a
 * program says `10m` and the service `900s`.
 */
export const comparableChanges = <C extends Change>({ type, changes }: { type: string; changes: readonly C[] }): C[] =>
  changes.map((change) => (isDuration(type, change.path) ? inOneForm(change) : change));

const isDuration = (type: string, path: string): boolean =>
  fieldAt(specOf(type), parsePath(path))?.markers.sameAs === "duration";

const inOneForm = <C extends Change>(change: C): C => ({
  ...change,
  recorded: formOf(change.recorded),
  live: formOf(change.live),
});

const formOf = (value: unknown): unknown => (typeof value === "string" ? duration(value) : value);
