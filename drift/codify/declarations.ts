import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { entryIn, groupBy } from "../../provider/core/values/grouping";
import { camelCase, lastSegment, slug } from "../../provider/core/values/names";
import { objections, SecretPlaceholder, withSecretsFilled, writtenInputs } from "../../provider/core/written-inputs";
import { type ListedObject, type OmittedObject, outputNamesOf } from "./live-objects";
import { type Code, Reference, SecretRead } from "./printer";

/** Names of a declaration: in the program, and in the stack. */
interface DeclarationNames {
  variable: string;
  logicalName: string;
}

/** Words that cannot name a variable of a module, and names that the program has other uses for. */
const taken =
  "arguments await break case catch class config console const continue debugger default delete do else enum eval export exports extends false finally for function global if implements import in instanceof interface let module new null package private process protected public pulumi require return static super switch this throw true try typeof undefined var void while with yield";

/** Gives names, each once, made from the ids of the objects. */
export class UniqueNames {
  private readonly variables: Set<string>;
  private readonly logicalNames: Set<string>;
  /** The first account that has an object of that label. */
  private readonly owners = new Map<string, string>();

  /** Names that a program already uses: its variables, and its resources as `Kind/name`. */
  constructor(variables: Iterable<string> = [], resources: Iterable<string> = []) {
    this.variables = new Set([...taken.split(" "), ...variables]);
    this.logicalNames = new Set(resources);
  }

  variable(...candidates: readonly string[]): string {
    return unique(this.variables, candidates.map(identifier));
  }

  of(object: ListedObject): DeclarationNames {
    const { spec, account } = object;
    const label = labelOf(object);
    const logical = /^[\w.-]+$/.test(label) ? label : slug(label);
    const logicalName = unique(
      this.logicalNames,
      [logical, `${account}-${logical}`].map((name) => `${spec.kind}/${name}`),
    ).slice(spec.kind.length + 1);
    // The prefix that distinguishes two objects of one label: the account, or the kind.
    const owner = this.owners.get(label) ?? account;
    this.owners.set(label, owner);
    const [byKind, byAccount] = [`${label}-${spec.kind}`, `${account}-${label}`];
    return {
      logicalName,
      variable: this.variable(
        label,
        ...(owner === account ? [byKind, byAccount] : [byAccount, byKind]),
        `${account}-${label}-${spec.kind}`,
      ),
    };
  }
}

/** The name that somebody has chosen for the one object there is. */
export class ChosenName extends UniqueNames {
  constructor(private readonly name: string) {
    super();
  }

  override of(): DeclarationNames {
    return { logicalName: this.name, variable: this.variable(this.name) };
  }
}

/**
 * What distinguishes an object from others of its kind: its id, its natural key if the service made the id, or the kind
 * if there is only one.
 */
function labelOf({ spec, name, fields }: ListedObject): string {
  if (spec.singleton) return spec.kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const key = (spec.identity.naturalKey ?? []).map((part) => fields[part]);
  const hasKey =
    spec.identity.decidedBy === "service" &&
    key.length > 0 &&
    key.every((part) => typeof part === "string" && part !== "");
  return hasKey ? key.map((part) => lastSegment(String(part))).join("-") : lastSegment(name);
}

