import type { Values } from "../../values";
import type { Deviations } from "../deviation";
import type { programs } from "../programs";

export type Kind = keyof typeof programs;

/**
 * `right`: a life as on any other service. `setting`: right with the settings, one of which the first error names.
 * `refused`: an error of a command that writes nothing. `refused at once`: the answer to one write shows it, and none
 * follows.
 */
export type Outcome = "right" | "setting" | "refused" | "refused at once";

/** A small thing that a service does in another way, and how a life with it ends. */
export interface Row {
  name: string;
  /** The kinds that it touches. */
  kinds: readonly Kind[];
  deviation: Deviations;
  outcome: Outcome;
  /** What the error says; of an outcome `setting`, with the name of the setting. */
  message?: RegExp;
  /** Of an outcome `setting`. */
  settings?: Readonly<Record<string, string>>;
}

export const allKinds: readonly Kind[] = [
  ...(["Deployment", "User", "Secret", "Model", "DeployedModel"] as const),
  ...(["SupervisedFineTuningJob", "RlorTrainerJob", "PolicySettings"] as const),
];

/** Kinds with a list. */
export const listedKinds: readonly Kind[] = allKinds.filter((kind) => kind !== "PolicySettings");

/** Kinds that are changed in place. */
export const changingKinds: readonly Kind[] = allKinds.filter((kind) => !kind.endsWith("Job"));

/** Rows that end as on any other service. */
export const right = (kinds: readonly Kind[], deviations: Readonly<Record<string, Deviations>>): Row[] =>
  Object.entries(deviations).map(([name, deviation]) => ({ name, kinds, deviation, outcome: "right" }));

/** The same object with each value replaced, however deep; members whose value becomes undefined are left out. */
export function mapped(value: unknown, change: (value: unknown, name: string) => unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, name));
  if (typeof value !== "object" || value === null) return change(value, name);
  const members = Object.entries(value).map(([key, member]) => [key, mapped(member, change, key)]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Answers with each value replaced. */
export const showing = (change: (value: unknown, name: string) => unknown): Deviations => ({
  shows: (object) => mapped(object, change) as Values,
});

/** Answers with some members replaced, where the object has them. */
export const replacing = (change: Readonly<Record<string, (value: unknown) => unknown>>): Deviations => ({
  shows: (object) =>
    Object.fromEntries(
      Object.entries(object)
        .map(([name, value]) => [name, Object.hasOwn(change, name) ? change[name]!(value) : value] as const)
        .filter(([, value]) => value !== undefined),
    ),
});

/** The members of an object under other names, however deep. */
export function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), renamed(member, rename)]));
}

/** Something else at each read. */
export function counter(): () => number {
  let count = 0;
  return () => ++count;
}
