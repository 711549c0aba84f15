import { answeredFields, memberNamed, unknownMember } from "../filters/answered-fields";
import { recordNames } from "../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../provider/core/declaration/resource";
import { type Field, fieldsByName } from "../provider/core/fields/fields";
import { memoizeByKey } from "../provider/core/values/once";
import { isObject, shortestFloat32 } from "../provider/core/values/values";
import type { RoutedOperation } from "./routes";
import { ApiError, type Fields, type Settings } from "./types";

export interface Rendering {
  /** Answers include unset members, with their zero values (A094). */
  emitUnset: boolean;
  /** Answers include map keys that are not the customer's (A046). */
  allKeys: boolean;
}

const indexed = memoizeByKey(
  (fields: readonly Field[]): ReadonlyMap<string, Field> => new Map(fields.map((field) => [field.name, field])),
);

const rendered = new WeakMap<Fields, (Fields | undefined)[]>();

/** Renders the message. The same stored message gives the same object, so that its text can be cached. */
export function render(spec: ResourceSpec, fields: Fields, rendering: Rendering): Fields {
  const place = (rendering.emitUnset ? 1 : 0) + (rendering.allKeys ? 2 : 0);
  let answers = rendered.get(fields);
  if (!answers) rendered.set(fields, (answers = []));
  return (answers[place] ??= spec.explicit ? fields : message(servedFields(spec), fields, rendering));
}

/** The declared members of an answer without those that this provider adds to it. */
const servedFields = memoizeByKey((spec: ResourceSpec): readonly Field[] => {
  const added = new Set([...Object.keys(spec.derived), ...recordNames]);
  return answeredFields(spec).filter((field) => !added.has(field.name));
});

function message(declared: readonly Field[], values: Fields, rendering: Rendering): Fields {
  const index = indexed(declared);
  const answer: Fields = {};
  // A field whose zero is a value has explicit presence.
  if (rendering.emitUnset)
    for (const field of declared) if (field.markers.zero !== "value") answer[field.name] = zeroOf(field);
  for (const name of Object.keys(values)) {
    const field = index.get(name);
    const value = field ? member(field, values[name], rendering) : values[name];
    if (value === undefined || value === null) continue;
    if (rendering.emitUnset || !field || field.required || field.markers.zero === "value" || !isZero(field, value))
      answer[name] = value;
  }
  return answer;
}

function member(field: Field, value: unknown, rendering: Rendering): unknown {
  if (typeof value === "number" && field.markers.float32) return shortestFloat32(value);
  if (value === null || typeof value !== "object") return value;
  if (field.type === "object") return message(field.fields!, value as Fields, rendering);
  if (field.type === "array" && field.item?.type === "object")
    return (value as Fields[]).map((entry) => message(field.item!.fields!, entry, rendering));
  const { keyPrefix } = field.markers;
  if (keyPrefix === undefined || rendering.allKeys) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key.startsWith(keyPrefix)));
}

/** A present message counts as set. For other types, zero is what readers take an absent member for. */
function isZero(field: Field, value: unknown): boolean {
  if (typeof value === "string")
    return (
      value === "" ||
      value === field.markers.unsetValue ||
      (field.values !== undefined && value.endsWith("_UNSPECIFIED"))
    );
  if (typeof value === "object" && value !== null) return field.type !== "object" && Object.keys(value).length === 0;
  return value === 0 || value === false;
}

function zeroOf(field: Field): unknown {
  if (field.type === "array") return [];
  if (field.type === "map") return {};
  if (field.type === "boolean") return false;
  if (field.type === "integer" || field.type === "number") return 0;
  if (field.type !== "string" || field.format === "date-time") return null;
  return field.markers.unsetValue ?? field.values?.find((value) => value.endsWith("_UNSPECIFIED")) ?? "";
}

/** Answers in another form than the description's, as the settings ask: the same object, spelled by another service. */
/** Operations whose answer is an object of the kind. */
const objectVerbs: ReadonlySet<string> = new Set(["get", "create", "update"]);

/** How an account's service answers what it would have answered with `body`. */
export function inForm({ spec, verb }: RoutedOperation, body: Fields, settings: Settings): Fields {
  if (isPlain(settings)) return body;
  if (objectVerbs.has(verb)) return objectIn(spec, body, settings);
  if (verb !== "list" || settings.listKey === null) return verb === "list" ? listIn(spec, body, settings) : body;
  const { [spec.collection]: members, ...rest } = listIn(spec, body, settings);
  return { [settings.listKey]: members, ...rest };
}

const isPlain = ({ unmaskedForm, scalars, listKey, etag, textForm, wrongName }: Settings): boolean =>
  [unmaskedForm, scalars, textForm].every((form) => form === "plain") && listKey === null && !etag && !wrongName;
const listIn = (spec: ResourceSpec, body: Fields, settings: Settings): Fields => ({
  ...body,
  [spec.collection]: ((body[spec.collection] ?? []) as Fields[]).map((object) => objectIn(spec, object, settings)),
});