/** A lower-case name of letters and digits: "support-8b" is "support8b", "STORAGE_KEY" is "storageKey". */
function identifier(text: string): string {
  const words = camelCase(slug(text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")).replaceAll("-", "_"));
  return /^[a-z]/.test(words) ? words : `x${words}`;
}

function unique(used: Set<string>, candidates: readonly string[]): string {
  const last = candidates.at(-1)!;
  const free = candidates.find((candidate) => !used.has(candidate)) ?? numbered(used, last);
  used.add(free);
  return free;
}

function numbered(used: ReadonlySet<string>, base: string): string {
  let number = 2;
  while (used.has(`${base}${number}`)) number += 1;
  return `${base}${number}`;
}

/** The layout of the program's files. */
export type Split = "none" | "account" | "collection";

/** A secret that the program reads from its config. */
export interface SecretFromConfig {
  /** Config key, of the program's own namespace. */
  key: string;
  /** What it is for: `value of accounts/acme/secrets/storage-key`. */
  purpose: string;
  required: boolean;
}

/** One object as the program declares it. */
export interface GeneratedDeclaration extends DeclarationNames {
  object: ListedObject;
  /** Name of the file, without its ending. */
  file: string;
  /** The inputs that a person would write, with references to other declarations and to the config. */
  inputs: Record<string, unknown>;
  /** The same with every value in its place; holds secrets that the service answers, so it is for comparing only. */
  values: Record<string, unknown>;
  /** Declarations that the inputs refer to. */
  refersTo: Set<GeneratedDeclaration>;
  config: SecretFromConfig[];
}

/** Declarations of the objects, in the order in which they can stand, and what cannot be declared. */
export function declare(
  objects: readonly ListedObject[],
  split: Split,
  names = new UniqueNames(),
): { declarations: GeneratedDeclaration[]; leftOut: OmittedObject[] } {
  const leftOut: OmittedObject[] = [];
  const declarations: GeneratedDeclaration[] = [];
  for (const object of inOrder(objects)) {
    const inputs = writtenInputs(object.spec, object.fields);
    const values = withSecretsFilled(inputs, object.fields);
    const against = objections(object.spec, object.fields, values);
    if (against.length > 0)
      leftOut.push({
        name: object.name,
        kind: object.spec.kind,
        reason: `no program can declare it as it is: ${against.join("; ")}`,
      });
    else
      declarations.push({
        object,
        inputs,
        values,
        ...names.of(object),
        file: fileOf(object, split),
        refersTo: new Set(),
        config: [],
      });
  }
  return { declarations: withReferences(declarations), leftOut };
}

/** Account-wide objects first, then by kind and name: the same objects give the same program. */
const inOrder = (objects: readonly ListedObject[]): ListedObject[] =>
  [...objects].sort(
    (a, b) =>
      a.account.localeCompare(b.account) ||
      Number(b.spec.singleton ?? false) - Number(a.spec.singleton ?? false) ||
      a.spec.kind.localeCompare(b.spec.kind) ||
      a.name.localeCompare(b.name),
  );

/** `index` and `providers` are files that the program needs for itself. */
function fileOf({ account, spec }: ListedObject, split: Split): string {
  if (split === "none") return "index";
  const name = (split === "account" ? account : spec.collection).replace(/[^\w.-]/g, "-");
  return name === "index" || name === "providers" ? `${name}-${split}` : name;
}

/** Names of objects become references, where the order of declarations and the imports between files allow it. */
function withReferences(declarations: readonly GeneratedDeclaration[]): GeneratedDeclaration[] {
  const targets = targetsAmong(declarations);
  const [files, sections, objects] = [
    new Precedence<string>(),
    new Precedence<string>(),
    new Precedence<GeneratedDeclaration>(),
  ];

  /** Whether `first` can stand before `second`; from then on it does. */
  function precedes(first: GeneratedDeclaration, second: GeneratedDeclaration): boolean {
    if (
      first === second ||
      !files.canPrecede(first.file, second.file) ||
      !sections.canPrecede(sectionOf(first), sectionOf(second)) ||
      !objects.canPrecede(first, second)
    )
      return false;
    files.add(first.file, second.file);
    sections.add(sectionOf(first), sectionOf(second));
    objects.add(first, second);
    return true;
  }

  for (const declaration of declarations) {
    const reference = (name: string): Code | undefined => {
      const target = targets.get(name);
      if (!target || !precedes(target.declaration, declaration)) return undefined;
      declaration.refersTo.add(target.declaration);
      return new Reference(target.declaration.variable, target.output);
    };
    const secret = (sealed: SecretPlaceholder): Code => {
      const value = configValue(declaration, sealed);
      declaration.config.push(value);
      return new SecretRead(value.key, value.required, sealed.field.type === "array");
    };
    declaration.inputs = withLinks(declaration.object.spec, declaration.inputs, reference, secret);
  }
  const bySection = groupBy(declarations, sectionOf);
  return sections.order([...bySection.keys()]).flatMap((section) => objects.order(bySection.get(section)!));
}

const sectionOf = ({ object }: GeneratedDeclaration): string => `${object.account}/${object.spec.collection}`;

/** What a name refers to: the object itself, or one that an object will make. */
function targetsAmong(
  declarations: readonly GeneratedDeclaration[],
): Map<string, { declaration: GeneratedDeclaration; output: string }> {
  const targets = new Map<string, { declaration: GeneratedDeclaration; output: string }>();
  for (const declaration of declarations) targets.set(declaration.object.name, { declaration, output: "name" });
  for (const declaration of declarations) {
    const { spec, name, fields } = declaration.object;
    for (const [output, product] of Object.entries(outputNamesOf(spec, name, fields)))
      if (!targets.has(product)) targets.set(product, { declaration, output });
  }
  return targets;
}

/** Names that an object's own outputs are made from are its to give; they refer to nothing. */
function withLinks(
  spec: ResourceSpec,
  inputs: Record<string, unknown>,
  reference: (name: string) => Code | undefined,
  secret: (sealed: SecretPlaceholder) => Code,
): Record<string, unknown> {
  const derivedInputs = new Set(Object.values(spec.derived).flatMap(({ from }) => from));

  const visit = (field: Field | undefined, value: unknown): unknown => {
    if (value instanceof SecretPlaceholder) return secret(value);
    if (typeof value === "string")
      return field?.markers.refersTo !== undefined && !derivedInputs.has(field.path)
        ? (reference(value) ?? value)
        : value;
    if (Array.isArray(value)) return value.map((entry) => visit(field?.item, entry));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        visit(field?.type === "map" ? field.item : field?.fields?.find((candidate) => candidate.name === name), member),
      ]),
    );
  };
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      visit(
        spec.fields.message.find((field) => field.name === name),
        value,
      ),
    ]),
  );
}

function configValue(
  { variable, object }: GeneratedDeclaration,
  { field, isSet }: SecretPlaceholder,
): SecretFromConfig {
  const words = field.path.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return { key: [variable, ...words].join(""), purpose: `\`${field.path}\` of ${object.name}`, required: isSet };
}

/** Which of some things come before which. What would make two of them come before each other is not taken. */
class Precedence<T> {
  private readonly before = new Map<T, Set<T>>();

  /** Whether `first` may come before `second`. */
  canPrecede(first: T, second: T): boolean {
    return first === second || !this.leadsTo(second, first);
  }

  add(first: T, second: T): void {
    if (first !== second) entryIn(this.before, second).add(first);
  }

  /** `things` in an order that keeps to what was added, and otherwise to their own. */
  order(things: readonly T[]): T[] {
    const [known, ordered] = [new Set(things), new Set<T>()];
    const place = (thing: T): void => {
      if (ordered.has(thing)) return;
      for (const first of this.before.get(thing) ?? []) if (known.has(first)) place(first);
      ordered.add(thing);
    };
    for (const thing of things) place(thing);
    return [...ordered];
  }

  private leadsTo(first: T, second: T): boolean {
    const seen = new Set<T>();
    const pending = [second];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const earlier of this.before.get(next) ?? []) {
        if (earlier === first) return true;
        if (!seen.has(earlier)) pending.push(earlier);
        seen.add(earlier);
      }
    }
    return false;
  }
}
