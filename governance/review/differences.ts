import {
  isSecretValue,
  isUnknown,
  isWithin,
  pathText,
  type Segment,
  type Values,
  valueAt,
} from "../../provider/core/values/values";
import type { EngineStep } from "../cost/preview";

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
export const inputsOf = (state: EngineStep["new"]): Values =>
  Object.fromEntries(Object.entries(state?.inputs ?? {}).flatMap(([k, v]) => (isOwn(k) ? [] : [[k, legible(v)]])));

/** What the step changes: the difference of the inputs, and what only the engine knows to differ. */
export function fieldsOf(step: EngineStep): ChangedField[] {
  const [before, after] = [inputsOf(step.old), inputsOf(step.new)];
  const seen = differencesOf(before, after, []);
  const named = [...new Set(step.paths ?? [])].filter(
    (path) => !isOwn(path) && !seen.some((field) => isWithin(field.path, path) || isWithin(path, field.path)),
  );
  const changes = [...seen, ...named.flatMap((path) => unseenChange(path, step, before, after))];
  const replacing = step.replacing ?? [];
  return changes
    .map((field) =>
      replacing.some((at) => isWithin(field.path, at) || isWithin(at, field.path)) ? forced(field) : field,
    )
    .sort(
      (one, other) => Number(other.replaces === true) - Number(one.replaces === true) || order(one.path, other.path),
    );
}

const forced = (field: ChangedField): ChangedField => ({ ...field, replaces: true });

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

function differencesOf(before: unknown, after: unknown, path: Segment[]): ChangedField[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isList = Array.isArray(before) && Array.isArray(after);
  if (!isList && !(isMap(before) && isMap(after))) {
    const at = pathText(path);
    return [{ path: at, ...(before !== undefined && { old: before }), ...(after !== undefined && { new: after }) }];
  }
  const [one, other] = [before as Values, after as Values];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((name) => differencesOf(one[name], other[name], [...path, isList ? Number(name) : name]));
}

const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

/** A difference that the inputs do not show: of a secret, or of what is live. */
function unseenChange(path: string, { old }: EngineStep, before: Values, after: Values): ChangedField[] {
  const [was, is] = [valueAt(before, path), valueAt(after, path)];
  if ([was, is].some((value) => JSON.stringify(value)?.includes(secret))) return [{ path, secret: true }];
  const live = legible(valueAt(old?.outputs, path));
  const isSeen = is !== undefined && live !== undefined && JSON.stringify(live) !== JSON.stringify(is);
  return isSeen ? [{ path, old: live, new: is }] : [];
}
