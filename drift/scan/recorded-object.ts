import type { ResourceState, Snapshot } from "../../engine/state/index";
import { managedFields } from "../../provider/core/comparison/desired";
import { recordedInputs } from "../../provider/core/comparison/recorded";
import { type RecordedSettings, type Records, recordsIn } from "../../provider/core/declaration/own-fields";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { isReferring, referencesIn } from "../../provider/core/fields/fields";
import { dynamicToken, pluginToken } from "../../provider/core/pulumi-names";
import { ascending, entryIn } from "../../provider/core/values/grouping";
import { accountOf, matchTemplate } from "../../provider/core/values/names";
import { memoizeByKey } from "../../provider/core/values/once";
import type { Values } from "../../provider/core/values/values";
import { managedSpecs } from "../../provider/resources/index";
import type { Dependent, Finding } from "./finding-document";

/** The account that holds what the service itself offers (A003); no stack manages it. */
export const serviceAccount = "platform";

/** An object that names another one, and its kind. */
export interface DependentReference {
  type: string;
  from: string;
  /** Of the resource that records it; null for a live object. */
  urn: string | null;
  to: string;
}

/** The fields by which an object depends on others; what a job makes depends on the job. */
const dependingFields = memoizeByKey(({ fields, produces }: ResourceSpec) =>
  fields.message.filter((field) => field.name !== produces?.name && isReferring(field)),
);

/** The other objects that an object names in what a program may set. */
export function namesIn(spec: ResourceSpec, name: unknown, values: Values): string[] {
  const named = [...referencesIn(dependingFields(spec), values)].map((reference) => reference.name);
  return [...new Set(named)].filter((other) => other !== name && accountOf(other) !== undefined);
}

/**
 * Findings with what depends on their objects, besides what they say already: resources whose states say so, recorded
 * objects that name them, and live ones, which the scan has listed anyway.
 */
export function withDependents(
  findings: readonly Finding[],
  objects: readonly RecordedObject[],
  references: readonly DependentReference[],
): Finding[] {
  const dependents = new Map(
    findings.map(({ name, dependents: known = [] }) => [name, new Map(known.map((each) => [keyOf(each), each]))]),
  );
  const add = (name: string, dependent: Dependent): void => {
    const known = dependents.get(name);
    const key = keyOf(dependent);
    if (known && dependent.name !== name && !known.has(key)) known.set(key, dependent);
  };
  for (const { spec, name, urn, inputs, pending, referredBy = [] } of objects) {
    for (const dependent of referredBy) add(name, dependent);
    if (pending === "deleting") continue;
    for (const other of namesIn(spec, name, inputs)) add(other, { type: spec.kind, name, urn });
  }
  for (const { type, from, urn, to } of references) add(to, { type, name: from, urn });
  return findings.map((finding) => {
    const merged = [...dependents.get(finding.name)!.values()];
    return merged.length === 0 ? finding : { ...finding, dependents: merged.sort(byName) };
  });
}

const keyOf = ({ name, urn }: Dependent): string => name ?? urn ?? "";

const byName = (one: Dependent, other: Dependent): number => ascending(titleOf(one), titleOf(other));

const titleOf = ({ type, name, urn }: Dependent): string => `${type} ${name ?? urn}`;

/** What a stack still has to do about an object: an operation on it did not finish. */
type Pending = "creating" | "deleting" | "replacing";

/** A live object of the service as a stack records it. Secrets are whatever the state has in their place. */
export interface RecordedObject {
  spec: ResourceSpec;
  /** Resource name. */
  name: string;
  account: string;
  /** `organization/project/stack`, or as much of it as is known. */
  stack: string;
  urn: string;
  /** The program's inputs, in its own spelling. */
  inputs: Values;
  outputs: Values & Partial<Records>;
  /** When an operation last recorded the object anew, in ISO 8601. */
  recordedAt?: string | undefined;
  /** Property paths that the program says not to compare. */
  ignoreChanges: readonly string[];
  /** It is not a resource itself: the service made it for the resource of this URN (A073). */
  isProduced?: true;
  pending?: Pending | undefined;
  /** The operation on it is under way: its run holds the lock of the stack. */
  isRunning?: true | undefined;
  /** Why the last create or update is not held to have worked. */
  failure?: string | undefined;
  source?: SourcePlace | undefined;
  /** The callers of the constructor, as far as they are of the program. */
  trace?: readonly SourcePlace[] | undefined;
  /** Resources of the same state that depend on it. */
  referredBy?: readonly Dependent[];
}