let reads = 0;
function objectIn(spec: ResourceSpec, object: Fields, settings: Settings): Fields {
  const fields = fieldsByName(spec.fields.message);
  const members = Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, valueIn(fields.get(name), value, settings)]),
  );
  const { name } = object;
  if (settings.wrongName && typeof name === "string") members["name"] = name.replace(/^(accounts\/[^/]+)/, "$1-1");
  if (settings.etag) members["etag"] = `"${++reads}"`;
  return members;
}

/** A value of the message in the forms that are set. Members of messages share the nature of the field they are in. */
function valueIn(field: Field | undefined, value: unknown, settings: Settings): unknown {
  const formed = field ? mapDeep(value, (each) => formOf(field, each, settings)) : value;
  return settings.scalars === "text" ? mapDeep(formed, asText) : formed;
}

function mapDeep(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, change));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapDeep(member, change)]));
}

const asText = (value: unknown): unknown =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : value;
function formOf(field: Field, value: unknown, { unmaskedForm, textForm }: Settings): unknown {
  if (field.markers.immutable) return unmasked[unmaskedForm](value);
  return typeof value === "string" && isFreeText(field) ? texts[textForm](value) : value;
}

/** What cannot be changed, in another form. */
const unmasked: Readonly<Record<Settings["unmaskedForm"], (value: unknown) => unknown>> = {
  plain: (value) => value,
  version: (value) =>
    typeof value === "string" && /^accounts\/[^/]+\/\w+\/[^/@]+$/.test(value) ? `${value}@v1` : value,
  "text-numbers": (value) => (typeof value === "number" ? String(value) : value),
  capped: (value) => (typeof value === "number" ? Math.min(value, 1) : value),
};

const texts: Readonly<Record<Settings["textForm"], (text: string) => string>> = {
  plain: (text) => text,
  nfd: (text) => text.normalize("NFD"),
  crlf: (text) => text.replaceAll(/\r?\n/g, "\r\n"),
  trim: (text) => text.trim(),
};

/** Text that means nothing to the service. */
const isFreeText = ({ type, values, format }: Field): boolean =>
  type === "string" && values === undefined && format === undefined;

/** What a mask keeps: members by name, each whole (`true`) or in part. */
type MaskTree = Map<string, MaskTree | true>;

const parsed = new WeakMap<ResourceSpec, Map<string, MaskTree | true>>();

/** How many masks of a kind are remembered; a list has one for all its pages. */
const remembered = 100;

/** Paths are snake_case or camelCase (A095), and go into messages, map keys and the elements of lists. */
export function applyReadMask(spec: ResourceSpec, fields: Fields, mask: string | undefined): Fields {
  if (mask === undefined || mask === "" || mask === "*") return fields;
  let masks = parsed.get(spec);
  if (!masks) parsed.set(spec, (masks = new Map()));
  let kept = masks.get(mask);
  if (kept === undefined) {
    kept = parseMask(mask, answeredFields(spec));
    if (masks.size >= remembered) masks.clear();
    masks.set(mask, kept);
  }
  return kept === true ? fields : (pick(fields, kept) as Fields);
}

function parseMask(mask: string, fields: readonly Field[]): MaskTree | true {
  const kept: MaskTree = new Map();
  for (const part of mask.split(",")) {
    const path = part.trim();
    if (path === "*") return true;
    if (path !== "") keep(kept, namesOn(path, fields, mask.indexOf(path) + 1));
  }
  return kept.size === 0 ? true : kept;
}

function namesOn(path: string, fields: readonly Field[], start: number): string[] {
  const names: string[] = [];
  let field: Field | undefined;
  let at = start;
  for (const text of path.split(".")) {
    while (field?.type === "array") field = field.item;
    if (field?.type === "map") {
      names.push(text);
      field = field.item;
    } else {
      const known: readonly Field[] = field ? (field.fields ?? []) : fields;
      field = memberNamed(known, text);
      if (!field) throw new ApiError(400, 3, `invalid read_mask: ${unknownMember(known, { text, at })}`);
      names.push(field.name);
    }
    at += text.length + 1;
  }
  return names;
}

function keep(kept: MaskTree, names: readonly string[]): void {
  let place = kept;
  for (const [index, name] of names.entries()) {
    const there = place.get(name);
    if (there === true) return;
    if (index === names.length - 1) place.set(name, true);
    else if (there) place = there;
    else {
      const deeper: MaskTree = new Map();
      place.set(name, deeper);
      place = deeper;
    }
  }
}

function pick(value: unknown, kept: MaskTree): unknown {
  if (Array.isArray(value)) return value.map((entry) => pick(entry, kept));
  if (typeof value !== "object" || value === null) return value;
  const picked: Fields = {};
  for (const [name, deeper] of kept) {
    if (!Object.hasOwn(value, name)) continue;
    const member = (value as Fields)[name];
    picked[name] = deeper === true ? member : pick(member, deeper);
  }
  return picked;
}
