import type { OperationSpec, ResourceSpec } from "../declaration/resource";
import { type Field, fieldsOf } from "../fields/fields";
import { isObject, parsePath, pathText, type Values } from "../values/values";
import { filterIn } from "./dialect-filter";
import {
  createWords,
  type DialectTable,
  type FieldName,
  membersOf,
  type TargetVocabulary,
  type Words,
} from "./vocabulary";

/** An operation, as far as it decides what the messages of its requests and answers are. */
interface OperationMessages {
  spec: ResourceSpec;
  verb: string;
  /** How the message travels, where a setting says so. */
  body?: OperationSpec["body"];
}

/**
 * Translates from one spelling to the other. What no message declares is unchanged: map keys, free text, names of
 * objects.
 */
interface Translation {
  request(of: OperationMessages, body: unknown): unknown;
  answer(of: OperationMessages, body: unknown): unknown;
  /** A query parameter: masks, filters, orders and the options of a create. */
  parameter(of: OperationMessages, name: string, value: string): readonly [name: string, value: string];
  /** A property path of a request's message, as errors name it. */
  place(of: OperationMessages, path: string): string;
  /** A field's name, wherever it occurs. */
  name(name: string): string;
}

export type Dialect = Readonly<Record<TargetVocabulary, Translation>>;

type Schema = NonNullable<OperationSpec["request"]>;
type Step = Words["step"];

/** The two directions of a table that `readDialect` has no problem with, for messages of `specs` (A100). */
export function createDialect(table: DialectTable, specs: readonly ResourceSpec[]): Dialect {
  const words = createWords(table);
  return { theirs: new Translator(words.theirs, specs), ours: new Translator(words.ours, specs) };
}

class Translator implements Translation {
  constructor(
    private readonly words: Words,
    private readonly specs: readonly ResourceSpec[],
  ) {}

  name(name: string): string {
    return this.words.name(name);
  }

  request({ spec, verb, body: ownBody }: OperationMessages, body: unknown): unknown {
    const { request, answer, body: declared } = spec.operations[verb] ?? {};
    const shape = ownBody ?? declared;
    if (request)
      return this.masks(
        request,
        answer ? membersOfSchema(answer) : membersOfKind(spec),
        this.message(membersOfSchema(request), body),
      );
    if (shape?.within)
      return mapNested(shape.within.path, body, (inner) =>
        this.message(membersOfKind(this.specs.find(({ kind }) => kind === shape.within!.kind)!), inner),
      );
    return shape?.wrap ? this.wrapped(spec, shape.wrap, body) : this.message(membersOfKind(spec), body);
  }

  answer({ spec, verb }: OperationMessages, body: unknown): unknown {
    const declared = spec.operations[verb]?.answer;
    if (declared || !isObject(body)) return this.message(declared ? membersOfSchema(declared) : [], body);
    const { [spec.collection]: members } = body;
    return Array.isArray(members)
      ? { ...body, [spec.collection]: members.map((member) => this.message(membersOfKind(spec), member)) }
      : this.message(membersOfKind(spec), body);
  }

  parameter({ spec }: OperationMessages, name: string, text: string): readonly [string, string] {
    const fields = membersOfKind(spec);
    switch (name) {
      case "updateMask":
      case "readMask":
        return [name, this.mask(fields, text)];
      case "orderBy":
      case "order_by":
        return [
          name,
          text.replace(
            /(^|,)(\s*)([^,\s]+)/g,
            (_, comma: string, space: string, path: string) => `${comma}${space}${this.path(fields, path)}`,
          ),
        ];
      case "filter":
        return [name, this.filter(fields, text)];
      default: {
        const { text: other, field } = this.words.member(spec.fields.directives, name);
        return [other, field ? this.words.value(field, text) : text];
      }
    }
  }

  place({ spec, verb }: OperationMessages, text: string): string {
    const { request } = spec.operations[verb] ?? {};
    const segments = parsePath(text);
    const names = segments.filter((segment) => typeof segment === "string");
    const { texts } = this.steps(request ? membersOfSchema(request) : membersOfKind(spec), names, this.words.member);
    return pathText(segments.map((segment) => (typeof segment === "number" ? segment : texts.shift()!)));
  }

  private message(fields: readonly Field[], values: unknown): unknown {
    if (!isObject(values)) return values;
    return Object.fromEntries(
      Object.entries(values).map(([name, member]) => {
        const { text, field } = this.words.member(fields, name);
        return [text, field ? this.value(field, member) : member];
      }),
    );
  }

