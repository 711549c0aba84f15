import { createCatalogue, isLifecycleOperation } from "../../provider/api/operations";
import { commonInputs, type Lifecycle, type ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields, readableRecords } from "../../provider/core/declaration/surface";
import { type Field, fieldsOf } from "../../provider/core/fields/fields";
import { hooksOf } from "../../provider/kinds/index";
import { allSpecs } from "../../provider/resources/index";
import { joinWords, ruleSentences } from "../schema/facts";
import type { TypeNames } from "../schema/type-names";
import { fileName } from "../sdk/layout";
import { inputTable, outputTable, typeSections } from "./field-table";
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
  return names.length === 0 ? "" : `, except ${joinWords(names, "and")}, which is not recorded`;
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
    ? "*Removed*: once the input leaves the program, the live value is *kept* until `null` clears it, *cleared*, or reset to the *default*. *In place* means an update of the object; **replaces** means a new object."
    : "**Replaces** means a new run.";

function limits(spec: ResourceSpec): string {
  const cautions = spec.cautions.map(({ rule, says }) => `- ${subject(rule, spec)}${linkCitations(says)}.`).join("\n");
  return section(
    "## Limits",
    cautions === "" ? "" : `A preview warns where the service is likely to refuse:\n\n${cautions}`,
    "The operations that the package sends. A listed one is in the API's description; a conventional one follows a [convention](../conventions.md) and can be moved or switched off by the setting `modelplatform:operations`.",
    operationTable(spec),
  );
}

/** A text with each convention that it cites as a link. */
const linkCitations = (text: string): string =>
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
  const used = catalogue.operations.filter((operation) => operation.kind === kind && isLifecycleOperation(operation));
  return table(
    ["Operation", "Request", "Provenance"],
    used.map(({ name, method, path, provenance, convention }) => [
      code(name),
      code(`${method} ${path}`),
      convention === undefined ? provenance : `${provenance}, ${linkCitations(convention)}`,
    ]),
  );
}

const defaultTimeout = "5m";

function statesAndWaits({ lifecycle, timeouts, singleton }: ResourceSpec): string {
  const waits = timeouts ?? { create: defaultTimeout, update: defaultTimeout, delete: defaultTimeout };
  const limits = `Unless \`timeouts\` or the resource option \`customTimeouts\` says otherwise, create waits at most ${waits.create}, update ${waits.update} and ${singleton ? "a removal" : "delete"} ${waits.delete}. An object that is not ready by then stays recorded in state, and the next \`up\` continues with it.`;
  if (!lifecycle)
    return section(
      "## States and waits",
      "It has no states: an operation is complete when the service answers.",
      limits,
    );
  return section(
    "## States and waits",
    table(["States", "Meaning"], meanings(lifecycle)),
    ...goals(lifecycle),
    lifecycle.failsByStatus
      ? "There is no state for a failure: a `status.code` other than `OK` while the object is not ready is one."
      : "",
    `${limits} While it waits, it looks first after a moment, then as often as earlier waits suggest, at least every ${lifecycle.longestPause}.`,
  );
}

const meanings = ({ moving, ready, failed, resting, gone }: Lifecycle): string[][] =>
  (
    [
      [moving, "moves on by itself, and is waited for"],
      [ready, "where the object is meant to be"],
      [failed, "over, without the desired outcome"],
      [resting, "at rest: it continues only when somebody acts"],
      [gone, "being deleted or deleted: no longer there"],
    ] as const
  )
    .filter(([states]) => states.length > 0)
    .map(([states, meaning]) => [states.map(code).join(", "), meaning]);

function goals({ goals: all }: Lifecycle): string[] {
  if (!all || Object.keys(all).length === 0) return [];
  const rows = Object.entries(all).map(([goal, states]) => [
    code(goal),
    states.includes("*") ? "any state that the service answers" : states.map(code).join(", "),
  ]);
  return [table(["Create waits for", "which is"], rows)];
}

function adoption(spec: ResourceSpec): string {
  const { kind, singleton, name, fields } = spec;
  const example = name.replace("{account}", "acme").replace(/\{\w+\}/g, "example");
  const modes = singleton
    ? 'The settings of an account always exist. If nothing is set in them, create sets the declared fields. Otherwise it adopts them: with `adopt: "ifEqual"`, the default, only if they are as declared; with `"overwrite"` it changes them; with `"never"` it fails.'
    : 'An object that already exists is an error that names it. `adopt: "ifEqual"` takes it over if it is as declared, `adopt: "overwrite"` takes it over and changes it as declared.';
  const replacing = fields.message.some(({ markers }) => markers.immutable);
  return section(
    "## Adopting an existing object",
    `${modes}${identityText(spec)}${replacing ? " Inputs whose change would replace the object have to agree in either case." : ""}`,
    `\`npx pulumi-modelplatform codify ${example}\` writes the program for an object, and \`${kind}.get("existing", "${example}")\` reads one without managing it.`,
  );
}

function identityText({ identity: { decidedBy, naturalKey }, fields: { resourceId } }: ResourceSpec): string {
  const ways = [
    ...(decidedBy === "client" && resourceId ? [code(resourceId.name)] : []),
    ...(naturalKey ? [joinWords(naturalKey.map(code), "and")] : []),
  ];
  return ways.length === 0 ? "" : ` It is found by ${joinWords(ways, "or")}.`;
}

function deletion(spec: ResourceSpec): string {
  const { identity, singleton, produces } = spec;
  const sentences = [
    singleton ? onRemoval(spec) : ends[spec.deletion],
    spec.operations["cancel"] ? "A job that still runs is cancelled first." : "",
    produces ? `The \`${produces.kind}\` that it has created stays.` : "",
    hooksOf(spec).onUndeletable
      ? "Some services cannot delete such objects: there, `onDeleteUnsupported` decides."
      : "",
    singleton ? "" : "An adopted object stays live, and only leaves the state.",
    identity.neverReplaced ? "It is never replaced: a change that only a replacement could make is refused." : "",
    "`deletionProtection` [keeps it from being deleted](../protection.md).",
  ];
  return section("## Deletion", sentences.filter((sentence) => sentence !== "").join(" "));
}

const ends: Readonly<Record<ResourceSpec["deletion"], string>> = {
  hard: "Deleting the resource deletes the object, and waits until it is gone. Its id is free again.",
  soft: "Deleting the resource soft-deletes the object: a tombstone stays until it is purged, can be undeleted until then, and keeps the id. `deletionMode` changes that.",
  forever: "Deleting the resource deletes the record of the job. Its id is never free again.",
};

const onRemoval = ({ fields }: ResourceSpec): string => {
  const option = fields.behaviours.find(({ name }) => name === "onDelete");
  return `Nothing is deleted. ${option?.description ?? ""} Default: \`${option?.markers.behaviour?.default}\`.`;
};
