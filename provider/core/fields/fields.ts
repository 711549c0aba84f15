import { z } from "../zod";
import type { Markers } from "./markers";
import {
  type Definition,
  definitionOf,
  type FieldType,
  idOf,
  type NumberLimits,
  numberLimits,
  ownDescriptionOf,
  typeOf,
} from "./schema-definitions";

export type { FieldType };

const registry = z.registry<Markers>();

const markersOf = (schema: z.ZodType): Markers => (registry.get(schema) ?? {}) as Markers;

/** Declares `markers` of a field; what was declared before stays. */
export function field<T extends z.ZodType>(schema: T, markers: Markers): T {
  const marked = schema.clone();
  registry.add(marked, { ...markersOf(schema), ...markers } as never);
  return marked;
}

export const immutable = <T extends z.ZodType>(schema: T): T => field(schema, { immutable: true });
export const secret = <T extends z.ZodType>(schema: T): T => field(schema, { secret: true });
/** A change outside the program is an error, even where no program sets the field. */
export const guarded = <T extends z.ZodType>(schema: T, markers: Markers = {}): T =>
  field(schema, { watched: true, severity: "error", ...markers });
/** Words for people: cleared where a program stops setting them, and a change outside the program is a note. */
export const descriptiveField = <T extends z.ZodType>(schema: T, markers: Markers = {}): T =>
  field(schema, { onRemoval: "clear", severity: "note", sameAs: "freeText", ...markers });
/** A list whose order does not matter. */
export const setOf = <T extends z.ZodType>(item: T, markers: Markers = {}): z.ZodArray<T> =>
  field(z.array(item), { setOf: true, ...markers });
export const directive = <T extends z.ZodType>(schema: T): T => field(schema, { directive: true });

/** An option of this provider; its default is written into the inputs by check. */
export const providerOption = <T extends z.ZodType>(schema: T, value?: string | number | boolean): T =>
  field(schema, { behaviour: value === undefined ? {} : { default: value } });

/** The values of an enum, each with a sentence that says what choosing it does, or what an answer means by it. */
type Meanings = Readonly<Record<string, string>>;

/** A value of an enum that may have others. */
type KnownValue<V extends Meanings> = (keyof V & string) | (string & {});

/** An enum that the service may extend: known values are offered, others pass (A090). */
export function openEnum<const V extends Meanings>(meanings: V): z.ZodType<KnownValue<V>, KnownValue<V>> {
  return field(z.string() as unknown as z.ZodType<KnownValue<V>, KnownValue<V>>, { meanings });
}

/** An enum of which every value is known: any other is a mistake. */
export function closedEnum<const V extends Meanings>(meanings: V): z.ZodEnum<{ [K in keyof V & string]: K }> {
  const entries = Object.fromEntries(Object.keys(meanings).map((value) => [value, value]));
  return field(z.enum(entries as { [K in keyof V & string]: K }), { meanings });
}

type Optional<S extends z.ZodRawShape> = { [K in keyof S]: z.ZodOptional<z.ZodNullable<S[K]>> };

/** The fields of `shape`, each of which may be absent (the service's value stays) or `null` (cleared, A035). */
export function optional<S extends z.ZodRawShape>(shape: S): Optional<S> {
  const entries = Object.entries(shape).map(([name, schema]) => [name, (schema as z.ZodType).nullable().optional()]);
  return Object.fromEntries(entries) as Optional<S>;
}

/** A message of the service: members that it may gain later pass through both ways (A045). */
export function message<S extends z.ZodRawShape>(id: string, shape: S): z.ZodObject<S, z.core.$loose> {
  return z.looseObject(shape).meta({ id });
}

/** A message that newer releases of the API add members of one type to: one that is not listed is passed on (A090). */
export function growingMessage<S extends z.ZodRawShape, T extends z.ZodType>(
  id: string,
  shape: S,
  member: T,
): z.ZodObject<S, z.core.$catchall<T>> {
  return field(z.object(shape).catchall(member).meta({ id }), { grows: true });
}

/** A message whose members are all known: any other member is a mistake. */
export function closedMessage<S extends z.ZodRawShape>(id: string, shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape).meta({ id });
}

/** A field as its readers see it: declaration, place and limits, without the schema library. */
export interface Field extends NumberLimits {
  name: string;
  /** From the resource's root: `autoscalingPolicy.loadTargets`, `rules[].model`, `annotations{}`. */
  path: string;
  type: FieldType;
  required: boolean;
  /** `null` is a value: in a request it clears (A032), in an answer it says that there is none. */
  nullable?: true | undefined;
  markers: Markers;
  description: string;
  /** Name of the message type, for objects that have one. */
  typeName?: string | undefined;
  /** What the message says of itself, where that is not what the field says of it. */
  typeDescription?: string | undefined;
  /** Allowed values; `closed` says whether others are refused. */
  values?: readonly string[] | undefined;
  /** What each of the values means. */
  meanings?: Meanings | undefined;
  closed: boolean;
  /** Members of an object. */
  fields?: readonly Field[] | undefined;
  /** An object that may carry members not listed. */
  open: boolean;
  /** Elements of an array, values of a map. */
  item?: Field | undefined;
  format?: string | undefined;
  maxLength?: number | undefined;
}

/** The members of an object schema. */
export function fieldsOf(schema: z.ZodObject, parent = ""): readonly Field[] {
  return Object.entries(schema.shape).map(([name, member]) =>
    describe(member as z.ZodType, name, parent === "" ? name : `${parent}.${name}`),
  );
}

function describe(outer: z.ZodType, name: string, path: string): Field {
  let schema = outer;
  let required = true;
  let nullable = false;
  let markers = markersOf(schema);
  let description = schema.description;
  for (let definition = definitionOf(schema); definition.innerType; definition = definitionOf(schema)) {
    if (definition.type === "optional" || definition.type === "default") required = false;
    if (definition.type === "nullable") nullable = true;
    schema = definition.innerType;
    markers = { ...markersOf(schema), ...markers };
    description ??= schema.description;
  }
  const definition = definitionOf(schema);
  const typeName = idOf(schema);
  const { maxLength, format = definition.format } = (schema.meta() ?? {}) as { maxLength?: number; format?: string };
  const type = typeOf(definition);
  if (definition.entries && !markers.meanings)
    throw new Error(`\`${path}\` is an enum without meanings; declare it with \`closedEnum\``);
  return {
    name,
    path,
    type,
    required,
    markers,
    description: description ?? "",
    closed: definition.entries !== undefined,
    open: definition.catchall !== undefined && definitionOf(definition.catchall).type !== "never",
    nullable: nullable || undefined,
    typeName,
    typeDescription: ownDescriptionOf(schema),
    values: markers.meanings && Object.keys(markers.meanings),
    meanings: markers.meanings,
    fields: type === "object" ? fieldsOf(schema as z.ZodObject, path) : undefined,
    item: itemOf(definition, name, path),
    format: format === "safeint" ? undefined : format,
    ...numberLimits(schema),
    maxLength,
  };
}

function itemOf({ element, valueType }: Definition, name: string, path: string): Field | undefined {
  if (element) return describe(element, name, `${path}[]`);
  return valueType && describe(valueType, name, `${path}{}`);
}