/** Whether the state has the object: not of a create that has begun, which implies no more than a name. */
export const isHeld = ({ pending }: Pick<RecordedObject, "pending">): boolean => pending !== "creating";

/** A place in the program, as it was when the resource was last registered with a change. */
interface SourcePlace {
  path: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** What names an object of another account. */
interface ForeignReference extends DependentReference {
  /** Of the named object. */
  account: string;
}

/** What is asked of every stack, whichever of them are compared. */
interface StackSummary {
  /** In which something is recorded. */
  accounts: readonly string[];
  references: readonly ForeignReference[];
  /** Different settings with which its objects were last written or read. */
  settings: readonly RecordedSettings[];
  /** None of its accounts is needed, and its objects are not there. */
  isLeftOut?: true;
}

/** A stack's objects of this provider, and what of its state cannot be reported. */
export interface RecordedStack {
  stack: string;
  objects: RecordedObject[];
  /** Of its objects, where that is known without them. */
  summary?: StackSummary;
  /** Resources whose object cannot be determined, with the reason. */
  unusable: UnusableResource[];
  warnings: string[];
  /** Only the built-in engine has written its state: commands of that engine are for it. */
  isBuiltIn?: boolean;
  /** Places in the program that declare several of its resources, such as `index.ts:4:3`. */
  sharedPlaces?: readonly string[];
}

export const placeText = ({ path, line, column }: SourcePlace): string =>
  [path, line, column].filter((part) => part !== undefined).join(":");

/** A resource of this provider whose id names no object. */
interface UnusableResource {
  urn: string;
  reason: string;
}

/** A dynamic resource and one of the plugin are the same thing. */
const specsByToken: ReadonlyMap<string, ResourceSpec> = new Map(
  managedSpecs.flatMap((spec) =>
    [dynamicToken(spec.kind), pluginToken(spec.kind)].map((token) => [token, spec] as const),
  ),
);

export const summaryOf = (stack: RecordedStack): StackSummary => stack.summary ?? summaryOfObjects(stack.objects);

const summaryOfObjects = (objects: readonly RecordedObject[]): StackSummary => ({
  accounts: [...new Set(objects.map(({ account }) => account))],
  references: objects.flatMap(foreignReferences),
  settings: distinctSettings(objects.map(({ outputs }) => outputs)),
});

function foreignReferences({ spec, name, account, urn, inputs, pending }: RecordedObject): ForeignReference[] {
  if (pending === "deleting") return [];
  const named = namesIn(spec, name, inputs).map((to) => ({ to, account: accountOf(to)! }));
  return named
    .filter((other) => other.account !== account && other.account !== serviceAccount)
    .map((other) => ({ type: spec.kind, from: name, urn, ...other }));
}

function distinctSettings(outputs: readonly Partial<Records>[]): RecordedSettings[] {
  const recorded = outputs.flatMap(({ serviceSettings }) => serviceSettings ?? []);
  return [...new Map(recorded.map((settings) => [JSON.stringify(settings), settings])).values()];
}

/**
 * The objects of this provider in a state; `runs`: an operation holds the stack's lock. What a program only reads
 * (`external`), and what is left behind on purpose, is not managed. Of a stack all of whose accounts are not needed,
 * there is the summary alone.
 */
export function recordedObjects(
  stack: string,
  { manifest, resources, pendingOperations }: Snapshot,
  isNeeded: (account: string) => boolean = () => true,
  runs = false,
): RecordedStack {
  const warnings: string[] = [];
  const unusable: UnusableResource[] = [];
  const collected = { warnings, unusable, runs };
  const begun = pendingOperations.filter(
    ({ type, resource }) =>
      type === "creating" && !resources.some(({ urn, delete: old }) => urn === resource.urn && !old),
  );
  const named = [
    ...resources.flatMap((resource) => namedResource(stack, resource, pendingOf(resource), collected)),
    ...begun.flatMap(({ resource }) => namedResource(stack, resource, "creating", collected)),
  ];
  const accounts = [...new Set(named.map(({ name }) => accountOf(name)!))];
  const whole = {
    stack,
    unusable,
    warnings,
    isBuiltIn: manifest.version === "",
    sharedPlaces: sharedPlacesOf(resources),
  };
  if (accounts.length > 0 && !accounts.some(isNeeded))
    return { ...whole, objects: [], summary: summaryOfNamed(stack, named, isNeeded) };
  const dependents = dependentsIn(resources, (type) => specsByToken.get(type));
  const objects = named.map((each) => {
    const recorded = recordedObject(stack, each);
    const object = runs && each.pending === "creating" ? { ...recorded, isRunning: true as const } : recorded;
    const referredBy = each.pending === "creating" ? [] : (dependents.get(object.urn) ?? []);
    return referredBy.length === 0 ? object : { ...object, referredBy };
  });
  return { ...whole, objects };
}

/** Makes only those objects that may name needed ones. */
function summaryOfNamed(
  stack: string,
  named: readonly NamedResource[],
  isNeeded: (account: string) => boolean,
): StackSummary {
  const referring = named.filter(({ spec }) => dependingFields(spec).length > 0);
  const references = referring.flatMap((each) => foreignReferences(recordedObject(stack, each)));
  return {
    accounts: [...new Set(named.map(({ name }) => accountOf(name)!))],
    references: references.filter(({ account }) => isNeeded(account)),
    settings: distinctSettings(named.map(({ resource }) => recordsIn(resource.outputs ?? {}))),
    isLeftOut: true,
  };
}

function sharedPlacesOf(resources: readonly ResourceState[]): string[] {
  const urns = new Map<string, Set<string>>();
  for (const { urn, sourcePosition } of resources) {
    const source = sourceIn(sourcePosition);
    if (source?.line === undefined) continue;
    const place = placeText(source);
    entryIn(urns, place).add(urn);
  }
  return [...urns].filter(([, declared]) => declared.size > 1).map(([place]) => place);
}

function pendingOf({ delete: old, pendingReplacement }: ResourceState): Pending | undefined {
  if (pendingReplacement) return "replacing";
  return old ? "deleting" : undefined;
}

/** A resource of this provider, and the name of its object. */
interface NamedResource {
  spec: ResourceSpec;
  name: string;
  resource: ResourceState;
  pending: Pending | undefined;
}

function namedResource(
  stack: string,
  resource: ResourceState,
  pending: Pending | undefined,
  { warnings, unusable, runs }: Pick<RecordedStack, "warnings" | "unusable"> & { runs: boolean },
): NamedResource[] {
  const { urn, id } = resource;
  const spec = specsByToken.get(resource.type);
  if (!spec || resource.external || (resource.delete && resource.retainOnDelete)) return [];
  const name = nameIn(spec, resource);
  if (name === undefined && pending === "creating") {
    if (runs)
      warnings.push(
        `stack ${stack}: a run that holds its lock is creating ${urn}; the state has no name for its object yet, so it cannot be distinguished from unmanaged ones. Scan again when that run has ended.`,
      );
    else
      warnings.push(
        `stack ${stack}: the create of ${urn} did not finish; the state has no name for its object, so it cannot be distinguished from unmanaged ones. The next \`up\` takes it over if it exists.`,
      );
    return [];
  }
  if (name === undefined) {
    unusable.push({ urn, reason: `has the id ${JSON.stringify(id)}, which is not the name of a ${spec.kind}` });
    return [];
  }
  if (isDeeper(resource.outputs, deepest) || isDeeper(resource.inputs, deepest)) {
    unusable.push({ urn, reason: `is nested deeper than ${deepest} levels` });
    return [];
  }
  const reason = damageOf(resource);
  if (reason === undefined) return [{ spec, name, resource, pending }];
  unusable.push({ urn, reason });
  return [];
}

/** Why what this provider has recorded cannot be used. */
function damageOf({ outputs = {} }: ResourceState): string | undefined {
  try {
    recordsIn(outputs);
    return undefined;
  } catch {
    return "has `managedFields` that are not a list of paths: the state is damaged";
  }
}

function recordedObject(stack: string, { spec, name, resource, pending }: NamedResource): RecordedObject {
  const outputs = withRecords(spec, resource);
  return {
    spec,
    name,
    account: accountOf(name)!,
    stack,
    urn: resource.urn,
    inputs: inputsIn(spec, resource, outputs),
    outputs,
    recordedAt: resource.modified,
    ignoreChanges: resource.ignoreChanges ?? [],
    pending,
    failure: resource.initErrors?.length ? resource.initErrors.join("; ") : undefined,
    source: sourceIn(resource.sourcePosition),
    trace: traceIn(resource["stackTrace"]),
  };
}

/** What a refresh compares: the inputs that the state has, and of those that it lacks what the outputs tell. */
function inputsIn(spec: ResourceSpec, { inputs = {} }: ResourceState, outputs: RecordedObject["outputs"]): Values {
  const recorded = recordedInputs(spec, outputs);
  const own = spec.fields.message.flatMap(({ name }) =>
    Object.hasOwn(recorded, name) && Object.hasOwn(inputs, name) ? [[name, inputs[name]] as const] : [],
  );
  return { ...recorded, ...Object.fromEntries(own) };
}

function traceIn(stackTrace: unknown): SourcePlace[] | undefined {
  const frames = Array.isArray(stackTrace) ? (stackTrace as { sourcePosition?: string }[]) : [];
  const places = frames.flatMap((frame) => sourceIn(frame?.sourcePosition) ?? []);
  return places.length > 0 ? places : undefined;
}

/** No answer of the service is nested as deep, nor is what is recorded of one. */
const deepest = 100;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

/** The id is the whole name. Of a create that was started there is only what the program chose. */
function nameIn(spec: ResourceSpec, { id, inputs }: ResourceState): string | undefined {
  if (id) return matchTemplate(spec.name, id) ? id : undefined;
  const account = inputs?.["accountId"];
  const chosen = spec.fields.resourceId && inputs?.[spec.fields.resourceId.name];
  return typeof account === "string" && typeof chosen === "string"
    ? `accounts/${account}/${spec.collection}/${chosen}`
    : undefined;
}

/** Only what is compared or reported, so that many states fit in memory. */
function withRecords(spec: ResourceSpec, { outputs, inputs }: ResourceState): RecordedObject["outputs"] {
  const { __provider: _, __modelplatform: __, ...values } = { ...(outputs ?? inputs) } as Record<string, unknown>;
  return { ...values, managedFields: recordsIn(values).managedFields ?? managedFields(spec, inputs ?? {}) };
}

/** `project:///index.ts#12,3` */
function sourceIn(position: unknown): SourcePlace | undefined {
  const text = typeof position === "string" ? position : "";
  const match = /^project:\/\/\/([^#]+)(?:#(\d+)(?:,(\d+))?)?$/.exec(text);
  if (!match) return undefined;
  const [, path, line, column] = match;
  return {
    path: decoded(path!),
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
  };
}

/** A path with a lone `%` is not encoded, and stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * By URN, the resources of a state that depend on it: by their properties, `dependsOn` or `deletedWith`. A component
 * only hands dependencies down.
 */
function dependentsIn(
  resources: readonly ResourceState[],
  specOf: (type: string) => ResourceSpec | undefined,
): ReadonlyMap<string, readonly Dependent[]> {
  const dependents = new Map<string, Dependent[]>();
  for (const { urn, type } of resources) if (specOf(type)) dependents.set(urn, []);
  for (const resource of resources) {
    const { urn, type, id = "" } = resource;
    if (!resource.custom || resource.delete) continue;
    const spec = specOf(type);
    const name = spec && matchTemplate(spec.name, id) ? id : null;
    for (const other of dependenciesOf(resource))
      if (other !== urn) dependents.get(other)?.push({ type: spec?.kind ?? type, name, urn });
  }
  return dependents;
}

const dependenciesOf = ({ dependencies, propertyDependencies, deletedWith }: ResourceState): Set<string> =>
  new Set([
    ...(dependencies ?? []),
    ...Object.values(propertyDependencies ?? {}).flat(),
    ...(deletedWith ? [deletedWith] : []),
  ]);
