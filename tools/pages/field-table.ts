import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { parametersOf } from "../../provider/core/values/names";
import { defaultOf, type Facts, inputFacts, outputFacts, removalWord, sentencesIn } from "../schema/facts";
import type { NamedType, TypeNames } from "../schema/type-names";
import { anchor, code, section, table } from "./markdown";

/** Inputs of a kind: what they are, what holds without them, and what a change does. */
export function inputTable(fields: readonly Field[], names: TypeNames, spec: ResourceSpec): string {
  const removed = fields.map((field) => removalWord(field, spec));
  const ifRemoved = (cell: string): string[] => (removed.some((word) => word !== "") ? [cell] : []);
  return table(
    ["Input", "Type", "What it is", "Default", ...ifRemoved("Removed"), "Compared", "A change"],
    fields.map((field, index) => [
      nameCell(field),
      typeText(field, names),
      text(field, { ...inputFacts(field, spec), default: undefined, change: undefined, removal: undefined }),
      defaultOf(field, spec) ?? "",
      ...ifRemoved(removed[index]!),
      comparisonWord(field),
      changeWord(field, spec),
    ]),
  );
}

/** Arguments of a function, or members of a message that a program gives. */
export const argumentTable = (fields: readonly Field[], names: TypeNames, head: string, spec?: ResourceSpec): string =>
  table(
    [head, "Type", "What it is", "Default", ...(spec ? ["Compared"] : [])],
    fields.map((field) => [
      nameCell(field),
      typeText(field, names),
      text(field, { ...inputFacts(field, spec), default: undefined }),
      defaultOf(field, spec) ?? "",
      ...(spec ? [comparisonWord(field)] : []),
    ]),
  );

export const outputTable = (fields: readonly Field[], names: TypeNames): string =>
  table(
    ["Output", "Type", "What it is"],
    fields.map((field) => [code(field.name), typeText(field, names), text(field, outputFacts(field))]),
  );

/** Facts of which some have a column of their own. */
type KnownFacts = { [F in keyof Facts]: Facts[F] | undefined };

const text = (field: Field, facts: KnownFacts): string => {
  const { deprecated } = field.markers;
  const known = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined));
  const outdated = deprecated === undefined ? [] : [`**Deprecated:** ${deprecated}.`];
  return [field.description, ...sentencesIn(known as unknown as Facts), ...outdated].join(" ");
};

const nameCell = ({ name, required }: Field): string => (required ? `${code(name)} (required)` : code(name));

/** The type of a field, with a link to the message or the enum that it is. */
function typeText(field: Field, names: TypeNames): string {
  if (field.type === "array") return `list of ${typeText(field.item!, names)}`;
  if (field.type === "map") return `map of ${typeText(field.item!, names)}`;
  const name = names.nameOf(field);
  if (name !== undefined) return `[${code(name)}](${anchor(name)})`;
  if (field.type === "integer") return "integer";
  return field.type === "any" ? "any value" : field.type;
}

const spellings: Readonly<Record<NonNullable<Field["markers"]["sameAs"]>, string>> = {
  duration: "as durations",
  instant: "as times",
  letterCase: "in any case",
  resolvedVersion: "in any version",
  freeText: "text",
  grpcCode: "as codes",
};

/** When two values of a field are the same. */
function comparisonWord({ type, markers }: Field): string {
  const { setOf, sameAs, float32 } = markers;
  if (markers.inputOnly || markers.volatile || markers.behaviour || markers.directive || markers.recordedOnly)
    return "never";
  if (type === "array") return typeof setOf === "string" ? `set by ${code(setOf)}` : setOf ? "set" : "sequence";
  if (type === "map" || type === "object") return type === "map" ? "by key" : "by member";
  if (sameAs !== undefined) return spellings[sameAs];
  if (markers.refersTo !== undefined) return spellings.resolvedVersion;
  return float32 ? "in 32 bits" : "verbatim";
}

function changeWord(field: Field, spec: ResourceSpec): string {
  const { markers } = field;
  if (markers.immutable) return spec.identity.neverReplaced ? "is refused" : "**replaces**";
  if (markers.restarts) return "**replaces**";
  if (markers.directive)
    return parametersOf(spec.operations.update?.route ?? "").includes(field.name)
      ? "not compared"
      : "used at creation only";
  if (markers.behaviour) return "sends nothing";
  return markers.recordedOnly ? "used at creation only" : "in place";
}

/** The messages and enums that fields lead to, each with a section of its own. */
export function typeSections(fields: readonly Field[], names: TypeNames, spec?: ResourceSpec): string[] {
  const all = within(fields);
  return names.all
    .map((type) => ({ type, uses: all.filter((field) => names.nameOf(field) === type.name) }))
    .filter(({ uses }) => uses.length > 0)
    .sort((a, b) => (a.type.name < b.type.name ? -1 : 1))
    .map(({ type, uses }) => typeSection(type, uses, names, spec));
}

function typeSection(
  { name, field }: NamedType,
  uses: readonly Field[],
  names: TypeNames,
  spec?: ResourceSpec,
): string {
  if (field.type === "object")
    return section(`### ${name}`, field.description, argumentTable(field.fields ?? [], names, "Member", spec));
  const values = Object.entries(field.meanings ?? {}).map(([value, meaning]) => [code(value), meaning]);
  return section(`### ${name}`, table(["Value", "Meaning"], values), otherTexts(uses));
}

/** One set of values may be closed where it grants access, and open elsewhere (A002). */
const otherTexts = (uses: readonly Field[]): string =>
  uses.every((field) => field.closed)
    ? "Any other text is refused."
    : "The service may know more: any other text is sent as it is, with a warning.";

const within = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => [field, ...within(field.fields ?? []), ...within(field.item ? [field.item] : [])]);
