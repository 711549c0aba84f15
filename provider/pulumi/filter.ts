import { type Condition, filterFields, type Logic, logic } from "../core/filter";
import { recordNames } from "../core/records";
import type { ResourceSpec } from "../core/resource";
import { type Kind, specs } from "../resources/index";
import type { Observed } from "./functions";

interface Presence {
  /** Whether there is anything but the zero value. */
  isSet(): Condition;
}

interface Single<T> extends Presence {
  is(value: T): Condition;
  isNot(value: T): Condition;
}

interface Ordered<T> extends Single<T> {
  above(value: T): Condition;
  atLeast(value: T): Condition;
  below(value: T): Condition;
  atMost(value: T): Condition;
}

interface TextField extends Ordered<string | Date> {
  contains(text: string): Condition;
  startsWith(text: string): Condition;
}

interface ListField<E> extends Presence {
  has(element: E): Condition;
}

interface MapField<V> extends Presence {
  has(key: string): Condition;
  /** The value of a key; nothing holds of one that is not there. */
  key(key: string): FilterField<V>;
}

/** The known values of an enum; none for plain text. */
type Literal<T> = T extends string ? (string extends T ? never : T) : never;

/** What can be asked about a field, by the type of its value. */
export type FilterField<T> = [T] extends [boolean]
  ? Single<boolean>
  : [T] extends [number]
    ? Ordered<number>
    : [T] extends [string]
      ? [Literal<T>] extends [never]
        ? TextField
        : Single<T>
      : [T] extends [readonly (infer E)[]]
        ? [E] extends [string | number | boolean]
          ? ListField<E>
          : Presence
        : string extends keyof T
          ? MapField<T[keyof T]>
          : FilterFields<T> & Presence;

/** The fields of an object, as far as a filter can ask about them. (`NonNullable` would make plain text of an enum.) */
export type FilterFields<T> = { readonly [M in keyof T]-?: FilterField<Exclude<T[M], undefined>> };

/**
 * An AIP-160 filter for lists of a kind, with names and values written as the service takes them.
 *
 * ```ts
 * const filter = filterFor("Deployment", (deployment, { all, not }) =>
 * all(deployment.state.is("READY"), deployment.createTime.above(new Date("2026-01-01")),
 * not(deployment.annotations.has("custom/keep")))); const { deployments } = await listDeployments({ filter });
 * ```
 *
 * No condition at all is the filter of everything. Throws a `ModelPlatformError` for what no filter can ask: secrets,
 * options of this package, numbers without end.
 */
export function filterFor<const K extends Kind>(
  kind: K,
  build: (object: FilterFields<Observed<K>>, logic: Logic) => Condition | undefined,
): string {
  const spec = specs[kind] as unknown as ResourceSpec;
  const added = new Set<string>([...recordNames, ...Object.keys(spec.derived ?? {})]);
  const all = [...spec.fields.message, ...spec.fields.outputs];
  const answered = all.filter(({ name, markers }) => !markers.inputOnly && !added.has(name));
  const own = new Set(answered.map(({ name }) => name));
  const others = [...Object.keys(spec.inputs.shape), ...all.map(({ name }) => name)].filter((name) => !own.has(name));
  return String(
    build(filterFields(answered, [...new Set(others)]) as unknown as FilterFields<Observed<K>>, logic) ?? "",
  );
}
