import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { observedFields } from "../../provider/core/declaration/surface";
import type { TypeNames } from "../schema/type-names";
import { type DeclaredFunction, exampleCall } from "../sdk/classes";
import { fileName } from "../sdk/layout";
import { argumentTable, outputTable, typeSections } from "./field-table";
import { anchor, code, codeBlock, generatedFrom, page, section } from "./markdown";

interface FunctionSources {
  functions: readonly DeclaredFunction[];
  /** Kinds whose objects functions answer. */
  observed: readonly ResourceSpec[];
  names: TypeNames;
}

const index = "docs/functions.md";

/** The reference pages of functions, by their path: one for each kind that they are about, and one that lists them. */
export function functionPages({ functions, observed, names }: FunctionSources): Record<string, string> {
  const groups = observed.map((spec) => ({ spec, own: functions.filter((each) => isAbout(each, spec)) }));
  const pages = groups.map(({ spec, own }) => [pathOf(spec), kindPage(spec, own, names)]);
  const lists = groups.map(({ spec, own }) => section(`### ${spec.kind}`, own.map(entry(spec)).join("\n")));
  return { [index]: indexPage(lists), ...Object.fromEntries(pages) };
}

const pathOf = ({ kind }: ResourceSpec): string => `docs/functions/${fileName(kind)}.md`;

/** A function is about the objects that it answers, or else about those that it is called after. */
const isAbout = ({ name, spec: { answer } }: DeclaredFunction, { kind }: ResourceSpec): boolean =>
  "message" in answer ? name.startsWith(`get${kind}`) : kind === ("one" in answer ? answer.one : answer.all);

const entry =
  (spec: ResourceSpec) =>
  ({ name, summary }: DeclaredFunction): string =>
    `- [${code(name)}](functions/${fileName(spec.kind)}.md${anchor(name)}): ${summary}`;

const indexPage = (lists: readonly string[]): string =>
  page(
    generatedFrom("provider/resources"),
    "# Functions",
    introduction,
    section("## By what they answer", ...lists),
    section(
      "## Filters",
      "The `filter` of a list is text in the syntax of AIP-160 (google.aip.dev/160), with field names in snake case.",
      codeBlock(filterExample),
      '`=`, `!=`, `<`, `<=`, `>` and `>=` compare. `field:*` holds where a field is set, `list:element` and `map:key` where one is there, `text:part` where a text has a part; `="start*"` compares the beginning. A value from elsewhere goes through `JSON.stringify`, which writes its quotation marks.',
    ),
  );

function kindPage(spec: ResourceSpec, functions: readonly DeclaredFunction[], names: TypeNames): string {
  const own = functions.flatMap((each) => [...ownInputs(each), ...("message" in each.spec.answer ? each.outputs : [])]);
  return page(
    generatedFrom("provider/resources"),
    `# Functions: ${spec.kind}`,
    "[All functions](../functions.md), their two forms, and filters.",
    ...functions.map((each) => functionSection(each, names)),
    section("## Objects", section(`### ${spec.kind}`, spec.summary, outputTable(observedFields(spec), names))),
    section("## Types", ...typeSections([...own, ...observedFields(spec)], names)),
  );
}

const introduction = `Every function has two forms. The plain one, \`await getModel({ … })\`, takes plain values and returns a promise, which rejects with a
\`ModelPlatformError\`. The other one, \`getModelOutput({ … })\`, also takes outputs of resources and returns an output. A preview calls
functions that only read; the result of a function that returns credentials is unknown there. Lists read every page.

The second argument chooses the settings: \`{ provider }\`, or \`{ parent }\` for those of a resource. The form with an output also waits for what
\`{ dependsOn }\` names: in a preview that is to create it, the result is not known.`;

const filterExample = `const filter = 'state="READY" AND (max_replica_count>=2 OR create_time>"2026-01-01T00:00:00Z") AND NOT annotations:"custom/keep"';
const { deployments } = await listDeployments({ filter });`;

const ownInputs = ({ inputsOf, inputs, spec }: DeclaredFunction): DeclaredFunction["inputs"] =>
  inputsOf === undefined ? inputs : inputs.filter(({ name }) => name in spec.inputs.shape);

function functionSection(each: DeclaredFunction, names: TypeNames): string {
  const { name, summary, inputsOf, outputs, spec } = each;
  const taken =
    inputsOf === undefined
      ? ""
      : `It takes the inputs of a [\`${inputsOf}\`](../resources/${fileName(inputsOf)}.md#inputs), and:`;
  const kind = "one" in spec.answer ? spec.answer.one : undefined;
  return section(
    `## ${name}`,
    summary,
    codeBlock(exampleCall(each)),
    taken,
    argumentTable(ownInputs(each), names, "Argument"),
    kind === undefined ? "" : `It answers [an object of kind \`${kind}\`](${anchor(kind)}).`,
    kind === undefined ? outputTable(outputs, names).replace(/\[`Observed(\w+)`\]\(#observed\w+\)/, objectLink) : "",
  );
}

const objectLink = (_: string, kind: string): string => `[${code(kind)}](${anchor(kind)})`;
