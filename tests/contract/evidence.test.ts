import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { documentedErrors } from "./reference/errors";
import * as evidence from "./reference/evidence";
import { limits } from "./reference/limits";
import { tokenRules } from "./reference/lists";
import { reference } from "./reference/tables";
import type { Kind } from "./reference/types";

/** Each sentence of the tables that is no operation, field or state, with what shows it. */
const claims: readonly (readonly [sentence: string, by: evidence.Evidence | undefined])[] = [
  ...(Object.keys(reference) as Kind[]).flatMap((kind) => {
    const { rules, circumstances, settable } = reference[kind];
    return [
      ...rules.map(({ id }) => {
        const key = `${kind} ${id}`;
        return [key, evidence.rules[key] ?? (settable ? evidence.refusedTwice : undefined)] as const;
      }),
      ...circumstances.map(({ id }) => [`${kind} ${id}`, evidence.circumstances[`${kind} ${id}`]] as const),
    ];
  }),
  ...documentedErrors.map(({ id }) => [id, evidence.errors[id]] as const),
  ...limits.map(
    ({ id, maxLength }) =>
      [id, evidence.limits[id] ?? (maxLength === undefined ? undefined : evidence.refusedTwice)] as const,
  ),
  ...tokenRules.map(({ id }) => [id, evidence.listRules[id]] as const),
];

test("nothing of the tables is without a test or a reason", () => {
  expect(claims.filter(([, by]) => by === undefined).map(([sentence]) => sentence)).toEqual([]);
});

test("every test that is named as evidence is there, under that title", () => {
  const named = claims.flatMap(([, by = []]) => ("reason" in by ? [] : by));
  const tests = join(__dirname, "..");
  const absent = named.filter(
    ([file, title]) => !existsSync(join(tests, file)) || !readFileSync(join(tests, file), "utf8").includes(title),
  );
  expect(absent).toEqual([]);
});
