import type { Condition } from "../core/requests/conditions";

/** What can be asked about every field. */
interface AnyField {
  /** Holds where the field has a value other than the zero value of its type. */
  isSet(): Condition;
}

/** What can be asked about true and false, and about the values of an enum. */
interface ExactField<T> extends AnyField {
  /** Holds where the field is equal to `value`. */
  is(value: T): Condition;
  /** Holds where the field differs from `value`. */
  isNot(value: T): Condition;
}

/** What can be asked about values that have an order. */
interface OrderedField<T> extends ExactField<T> {
  /** Holds where the field is greater, or later, than `value`. */
  above(value: T): Condition;
  /** Holds where the field is equal to `value` or greater. */
  atLeast(value: T): Condition;
  /** Holds where the field is less, or earlier, than `value`. */
  below(value: T): Condition;
  /** Holds where the field is equal to `value` or less. */
  atMost(value: T): Condition;
}

/** What can be asked about text, times and durations among it. */
interface TextField extends OrderedField<string | Date> {
  /** Holds where the field has `text` anywhere in it. */
  contains(text: string): Condition;
  /** Holds where the field begins with `text`. */
  startsWith(text: string): Condition;
}

/** What can be asked about a list. */
interface ListField<E> extends AnyField {
  /** Holds where one of the elements is `element`. */
  has(element: E): Condition;
}

/** What can be asked about a map. */
interface MapField<V> extends AnyField {
  /** Holds where the map has an entry `key`. */
  has(key: string): Condition;
  /** The value at `key`; no condition holds of an entry that is not there. */
  key(key: string): FilterField<V>;
}

/** The known values of an enum; none for plain text. */
type Literal<T> = T extends string ? (string extends T ? never : T) : never;

/** What can be asked about a field, by the type of its value. */
export type FilterField<T> = [T] extends [boolean]
  ? ExactField<boolean>
  : [T] extends [number]
    ? OrderedField<number>
    : [T] extends [string]
      ? [Literal<T>] extends [never]
        ? TextField
        : ExactField<T>
      : [T] extends [readonly (infer E)[]]
        ? [E] extends [string | number | boolean]
          ? ListField<E>
          : AnyField
        : string extends keyof T
          ? MapField<T[keyof T]>
          : FilterFields<T> & AnyField;

/** The fields of an object, as far as a filter can ask about them. (`NonNullable` would make plain text of an enum.) */
export type FilterFields<T> = { readonly [M in keyof T]-?: FilterField<Exclude<T[M], undefined>> };
