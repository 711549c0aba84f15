import { dayMs, dayOf } from "../values/grouping";
import { isObject, isUnknown, type Values, valueAt } from "../values/values";
import type { ResourceSpec } from "./resource";

/** What is known of a model: what it is made from itself, and the day on which it is taken down, `YYYY-MM-DD`. */
export interface ModelFacts {
  base?: string | undefined;
  day?: string | undefined;
  /** Why the day is not known: the service answers something else than a date, or does not let the model be read. */
  unknownDay?: string | undefined;
}

/** A model that something is made from, directly or by way of addons, and the day on which it is taken down. */
export interface ModelEnd {
  model: string;
  day: string;
}

/** Days before retirement at which to warn and to fail. Unset: never. */
export interface RetirementNotice {
  days: number;
  errorDays?: number | undefined;
}

/** Paths of the model that an object is made from, in order of precedence. */
export const modelPaths = ({ preflight, host, madeFrom = [] }: ResourceSpec): readonly string[] =>
  preflight?.model.at ?? (host ? [host.content] : madeFrom);

/** The model that the object names, where it is known. */
export function baseModelOf(spec: ResourceSpec, values: Values): string | undefined {
  const named = modelPaths(spec).map((path) => valueAt(values, path));
  const name = named.find((value) => value !== undefined && value !== null && value !== "");
  return typeof name === "string" && !isUnknown(name) ? name : undefined;
}

/** What an object of a kind that `retires` says of itself. */
export function modelFacts(spec: ResourceSpec, values: Values): ModelFacts {
  const date = spec.retires === undefined ? undefined : values[spec.retires];
  const day = calendarDay(date);
  return {
    base: baseModelOf(spec, values),
    day,
    ...(day === undefined && !saysNoDate(date) && { unknownDay: `${JSON.stringify(date)} is not a date` }),
  };
}

/** Nothing, or a date whose year is not set. */
function saysNoDate(date: unknown): boolean {
  if (date === undefined || date === null || isUnknown(date)) return true;
  return isObject(date) && Object.values(date).every((part) => part === 0 || part === null);
}

/** A date of the service as `YYYY-MM-DD`: the first day that it can be; undefined if it is not a date. */
function calendarDay(date: unknown): string | undefined {
  if (typeof date !== "object" || date === null) return undefined;
  const { year, month, day } = date as Partial<Record<"year" | "month" | "day", unknown>>;
  if (typeof year !== "number" || year < 1 || year > 9999) return undefined;
  const text = [String(year).padStart(4, "0"), twoDigits(month || 1), twoDigits(day || 1)].join("-");
  const time = Date.parse(text);
  return Number.isNaN(time) || dayOf(time) !== text ? undefined : text;
}

const twoDigits = (number: unknown): string => String(number).padStart(2, "0");

type FactsOf = (name: string) => ModelFacts | undefined;

/** A model and those that it is made from, by name. */
function lineageOf(model: string, modelOf: FactsOf): Map<string, ModelFacts> {
  const lineage = new Map<string, ModelFacts>();
  for (let name: string | undefined = model; name !== undefined && !lineage.has(name); name = modelOf(name)?.base)
    lineage.set(name, modelOf(name) ?? {});
  return lineage;
}

/** The first that is taken down of a model and of those that it is made from. */
export function retirementOf(model: string, modelOf: FactsOf): ModelEnd | undefined {
  let first: ModelEnd | undefined;
  for (const [name, { day }] of lineageOf(model, modelOf))
    if (day !== undefined && (first === undefined || day < first.day)) first = { model: name, day };
  return first;
}

/** A model, or one that it is made from, whose day is not known, and why. */
export function undatedOf(model: string, modelOf: FactsOf): { model: string; why: string } | undefined {
  for (const [name, { unknownDay }] of lineageOf(model, modelOf))
    if (unknownDay !== undefined) return { model: name, why: unknownDay };
  return undefined;
}

/** How urgent it is; undefined where it is too early to say anything. */
export function urgencyOf(
  day: string,
  today: string,
  { days, errorDays }: RetirementNotice,
): "error" | "warning" | undefined {
  const left = (Date.parse(day) - Date.parse(today)) / dayMs;
  if (errorDays !== undefined && left <= errorDays) return "error";
  return left <= days ? "warning" : undefined;
}

/** What follows the name of the object. Says no number of days, so that it is the same tomorrow. */
export const retirementText = ({ model, day }: ModelEnd, today: string): string =>
  `is made from ${model}, whose serverless deployment ${day < today ? "was" : "is"} taken down on ${day}`;
