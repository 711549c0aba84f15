/** Inputs, outputs or fields by name. */
export type Values = Record<string, unknown>;
