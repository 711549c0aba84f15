import { memoizeByKey } from "../values/once";
import { isObject, type Segment, type Values } from "../values/values";
import { z } from "../zod";
import type { Markers } from "./markers";

/** The one place that looks into the schema library's own definitions. */

export type FieldType = "string" | "integer" | "number" | "boolean" | "object" | "array" | "map" | "any";

export type Definition = {
  type: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  valueType?: z.ZodType;
  format?: string;
  catchall?: z.ZodType;
  entries?: Record<string, string>;
  shape?: z.ZodRawShape;
  checks?: readonly { _zod: { def: { check: string; value?: number; inclusive?: boolean } } }[];
};

/** The range of a number, in JSON Schema's words. */
export interface NumberLimits {
  minimum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMaximum?: number | undefined;
}

export const definitionOf = (schema: z.ZodType): Definition =>
  (schema as unknown as { _zod: { def: Definition } })._zod.def;

/** The limits that a number declares; those of every safe integer do not count. */
export function numberLimits(schema: z.ZodType): NumberLimits {
  if (!(schema instanceof z.ZodNumber)) return {};
  const limits = (definitionOf(schema).checks ?? []).map(({ _zod: { def } }) => def);
  const limit = (check: "greater_than" | "less_than", isInclusive: boolean): number | undefined =>
    limits.find((each) => each.check === check && each.inclusive === isInclusive && isDeclared(each.value))?.value;
  return {
    minimum: limit("greater_than", true),
    exclusiveMinimum: limit("greater_than", false),
    maximum: limit("less_than", true),
    exclusiveMaximum: limit("less_than", false),
  };
}

const isDeclared = (value: number | undefined): boolean =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;

/**
 * A message keeps its name however it is described: the schema library gives an id to one schema and not to its copies.
 */
export function idOf(schema: z.ZodType): string | undefined {
  return namedOf(schema)?.id;
}

/** What a message says of itself, however a field of its type is described. */
export function ownDescriptionOf(schema: z.ZodType): string | undefined {
  return namedOf(schema)?.description;
}

function namedOf(schema: z.ZodType): { id?: string; description?: string } | undefined {
  const meta = schema.meta() as { id?: string; description?: string } | undefined;
  const { parent } = (schema as unknown as { _zod: { parent?: z.ZodType } })._zod;
  return meta?.id === undefined ? parent && namedOf(parent) : meta;
}

export function typeOf(definition: Definition): FieldType {
  switch (definition.type) {
    case "string":
    case "enum":
    case "literal":
      return "string";
    case "number":
      return definition.format === "safeint" ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "object":
      return "object";
    case "array":
      return "array";
    case "record":
      return "map";
    case "unknown":
      return "any";
    default:
      throw new Error(`a resource field cannot be declared as zod type \`${definition.type}\``);
  }
}

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
  /** `null` is a value: in a request it clears (A032), in a response it means unset. */
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

/** A kind, as far as its places are concerned. */
interface WithFields {
  readonly fields: { readonly message: readonly Field[] };
}

export const fieldsByName = memoizeByKey(
  (fields: readonly Field[]): ReadonlyMap<string, Field> => new Map(fields.map((field) => [field.name, field])),
);

/** The declared field at a place of an object that a program may set; undefined where nothing is declared there. */
export function fieldAtPath(spec: WithFields | undefined, [first, ...rest]: readonly Segment[]): Field | undefined {
  const top = spec?.fields.message.find(({ name }) => name === first);
  const along = top ? fieldsOnPath(top, rest) : [];
  return along.length === rest.length + 1 ? along.at(-1) : undefined;
}

/** The declared fields on the way to a place: members of messages, and the items of lists and maps. */
export function fieldsOnPath(field: Field, [first, ...rest]: readonly Segment[]): Field[] {
  if (first === undefined) return [field];
  const next = field.fields?.find(({ name }) => name === first) ?? field.item;
  return next ? [field, ...fieldsOnPath(next, rest)] : [field];
}

/** A place where an object names another one. */
interface ObjectReference {
  field: Field;
  path: readonly Segment[];
  /** As written there: a resource name, or what a program may write instead. */
  name: string;
}

/** Whether a field, or something in it, names another object. */
export const isReferring = (field: Field): boolean =>
  field.markers.refersTo !== undefined ||
  (field.fields ?? []).some(isReferring) ||
  (field.item !== undefined && isReferring(field.item));

/** What `values` name in these fields, and in the members and entries of them. */
export function* referencesIn(
  fields: readonly Field[],
  values: Values,
  at: readonly Segment[] = [],
): Generator<ObjectReference> {
  for (const field of fields) yield* within(field, values[field.name], [...at, field.name]);
}

function* within(field: Field, value: unknown, path: readonly Segment[]): Generator<ObjectReference> {
  if (typeof value === "string") {
    if (field.markers.refersTo !== undefined) yield { field, path, name: value };
    return;
  }
  if (!isObject(value) && !Array.isArray(value)) return;
  if (field.fields && isObject(value)) yield* referencesIn(field.fields.filter(isReferring), value, path);
  else if (field.item)
    for (const [key, entry] of Object.entries(value))
      yield* within(field.item, entry, [...path, Array.isArray(value) ? Number(key) : key]);
}
