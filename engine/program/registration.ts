import { fileURLToPath } from "node:url";
import type { Alias as AliasMessage } from "@pulumi/pulumi/proto/alias_pb";
import type { ReadResourceRequest, RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import type { SourcePosition, StackTrace } from "@pulumi/pulumi/proto/source_pb";
import { nameFrom } from "../../io/paths/containment";
import { fromStruct } from "../../protocol/properties";
import { unsupportedError } from "../errors";
import type { Alias } from "../plan/aliases";
import type { Goal, ReadGoal } from "../plan/goal";
import type { PropertyMap } from "../state/types";
import { isProviderType } from "../state/urns";
import { hashAssets } from "../values/assets";
import { withoutOutputs } from "../values/values";

/** Folders that a registration's paths are relative to. */
export interface Folders {
  /** Of the project file: source positions are relative to it. */
  project: string;
  /** Of the program: assets are read relative to it. */
  program: string;
}

/** SDKs before the option have requests without it. */
const hasEnvVarMappings = (request: Partial<Pick<RegisterResourceRequest, "getEnvvarmappingsMap">>): boolean =>
  (request.getEnvvarmappingsMap?.().getLength() ?? 0) > 0;

/** Refuses, by name, features of a registration that this engine does not support. */
function assertSupported(request: RegisterResourceRequest): void {
  const hooks = request.getHooks();
  const features: [string, boolean][] = [
    ["A remote component", request.getRemote()],
    ["A parameterized or extended package", request.getPackageref() !== ""],
    ["A resource transform", request.getTransformsList().length > 0],
    ["A resource hook", hooks !== undefined && Object.values(hooks.toObject()).some((names) => names.length > 0)],
    ["The resource option `import`", request.getImportid() !== ""],
    ["The resource option `replaceWith`", request.getReplaceWithList().length > 0],
    ["The resource option `replacementTrigger`", request.hasReplacementTrigger()],
    ["The resource option `envVarMappings`", hasEnvVarMappings(request)],
  ];
  const feature = features.find(([, present]) => present);
  if (feature) throw unsupportedError(`${feature[0]} (resource "${request.getName()}" of type ${request.getType()})`);
}

/** The goal of a registration, but for its provider. */
export async function goalOf(request: RegisterResourceRequest, folders: Folders): Promise<Goal> {
  assertSupported(request);
  const { properties: declaredProperties, dependencies } = await propertiesOf(request, folders);
  const version = request.getVersion();
  const properties =
    version !== "" && isProviderType(request.getType()) ? { ...declaredProperties, version } : declaredProperties;
  const saysOrder = request.getDeletebeforereplacedefined() || request.getDeletebeforereplace();
  return {
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    properties,
    parent: request.getParent() || undefined,
    version: version || undefined,
    protect: request.hasProtect() ? request.getProtect() === true : undefined,
    dependencies: request.getDependenciesList(),
    propertyDependencies: dependencies,
    deleteBeforeReplace: saysOrder ? request.getDeletebeforereplace() : undefined,
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    aliases: [...request.getAliasurnsList().map((urn) => ({ urn })), ...request.getAliasesList().map(aliasOf)],
    customTimeouts: timeoutsOf(request),
    retainOnDelete: request.hasRetainondelete() ? request.getRetainondelete() === true : undefined,
    deletedWith: request.getDeletedwith() || undefined,
    hideDiff: request.getHidediffsList(),
    ...origin(request, folders),
  };
}

/** The goal of a `.get`, but for its provider. */
export function readGoalOf(request: ReadResourceRequest, folders: Folders): Omit<ReadGoal, "provider"> {
  return {
    version: request.getVersion() || undefined,
    type: request.getType(),
    name: request.getName(),
    id: request.getId(),
    properties: Object.fromEntries(
      Object.entries(fromStruct(request.getProperties())).map(([key, value]) => [key, withoutOutputs(value).value]),
    ),
    parent: request.getParent() || undefined,
    dependencies: request.getDependenciesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    ...origin(request, folders),
  };
}

async function propertiesOf(
  request: RegisterResourceRequest,
  folders: Folders,
): Promise<{ properties: PropertyMap; dependencies: Goal["propertyDependencies"] }> {
  const raw = fromStruct(request.getObject());
  const declared = new Map<string, string[]>();
  request.getPropertydependenciesMap().forEach((urns, key: string) => declared.set(key, urns.getUrnsList()));
  const downgraded = Object.entries(raw).map(([key, value]) => ({ key, ...withoutOutputs(value) }));
  // Without property dependencies from the SDK, each property depends on everything.
  const dependenciesOfKey = (key: string) =>
    declared.size > 0 ? (declared.get(key) ?? []) : request.getDependenciesList();
  for (const { key, dependencies } of downgraded)
    declared.set(key, [...new Set([...dependenciesOfKey(key), ...dependencies])]);
  return {
    properties: await hashAssets(Object.fromEntries(downgraded.map(({ key, value }) => [key, value])), folders.program),
    dependencies: Object.fromEntries(declared),
  };
}

function aliasOf(message: AliasMessage): Alias {
  const spec = message.getSpec();
  if (spec === undefined) return { urn: message.getUrn() };
  const parts = {
    name: spec.getName(),
    type: spec.getType(),
    stack: spec.getStack(),
    project: spec.getProject(),
    parent: spec.getParenturn(),
  };
  const named = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ""));
  return spec.getNoparent() ? { ...named, noParent: true } : named;
}

const unitSeconds: { [unit: string]: number } = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 };

/** Seconds of a duration like `1h30m` or `500ms`. */
function secondsOf(duration: string): number {
  if (!/^([\d.]+(h|ms|m|s|us|µs|ns))+$/.test(duration))
    throw new Error(`"${duration}" is not a duration for customTimeouts: write it like "5m" or "1h30m"`);
  return [...duration.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)].reduce(
    (total, [, amount, unit]) => total + Number(amount) * (unitSeconds[unit ?? ""] ?? 0),
    0,
  );
}

function timeoutsOf(request: RegisterResourceRequest): Goal["customTimeouts"] {
  const timeouts = request.getCustomtimeouts();
  const requested = {
    create: timeouts?.getCreate() ?? "",
    update: timeouts?.getUpdate() ?? "",
    delete: timeouts?.getDelete() ?? "",
  };
  return Object.fromEntries(
    Object.entries(requested)
      .filter(([, text]) => text !== "")
      .map(([key, text]) => [key, secondsOf(text)]),
  );
}

type Origin = Pick<Goal, "sourcePosition" | "stackTrace">;

/** Where in the program the resource was declared. */
function origin(
  request: { getSourceposition(): SourcePosition | undefined; getStacktrace(): StackTrace | undefined },
  folders: Folders,
): Origin {
  const position = positionOf(request.getSourceposition(), folders);
  const frames = request.getStacktrace()?.getFramesList();
  return {
    ...placed(position),
    stackTrace: frames?.map((frame) => placed(positionOf(frame.getPc(), folders))),
  };
}

const placed = (position: string | undefined): { sourcePosition?: string } =>
  position === undefined ? {} : { sourcePosition: position };

function positionOf(position: SourcePosition | undefined, folders: Folders): string | undefined {
  if (position === undefined || !position.getUri().startsWith("file:///")) return undefined;
  const path = nameFrom(folders.project, fileURLToPath(position.getUri()));
  const column = position.getColumn() === 0 ? "" : `,${position.getColumn()}`;
  return `project:///${encodeURI(path)}#${position.getLine()}${column}`;
}
