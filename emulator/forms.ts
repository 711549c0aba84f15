import type { ResourceSpec } from "../provider/core/declaration/resource";
import type { Field } from "../provider/core/fields/fields";
import { fieldsByName } from "../provider/core/fields/places";
import { isObject } from "../provider/core/values/values";
import type { RoutedOperation } from "./routes";
import type { Fields, Settings } from "./types";

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
  const shown = Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, valueIn(fields.get(name), value, settings)]),
  );
  const { name } = object;
  if (settings.wrongName && typeof name === "string") shown["name"] = name.replace(/^(accounts\/[^/]+)/, "$1-1");
  if (settings.etag) shown["etag"] = `"${++reads}"`;
  return shown;
}

/** A value of the message in the forms that are set. Members of messages share the nature of the field they are in. */
function valueIn(field: Field | undefined, value: unknown, settings: Settings): unknown {
  const formed = field ? deep(value, (each) => formOf(field, each, settings)) : value;
  return settings.scalars === "text" ? deep(formed, asText) : formed;
}

function deep(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => deep(item, change));
  if (!isObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, deep(member, change)]));
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
