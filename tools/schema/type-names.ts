import type { Field } from "../../provider/core/fields/fields";

/** Fields, and the thing they belong to: a kind, a function or a message. */
interface Group {
  owner: string;
  fields: readonly Field[];
  /** The kind whose rules hold for the fields. */
  kind?: string;
}

/** The messages and enums of a package that have names. */
export interface TypeNames {
  /** The named types, in order of appearance. */
  all: readonly NamedType[];
  /**
   * The name of the type that a field's value has, or undefined for one that needs no name. Arrays and maps are what
   * they hold.
   */
  nameOf(field: Field): string | undefined;
}

export interface NamedType {
  name: string;
  /** The first field that has the type. */
  field: Field;
  /** The kind that has the field. */
  owners: ReadonlySet<string>;
  /** The kind that the first field belongs to. */
  kind?: string;
}

/** What the type is: in its own words, else in those of the first field that has it. */
export const typeDescription = ({ field }: NamedType): string => field.typeDescription ?? field.description;

/** An object in an answer is called after its kind, with this before it. */
const observedPrefix = /^Observed/;

interface NamedTypeDraft {
  field: Field;
  owners: Set<string>;
  first: string;
  kind?: string;
}

export function typeNames(groups: readonly Group[]): TypeNames {
  const met = new Map<string, NamedTypeDraft>();
  for (const group of groups) collect(group, met);
  const names = nameAll(met);
  const nameOf = (field: Field): string | undefined => {
    const key = signature(field);
    return key === undefined ? undefined : names.get(key);
  };
  return { all: [...met].map(([key, { first: _, ...type }]) => ({ name: names.get(key)!, ...type })), nameOf };
}

/** The identity of a field's type, equal for fields that share it; undefined for a type that needs no name. */
function signature(field: Field): string | undefined {
  if (field.type === "object")
    return (field.fields ?? []).length === 0
      ? undefined
      : (field.typeName ?? `object ${JSON.stringify(field.fields!.map((member) => [member.name, member.type]))}`);
  const { meanings } = field.markers;
  return (field.values ?? []).length > 1 ? `values ${JSON.stringify(meanings ?? field.values)}` : undefined;
}

function collect({ owner, fields, ...rest }: Group, drafts: Map<string, NamedTypeDraft>): void {
  for (const outer of fields) {
    let field = outer;
    while (field.item) field = field.item;
    const key = signature(field);
    if (key === undefined) continue;
    const known = drafts.get(key) ?? { field, owners: new Set(), first: owner, ...rest };
    known.owners.add(owner);
    drafts.set(key, known);
    if (field.type === "object")
      collect(
        {
          owner: field.typeName?.replace(observedPrefix, "") ?? `${owner}${capital(field.name)}`,
          fields: field.fields!,
          ...rest,
        },
        drafts,
      );
  }
}

/**
 * A type is called after its field, and after its owner as well where it has only one or the field's name does not
 * say enough.
 */
function nameAll(drafts: ReadonlyMap<string, NamedTypeDraft>): Map<string, string> {
  const bare = [...drafts.values()].map(({ field }) => field.name);
  return new Map(
    [...drafts].map(([key, { field, owners, first }]) => {
      const own = capital(field.name);
      const isClear = owners.size > 1 && bare.filter((name) => name === field.name).length === 1;
      return [key, field.typeName ?? (isClear ? own : `${first}${own}`)];
    }),
  );
}

/**
 * The name of an enum's value in programs, of which each language makes its own spelling: `US_IOWA_1` becomes
 * `UsIowa1`. An underscore stays between two numbers, so that they do not run together: `Vendor1H100_80gb`.
 */
export const memberName = (value: string): string =>
  value
    .split(/[^A-Za-z0-9]+/)
    .map((word) => capital(/[a-z]/.test(word) ? word : word.toLowerCase()))
    .join("_")
    .replace(/_(?!\d)|(?<!\d)_/g, "");

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
