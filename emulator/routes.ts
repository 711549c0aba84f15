import {
  identifyOperation,
  type OperationIdentity,
  type OperationSpec,
  type ResourceSpec,
} from "../provider/core/declaration/resource";
import { matchTemplate, parametersOf } from "../provider/core/values/names";
import { allSpecs } from "../provider/resources/index";
import { invalidField } from "./refusals";
import type { Fields } from "./types";

/** An operation of the service, ready to be found by its path. */
export interface RoutedOperation extends OperationIdentity {
  verb: string;
  spec: ResourceSpec;
  declared: OperationSpec;
}

export interface RouteMatch {
  operation: RoutedOperation;
  parameters: Readonly<Record<string, string>>;
}

interface RouteNode {
  literal: Map<string, RouteNode>;
  parameter?: RouteNode;
  /** Operations by method, and by custom verb behind the last segment. */
  operations: Map<string, RoutedOperation>;
  verbs: Map<string, Map<string, { operation: RoutedOperation; names: readonly string[] }>>;
  names: Map<string, readonly string[]>;
}

const newNode = (): RouteNode => ({ literal: new Map(), operations: new Map(), verbs: new Map(), names: new Map() });

/** Every operation of the specs. */
export const operations: readonly RoutedOperation[] = allSpecs.flatMap((spec) =>
  Object.entries(spec.operations).map(([verb, declared]) => ({
    ...identifyOperation(spec, verb, declared!),
    verb,
    spec,
    declared: declared!,
  })),
);

const root = newNode();

for (const operation of operations) register(operation);

function register(operation: RoutedOperation): void {
  const { path } = operation;
  const names = parametersOf(path);
  const [, custom] = /\}:(\w+)$/.exec(path) ?? [];
  const plain = custom === undefined ? path : path.slice(0, -custom.length - 1);
  const at = plain
    .slice(1)
    .split("/")
    .reduce((here, segment) => {
      if (segment.startsWith("{")) return (here.parameter ??= newNode());
      if (!here.literal.has(segment)) here.literal.set(segment, newNode());
      return here.literal.get(segment)!;
    }, root);
  if (custom === undefined) {
    at.operations.set(operation.method, operation);
    at.names.set(operation.method, names);
    return;
  }
  if (!at.verbs.has(custom)) at.verbs.set(custom, new Map());
  at.verbs.get(custom)!.set(operation.method, { operation, names });
}

/**
 * What a path leads to: an operation, a path that has no such method, or nothing. A `:`
 * counts only where it is written plainly (A017).
 */
export function findOperation(method: string, path: string): RouteMatch | "unregistered method" | "unknown path" {
  let byPath = recentLookups.get(method);
  if (!byPath || byPath.size >= remembered) recentLookups.set(method, (byPath = new Map()));
  let methods = byPath.get(path);
  if (methods === undefined) byPath.set(path, (methods = lookUp(method, path)));
  return methods;
}

/** Recent lookups, by method: pollers request the same few paths again and again. */
const recentLookups = new Map<string, Map<string, RouteMatch | "unregistered method" | "unknown path">>();

const remembered = 2000;

function lookUp(method: string, path: string): RouteMatch | "unregistered method" | "unknown path" {
  const segments = path.slice(1).split("/");
  const values: string[] = [];
  let here = root;
  const last = segments.length - 1;
  for (let index = 0; index <= last; index++) {
    const segment = segments[index]!;
    const literal = here.literal.get(segment);
    if (literal) {
      here = literal;
      continue;
    }
    if (!here.parameter || segment === "") return "unknown path";
    here = here.parameter;
    const colon = index === last ? segment.lastIndexOf(":") : -1;
    const verbs = colon > 0 ? here.verbs.get(segment.slice(colon + 1)) : undefined;
    if (verbs) {
      const custom = verbs.get(method);
      return custom
        ? { operation: custom.operation, parameters: toParameters(custom.names, [...values, segment.slice(0, colon)]) }
        : "unregistered method";
    }
    values.push(segment);
  }
  const operation = here.operations.get(method);
  if (operation) return { operation, parameters: toParameters(here.names.get(method)!, values) };
  return here.operations.size > 0 ? "unregistered method" : "unknown path";
}

function toParameters(names: readonly string[], values: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (let index = 0; index < names.length; index++) parameters[names[index]!] = values[index]!;
  return parameters;
}

/** The directives of a create that are set. An absent one and `false` are the same. */
export function directivesOf(spec: ResourceSpec, query: ReadonlyMap<string, string>): Fields {
  return Object.fromEntries(spec.fields.directives.flatMap(({ name }) => (flag(query, name) ? [[name, true]] : [])));
}

/** A boolean query parameter; absent is false. */
export function flag(query: ReadonlyMap<string, string>, name: string): boolean {
  const text = query.get(name) ?? "";
  if (text === "" || text === "false" || text === "0") return false;
  if (text === "true" || text === "1") return true;
  throw invalidField(name, "must be `true` or `false`");
}

const placeholder = /\{(\w+)\}/;

/** A name template in its parts: literals at even places, parameters at odd ones. */
const parts = new Map(allSpecs.map((spec) => [spec.kind, spec.name.split(placeholder)]));

/** The resource name that the template has with these parameters. */
export function nameOf(spec: ResourceSpec, parameters: Readonly<Record<string, string>>): string {
  let name = "";
  for (const [index, part] of parts.get(spec.kind)!.entries())
    name += index % 2 === 0 ? part : (parameters[part] ?? "");
  return name;
}

/** The parameter of the object's own id: the last one of the template. */
export const idParameter = (spec: ResourceSpec): string => parametersOf(spec.name).at(-1)!;

/** The kind of object that has such a name, or undefined where none has. */
export const specOfName = (name: string): ResourceSpec | undefined =>
  allSpecs.find((spec) => matchTemplate(spec.name, name) !== undefined);
