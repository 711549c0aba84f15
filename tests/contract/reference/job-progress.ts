import { progress } from "./shared-shapes";
import type { CircumstanceFact, FieldFact, RuleFact } from "./types";

export const fields: readonly FieldFact[] = progress;

export const rules: readonly RuleFact[] = [];

export const circumstances: readonly CircumstanceFact[] = [];