  private value(field: Field, input: unknown): unknown {
    if (typeof input === "string") return this.enumValue(field, input);
    if (typeof input === "number" && field.values) return this.enumValue(field, String(input), input);
    if (Array.isArray(input)) return field.item ? input.map((entry) => this.value(field.item!, entry)) : input;
    if (!isObject(input)) return input;
    if (field.type === "map")
      return Object.fromEntries(Object.entries(input).map(([key, entry]) => [key, this.value(field.item!, entry)]));
    return field.fields ? this.message(field.fields, input) : input;
  }

  /** A service that numbers the values of an enum takes and answers numbers: in the table they are text. */
  private enumValue(field: Field, text: string, input: string | number = text): string | number {
    const translated = this.words.value(field, text);
    if (translated === text) return input;
    return field.values && /^\d+$/.test(translated) ? Number(translated) : translated;
  }

  /** The message is a member of the body (A014); its name and the id's name are not fields. */
  private wrapped(spec: ResourceSpec, { id, message }: { id: string; message: string }, body: unknown): unknown {
    if (!isObject(body)) return body;
    const entries = Object.entries(body);
    const beside = this.message(
      membersOfKind(spec),
      Object.fromEntries(entries.filter(([name]) => name !== id && name !== message)),
    ) as Values;
    const inside = entries
      .filter(([name]) => name === id || name === message)
      .map(([name, member]) => [name, name === id ? member : this.message(membersOfKind(spec), member)]);
    return { ...(Object.fromEntries(inside) as Values), ...beside };
  }

  /** Members of a request that name fields of its answer, spelt as in a body (A095). */
  private masks(request: Schema, answered: readonly Field[], body: unknown): unknown {
    if (!isObject(body)) return body;
    const masks = new Set(membersOfSchema(request).flatMap(({ name, markers }) => (markers.fieldMask ? [name] : [])));
    return Object.fromEntries(
      Object.entries(body).map(([name, member]) => [
        name,
        masks.has(name) && typeof member === "string" ? this.mask(answered, member, this.words.member) : member,
      ]),
    );
  }

  private mask(fields: readonly Field[], text: string, step?: Step): string {
    return text.replace(/[^,\s]+/g, (path) => this.path(fields, path, step));
  }

  private path(fields: readonly Field[], text: string, step?: Step): string {
    return this.steps(fields, text.split("."), step).texts.join(".");
  }

  private filter(fields: readonly Field[], text: string): string {
    return filterIn(text, {
      path: (texts) => this.steps(fields, texts),
      value: (field, value) => {
        if (field.type === "object") return this.words.step(field.fields ?? [], value).text;
        return field.type === "map" ? value : this.words.value(field.type === "array" ? field.item! : field, value);
      },
    });
  }

  /** The steps of a field path. After a map comes a key; a step that leads nowhere is unchanged. */
  private steps(
    fields: readonly Field[],
    texts: readonly string[],
    step: Step = this.words.step,
  ): { texts: string[]; field: Field | undefined } {
    const translated: string[] = [];
    let siblings: readonly Field[] | undefined = fields;
    let field: Field | undefined;
    for (const text of texts) {
      const isKey: boolean = field?.type === "map";
      const next: FieldName =
        siblings && !isKey ? step(siblings, text) : { text, field: isKey ? field!.item : undefined };
      translated.push(next.text);
      field = next.field;
      siblings = elementOf(field)?.fields;
      if (elementOf(field)?.type === "map") field = elementOf(field);
    }
    return { texts: translated, field };
  }
}

/** What a list holds, or the field itself. */
const elementOf = (field: Field | undefined): Field | undefined =>
  field?.type === "array" ? elementOf(field.item) : field;

const remembered = new WeakMap<object, readonly Field[]>();

/** The same list each time, because what a list's names become is remembered by the list. */
function once(key: object, make: () => readonly Field[]): readonly Field[] {
  const fields = remembered.get(key) ?? make();
  remembered.set(key, fields);
  return fields;
}

const membersOfKind = (spec: ResourceSpec): readonly Field[] => once(spec, () => membersOf(spec));

const membersOfSchema = (schema: Schema): readonly Field[] => once(schema, () => fieldsOf(schema));

function mapNested(path: readonly string[], body: unknown, inner: (value: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return inner(body);
  return isObject(body) && Object.hasOwn(body, first)
    ? { ...body, [first]: mapNested(rest, body[first], inner) }
    : body;
}
