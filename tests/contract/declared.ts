import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { specOf } from "../../provider/resources/index";
import type { FieldFact } from "./reference/types";

export const spec = (kind: string): ResourceSpec => specOf(kind)!;

/** The table that states the fields of a kind: the file to edit where a declaration is right and the table is not. */
export const tableOf = (kind: string): string =>
  `tests/contract/reference/${kind.replaceAll(/(?<!^)[A-Z]/g, "-$&").toLowerCase()}.ts`;

/** A field with all that is in it. */
export const within = (field: Field): Field[] => [
  field,
  ...(field.fields ?? []).flatMap(within),
  ...(field.item ? within(field.item) : []),
];

/** What the provider adds to the service's own outputs: names and records that follow from them (A070, A075). */
const added: Readonly<Record<string, readonly string[]>> = {
  SupervisedFineTuningJob: ["outputModelName", "retired"],
  RlorTrainerJob: ["outputModelName", "retired"],
};

/** Every field that a declaration has of the service's own. */
export const declared = (kind: string): Field[] =>
  [...spec(kind).fields.message, ...spec(kind).fields.outputs]
    .filter(({ name }) => !(added[kind] ?? []).includes(name))
    .flatMap(within);

export const at = (kind: string, path: string): Field => declared(kind).find((field) => field.path === path)!;

/** Facts that a declaration contradicts, with their table; empty where the two agree. */
export const differing = <T>(
  kind: string,
  facts: readonly FieldFact[],
  of: (field: Field, fact: FieldFact) => T,
  expected: (fact: FieldFact) => T,
): unknown[] =>
  facts
    .map((fact) => ({
      table: tableOf(kind),
      path: fact.path,
      declared: of(at(kind, fact.path), fact),
      stated: expected(fact),
    }))
    .filter((row) => JSON.stringify(row.declared) !== JSON.stringify(row.stated));
