import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { declarationsIn } from "../../drift/accept/declarations";
import { type Program, readProgram } from "../../drift/accept/program";
import { rewrite } from "../../drift/accept/rewrite";
import { memberName, staticValue } from "../../drift/accept/static-value";
import { editsFor } from "../../drift/accept/wishes";
import { managedSpecs } from "../../provider/resources/index";
import type { Drift } from "./corpus";
import { findingsOf } from "./findings";

type Values = Record<string, string | number | boolean>;

interface Look {
  quote: string;
  indent: string;
  newline: string;
  lines: boolean;
  comma: boolean;
  remarks: boolean;
}

const look: fc.Arbitrary<Look> = fc.record({
  quote: fc.constantFrom('"', "'"),
  indent: fc.constantFrom("  ", "    ", "\t"),
  newline: fc.constantFrom("\n", "\r\n"),
  lines: fc.boolean(),
  comma: fc.boolean(),
  remarks: fc.boolean(),
});

/** Fields that have no default, so that whatever is live is said. */
const text = fc.string({ minLength: 1, maxLength: 12 }).filter((value) => value.trim() !== "");
const values = fc.record(
  {
    displayName: text,
    description: text,
    pricingPlanId: text,
    maxWithRevocableReplicaCount: fc.integer({ min: 1, max: 99 }),
    maxConcurrencyPerReplica: fc.integer({ min: 1, max: 99 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Values>;

const resources = fc.array(fc.record({ look, said: values, live: values }), { minLength: 1, maxLength: 4 });

function literal(value: Values[string], quote: string): string {
  const inner = JSON.stringify(value);
  if (typeof value !== "string") return inner;
  return quote === '"' ? inner : `'${inner.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function declared(name: string, said: Values, { quote, indent, newline, lines, comma, remarks }: Look): string {
  const entries = Object.entries({ baseModel: "accounts/platform/models/open-8b", ...said }).map(
    ([key, value], index) => `${remarks && !lines ? `/* ${index} */ ` : ""}${key}: ${literal(value, quote)}`,
  );
  const last = comma ? "," : "";
  const inner = lines
    ? `{${newline}${entries.map((entry, index) => `${indent}${entry}${index < entries.length - 1 ? "," : last}${remarks ? ` // ${index}` : ""}${newline}`).join("")}}`
    : `{ ${entries.join(", ")}${last} }`;
  return `new Deployment(${literal(name, quote)}, ${inner});${newline}`;
}

/** The arguments of each resource by their names, as text; and what is around them. */
function anatomy(program: Program): { members: Map<string, Map<string, string>>; around: string } {
  const members = new Map<string, Map<string, string>>();
  let around = program.entry.text;
  for (const { node, name } of declarationsIn(program).reverse()) {
    const args = node.arguments![1] as ts.ObjectLiteralExpression;
    members.set(name!, new Map(args.properties.map((each) => [memberName(program, each.name!)!, each.getText()])));
    around = around.slice(0, args.getStart()) + around.slice(args.getEnd());
  }
  return { members, around };
}

const folder = mkdtempSync(join(tmpdir(), "rewrite-random-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("whatever drifts, the program says what is live, and every other word of it stays", () => {
  fc.assert(
    fc.property(resources, (made) => {
      const drift: Drift[] = made.flatMap(({ said, live }, index) =>
        [...new Set([...Object.keys(said), ...Object.keys(live)])]
          .filter((path) => said[path] !== live[path])
          .map((path) => ({
            ...{ stack: "dev", kind: "Deployment", name: `d${index}`, what: "changed" as const, path },
            ...(path in said && { recorded: said[path] }),
            ...(path in live && { live: live[path] }),
          })),
      );
      const { newline } = made[0]!.look;
      const source = `// A program.${newline}import { Deployment } from "pulumi-modelplatform";${newline}`;
      const bodies = made.map(({ said, look: of }, index) => declared(`d${index}`, said, { ...of, newline }));
      const file = join(folder, "index.ts");
      writeFileSync(file, `${source}${bodies.join("// Between.\n".replace("\n", newline))}`);
      const program = readProgram({ ts, folder, project: "shop", kinds: managedSpecs.map(({ kind }) => kind) });
      const { left, files } = rewrite(program, editsFor(findingsOf(drift), { allow: new Set(), only: [] }), {
        holders: () => [],
        config: () => ({ file: "", text: undefined }),
      });
      expect(left).toEqual([]);
      const edited = program.with(new Map(files.map((each) => [each.file, each.after])));
      const [before, after] = [anatomy(program), anatomy(edited)];
      expect(after.around).toBe(before.around);
      for (const { node, name } of declarationsIn(edited)) {
        const { said, live } = made[Number(name!.slice(1))]!;
        expect(staticValue(edited, node.arguments![1]!)?.value).toEqual({
          baseModel: "accounts/platform/models/open-8b",
          ...live,
        });
        for (const [member, words] of before.members.get(name!)!)
          if (said[member] === live[member]) expect(after.members.get(name!)!.get(member)).toBe(words);
      }
    }),
    { numRuns: 25 },
  );
});
