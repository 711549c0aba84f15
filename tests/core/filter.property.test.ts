import fc from "fast-check";
import { z } from "zod";
import { compileFilter } from "../../filters/filter";
import { InvalidFilterError } from "../../filters/grammar";
import { matchesWildcard } from "../../filters/wildcards";
import { fieldsOf } from "../../provider/core/fields/fields";

const fields = fieldsOf(
  z.object({ first: z.string(), second: z.int(), third: z.boolean(), labels: z.record(z.string(), z.string()) }),
);

type Tree = { text: string; holds: (object: Sample) => boolean };
type Sample = { first: string; second: number; third: boolean; labels: Record<string, string> };

const sample = fc.record<Sample>({
  first: fc.string({ maxLength: 4 }),
  second: fc.integer({ min: -3, max: 3 }),
  third: fc.boolean(),
  labels: fc.dictionary(fc.constantFrom("a", "b.c", "d e"), fc.constantFrom("x", "y")),
});

const quoted = (text: string): string => `"${text.replace(/[\\"*]/g, (character) => `\\${character}`)}"`;

const orders: Record<string, (left: string | number, right: string | number) => boolean> = {
  "=": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

const comparator = fc.constantFrom(...Object.keys(orders));

const leaf: fc.Arbitrary<Tree> = fc.oneof(
  fc.tuple(comparator, fc.string({ maxLength: 4 })).map(([sign, value]) => ({
    text: `first ${sign} ${quoted(value)}`,
    holds: (object: Sample) => orders[sign]!(object.first, value),
  })),
  fc.tuple(comparator, fc.integer({ min: -3, max: 3 })).map(([sign, value]) => ({
    text: `second${sign}${value}`,
    holds: (object: Sample) => orders[sign]!(object.second, value),
  })),
  fc.boolean().map((value) => ({ text: `third=${value}`, holds: (object: Sample) => object.third === value })),
  fc
    .constantFrom("a", "b.c", "d e")
    .map((key) => ({ text: `labels:${quoted(key)}`, holds: (object: Sample) => Object.hasOwn(object.labels, key) })),
);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => ({
      text: `(${left.text} AND ${right.text})`,
      holds: (object: Sample) => left.holds(object) && right.holds(object),
    })),
    fc.tuple(tie("tree"), tie("tree")).map(([left, right]) => ({
      text: `(${left.text} OR ${right.text})`,
      holds: (object: Sample) => left.holds(object) || right.holds(object),
    })),
    tie("tree").map((inner) => ({ text: `NOT (${inner.text})`, holds: (object: Sample) => !inner.holds(object) })),
    tie("tree").map((inner) => ({ text: `-(${inner.text})`, holds: (object: Sample) => !inner.holds(object) })),
  ),
}));

test("a filter made from a formula keeps exactly what the formula holds for", () => {
  fc.assert(
    fc.property(
      tree,
      sample,
      (formula, object) => compileFilter(formula.text, fields)!(object) === formula.holds(object),
    ),
  );
});

test("without parentheses, a filter is an AND of ORs", () => {
  const clauses = fc.array(fc.array(leaf, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(clauses, fc.constantFrom(" AND ", " "), sample, (ands, glue, object) => {
      const text = ands.map((ors) => ors.map((term) => term.text).join(" OR ")).join(glue);
      return compileFilter(text, fields)!(object) === ands.every((ors) => ors.some((term) => term.holds(object)));
    }),
  );
});

test("any text is either a filter or refused with a place in it", () => {
  const pieces = fc
    .array(
      fc.constantFrom(
        "first",
        "second",
        "labels",
        "AND",
        "OR",
        "NOT",
        "-",
        "(",
        ")",
        "=",
        ":",
        "<",
        ".",
        ",",
        '"',
        "'",
        "*",
        "\\",
        " ",
        "1",
        "x",
        "!",
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(pieces, fc.string()), (text) => {
      try {
        compileFilter(text, fields)?.({ first: "x", labels: {} });
      } catch (error) {
        if (!(error instanceof InvalidFilterError)) throw error;
        return error.at >= 1 && error.at <= text.length + 1 && error.message.includes(`character ${error.at}`);
      }
      return true;
    }),
  );
});

test("wildcards match as the regular expression they stand for", () => {
  const word = fc.array(fc.constantFrom("a", "b"), { maxLength: 6 }).map((letters) => letters.join(""));
  fc.assert(
    fc.property(
      word,
      fc.array(word, { minLength: 1, maxLength: 4 }),
      (text, pieces) => matchesWildcard(text, pieces) === new RegExp(`^${pieces.join(".*")}$`).test(text),
    ),
  );
});
