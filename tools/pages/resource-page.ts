import { createCatalogue, isOfLifeCycle } from "../../provider/api/operations";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields, readableRecords } from "../../provider/core/declaration/surface";
import { type Field, fieldsOf } from "../../provider/core/fields/fields";
import type { TypeNames } from "../../provider/core/fields/type-names";
import { commonInputs } from "../../provider/core/fields/universal-inputs";
import { listed, ruleSentences } from "../../provider/core/schema/rule-sentences";
import { allSpecs } from "../../provider/resources/index";
import { fileName } from "../sdk/file-names";
import { inputTable, outputTable, typeSections } from "./field-table";
import { adoption, deletion, statesAndWaits } from "./life";
import { code, codeBlock, generatedFrom, page, section, table } from "./markdown";

/** An example of the repository: a program that the tests run. */
export interface Example {
  name: string;
  source: string;
}

/** The reference page of a kind. */
export function resourcePage(spec: ResourceSpec, names: TypeNames, examples: readonly Example[]): string {
  const { kind, summary } = spec;
  const own = inputFields(spec).filter(({ name }) => !(name in commonInputs));
  const common = inputFields(spec).filter(({ name }) => name in commonInputs);
  const outputs = spec.fields.outputs.filter(({ markers }) => !markers.volatile);
  const isOption = ({ markers }: Field): boolean => markers.behaviour !== undefined;
  return page(
    generatedFrom(`provider/resources and examples/${fileName(kind)}`),
    `# ${kind}`,
    summary,
    exampleSection(spec, examples),
    section(
      "## Inputs",
      `The properties of \`${kind}Args\`. Fields that the program does not set belong to the service: they are shown, and never compared. ${removal(spec)}`,
      inputTable(
        own.filter((field) => !isOption(field)),
        names,
        spec,
      ),
      "*Compared* says when two values are the same: a *sequence* has an order, a *set* has none; *text* is compared without line ends, trailing blanks and Unicode forms, *verbatim* letter by letter. The service's answer to a write [counts as equal](../conventions.md#a033) to the value sent.",
    ),
    optionSection(own.filter(isOption), names, spec),
    section("### Inputs of every resource", inputTable(common, names, spec)),
    section(
      "## Outputs",
      `Every input can be read as an output of the same name${unreadable(own)}. Besides those:`,
      outputTable([...outputs, ...fieldsOf(readableRecords)], names),
    ),
    section("## Types", ...typeSections([...own, ...common, ...outputs], names, spec)),
    statesAndWaits(spec),
    adoption(spec),
    deletion(spec),
    limits(spec),
  );
}

function optionSection(options: readonly Field[], names: TypeNames, spec: ResourceSpec): string {
  if (options.length === 0) return "";
  return section(
    "### Options of this package",
    "They say what the package does; the service never sees them.",
    inputTable(options, names, spec),
  );
}

/** Inputs that are another value on each read, and so are not recorded in any state. */
function unreadable(inputs: readonly Field[]): string {
  const names = inputs.filter(({ markers }) => markers.volatile).map(({ name }) => code(name));
  return names.length === 0 ? "" : `, except ${listed(names, "and")}, which is not recorded`;
}

/** The kind's own example, and the others that declare one. */
function exampleSection({ kind }: ResourceSpec, examples: readonly Example[]): string {
  const own = examples.find(({ name }) => name === fileName(kind));
  if (!own) throw new Error(`there is no example of a ${kind}; write examples/${fileName(kind)}/index.ts`);
  const others = examples.filter(({ name, source }) => name !== own.name && source.includes(`new ${kind}(`));
  const more = others.map(({ name }) => code(`examples/${name}`)).join(", ");
  return section(
    "## Example",
    codeBlock(own.source),
    more === "" ? "" : `The repository has more programs with it: ${more}.`,
  );
}

const removal = ({ operations }: ResourceSpec): string =>
  operations.update
    ? "*In place* means an update of the object; **replaces** means a new object."
    : "**Replaces** means a new run.";

function limits(spec: ResourceSpec): string {
  const cautions = spec.cautions.map(({ rule, says }) => `- ${subject(rule, spec)}${cited(says)}.`).join("\n");
  return section(
    "## Limits",
    cautions === "" ? "" : `A preview warns where the service is likely to refuse:\n\n${cautions}`,
    "The operations that the package sends. A listed one is in the API's description; a conventional one follows a [convention](../conventions.md) and can be moved or switched off by the setting `modelplatform:operations`.",
    operationTable(spec),
  );
}

/** A text with each convention that it cites as a link. */
const cited = (text: string): string =>
  text.replace(/\bA\d{3}\b/g, (number) => `[${number}](../conventions.md#${number.toLowerCase()})`);

/** What a caution is about: the first field that it names. */
function subject(rule: ResourceSpec["rules"][number], spec: ResourceSpec): string {
  const named = inputFields(spec)
    .flatMap((field) => [field, ...(field.fields ?? [])])
    .find((field) => ruleSentences([rule], field.path).length > 0);
  return named ? `${code(named.path)}: ` : "";
}

const catalogue = createCatalogue(allSpecs);

/** The operations that a resource of the kind needs. */
function operationTable({ kind }: ResourceSpec): string {
  const used = catalogue.operations.filter((operation) => operation.kind === kind && isOfLifeCycle(operation));
  return table(
    ["Operation", "Request", "Provenance"],
    used.map(({ name, method, path, provenance, convention }) => [
      code(name),
      code(`${method} ${path}`),
      convention === undefined ? provenance : `${provenance}, ${cited(convention)}`,
    ]),
  );
}
