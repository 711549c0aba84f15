import { type CheckResult, check } from "../../provider/core/check";
import { specs } from "../../provider/resources/index";
import { type BadInput, badInputs, type GoodInput, goodInputs } from "./reference/bad-input";
import { secretPositions } from "./reference/secret-positions";
import { settableKinds } from "./reference/tables";
import type { SettableKind } from "./reference/types";

const answerTo = ({ resource, body, query }: BadInput | GoodInput): CheckResult =>
  check(specs[resource], {}, { ...body, ...query });

const rowsOf = <R extends { resource: SettableKind }>(rows: readonly R[], kind: SettableKind) =>
  rows.filter(({ resource }) => resource === kind);

const generic = (path: string) => path.replaceAll(/\[\d+\]/g, "");

/**
 * The row's property is a secret, or its misspelling: an engine prints the value of the property that a failure names.
 */
function isSecret({ resource, path, suggestion }: BadInput): boolean {
  const meant = suggestion === undefined ? path : path.replace(/[\w-]+$/, suggestion);
  return (secretPositions[resource] ?? []).some(
    (secret) => generic(meant) === secret || secret.startsWith(`${generic(meant)}.`),
  );
}

/** Where the answer's failures stand, whether in `property` or, for secrets, at the start of the reason. */
const placesOf = (answer: CheckResult): string[] =>
  answer.failures.map(({ property, reason }) => (property === "" ? reason.slice(0, reason.indexOf(": ")) : property));

test.each(settableKinds)("each bad input of %s fails at the property that is wrong", (kind) => {
  const elsewhere = rowsOf(badInputs, kind).flatMap((row) => {
    const places = placesOf(answerTo(row));
    return places.includes(row.path) || (row.orPath !== undefined && places.includes(row.orPath))
      ? []
      : [{ ...row, body: undefined, places }];
  });
  expect(elsewhere).toEqual([]);
});

test.each(settableKinds)("a near miss of %s gets a suggestion", (kind) => {
  const untold = rowsOf(badInputs, kind).filter(
    (row) =>
      row.suggestion !== undefined &&
      !answerTo(row).failures.some(({ reason }) => reason.includes(`did you mean \`${row.suggestion}\`?`)),
  );
  expect(untold).toEqual([]);
});

test.each(settableKinds)("a bad input of %s brings one complaint for one mistake", (kind) => {
  const noisy = rowsOf(badInputs, kind).flatMap((row) => {
    const { failures } = answerTo(row);
    return failures.length === 1 || row.rule === "unknown" ? [] : [{ description: row.description, failures }];
  });
  expect(noisy).toEqual([]);
});

test.each(settableKinds)("a failure at a secret of %s names no property and shows no value", (kind) => {
  const values = (row: BadInput): string[] =>
    [JSON.stringify(row.body)].flatMap((text) => text.match(/[\w-]*(?:secret-value|key-\d)|signature=\w+/g) ?? []);
  for (const row of rowsOf(badInputs, kind)) {
    const { failures } = answerTo(row);
    const text = JSON.stringify(failures);
    for (const value of values(row))
      expect([row.description, text]).toEqual([row.description, expect.not.stringContaining(value)]);
    const [place] = placesOf({ inputs: {}, failures, warnings: [] });
    if (isSecret(row) && place === row.path)
      expect([row.description, failures[0]!.property]).toEqual([row.description, ""]);
  }
});

test.each(settableKinds)("no good input of %s fails", (kind) => {
  const refused = rowsOf(goodInputs, kind).flatMap((row) => {
    const { failures } = answerTo(row);
    return failures.length === 0 ? [] : [{ description: row.description, failures }];
  });
  expect(refused).toEqual([]);
});

test.each(settableKinds)("good inputs of %s warn where a value is not documented", (kind) => {
  const silent = rowsOf(goodInputs, kind).filter(
    ({ warnsAt, ...row }) =>
      warnsAt !== undefined && !answerTo(row).warnings.some((text) => text.includes(`\`${warnsAt}\``)),
  );
  expect(silent).toEqual([]);
});
