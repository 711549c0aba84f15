import { memoizeByKey } from "../../provider/core/values/once";
import {
  isSecretValue,
  isUnknown,
  PathTree,
  parsePath,
  pathText,
  pathTo,
  type Values,
  valueAt,
} from "../../provider/core/values/values";
import type { EngineStep, State } from "../cost/preview";

/** One field that a step changes. Secrets are `[secret]`, what is known later is `<computed>`. */
export interface ChangedField {
  path: string;
  old?: unknown;
  new?: unknown;
  /** It gets another value, and neither is legible. */
  secret?: true;
  /** It forces a replacement. */
  replaces?: true;
  /** It gets a value of its own in each of the resources that the row is about. */
  differs?: true;
}

export const secret = "[secret]";
/** As the built-in engine writes it. */
export const computed = "<computed>";

/** The same words for the same values, whichever engine wrote them. */
function legible(value: unknown): unknown {
  if (isUnknown(value)) return computed;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(legible);
  if (isSecretValue(value)) return secret;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, legible(member)]));
}

const isOwn = (path: string): boolean => path.startsWith("__");

/** Inputs of a state as the program gives them. */
export const inputsOf = (state: EngineStep["new"]): Values => (state === undefined ? {} : legibleInputs(state));

const legibleInputs = memoizeByKey(
  ({ inputs = {} }: State): Values =>
    Object.fromEntries(
      Object.entries(inputs).flatMap(([name, value]) => (isOwn(name) ? [] : [[name, legible(value)]])),
    ),
);

/** What the step changes: the difference of the inputs, and what only the engine knows to differ. */
export function fieldsOf(step: EngineStep): ChangedField[] {
  const [before, after] = [inputsOf(step.old), inputsOf(step.new)];
  const seen = membersOf(before, after).flatMap((name) => within(before[name], after[name], pathText([name])));
  const changes = [...seen, ...namedPaths(step, seen).flatMap((path) => unseenChange(path, step, before, after))];
  const replacing = new PathTree(step.replacing ?? []);
  return changes
    .map((field) => (replacing.touches(field.path) ? forced(field) : field))
    .sort(
      (one, other) => Number(other.replaces === true) - Number(one.replaces === true) || order(one.path, other.path),
    );
}

const forced = (field: ChangedField): ChangedField => ({ ...field, replaces: true });

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Paths that only the engine reports as different, in one spelling, without those inside another one. */
function namedPaths({ paths = [] }: EngineStep, seen: readonly ChangedField[]): string[] {
  const named = [...new Set(paths.map((path) => pathText(parsePath(path))))].filter((path) => !isOwn(path));
  const [all, known] = [new PathTree(named), new PathTree(seen.map(({ path }) => path))];
  return named.filter((path) => !known.touches(path) && !all.isAround(path));
}

/** With more differences in one field, or deeper ones, only the whole field is reported. */
const mostWithin = 1000;
const longestPath = 500;

function within(before: unknown, after: unknown, path: string): ChangedField[] {
  const found: ChangedField[] = [];
  findDifferences(before, after, path, found);
  return found.length > mostWithin ? [difference(before, after, path)] : found;
}

/** Stops once there are too many. */
function findDifferences(before: unknown, after: unknown, path: string, found: ChangedField[]): void {
  if (before === after) return;
  const isList = Array.isArray(before) && Array.isArray(after);
  const isWhole = path.length > longestPath || !(isList || (isMap(before) && isMap(after)));
  if (isWhole && JSON.stringify(before) !== JSON.stringify(after)) found.push(difference(before, after, path));
  if (isWhole) return;
  const [one, other] = [before as Values, after as Values];
  for (const name of membersOf(one, other)) {
    findDifferences(one[name], other[name], pathTo(path, isList ? Number(name) : name), found);
    if (found.length > mostWithin) return;
  }
}

const membersOf = (one: Values, other: Values): string[] => [...new Set([...Object.keys(one), ...Object.keys(other)])];

const difference = (before: unknown, after: unknown, path: string): ChangedField => ({
  path,
  ...(before !== undefined && { old: before }),
  ...(after !== undefined && { new: after }),
});

const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

/** A difference that the inputs do not show: of a secret, or of what is live. */
function unseenChange(path: string, { old }: EngineStep, before: Values, after: Values): ChangedField[] {
  const [was, is] = [valueAt(before, path), valueAt(after, path)];
  if ([was, is].some((value) => JSON.stringify(value)?.includes(secret))) return [{ path, secret: true }];
  const live = legible(valueAt(old?.outputs, path));
  const isSeen = is !== undefined && live !== undefined && JSON.stringify(live) !== JSON.stringify(is);
  return isSeen ? [{ path, old: live, new: is }] : [];
}
