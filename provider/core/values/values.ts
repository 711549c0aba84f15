/** Named values of a form that is not known where they are used: inputs, outputs, messages of the service. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether `value` has named members: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members that have a value: for what is counted, merged or compared by its members, and for public results. */
export const omitUndefined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

const mostLetters = 120;

/** A value that is no secret, in a message: a long one is shortened. */
export function shortText(value: unknown): string {
  const text = value === undefined || value === null ? "unset" : JSON.stringify(value);
  return text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text;
}

/** The shortest decimal that is the same number with 32 bits. */
export function shortestFloat32(value: number): number {
  for (let digits = 1; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === Math.fround(value)) return candidate;
  }
  return value;
}
