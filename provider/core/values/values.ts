/** Named values of a form that is not known where they are used: inputs, outputs, messages of the service. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether `value` has named members: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
