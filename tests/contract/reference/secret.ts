import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const fields: readonly FieldFact[] = [
  { path: "name", type: "string", requiredInResponse: true },
  { path: "keyName", type: "string", required: true, requiredInResponse: true },
  { path: "value", type: "string", inputOnly: true },
];

export const rules: readonly RuleFact[] = [];

export const circumstances: readonly CircumstanceFact[] = [
  { id: "value-never-returned", sentence: "A create or an update takes the value; no get or list ever gives it back." },
];
