import { fileURLToPath } from "node:url";
import { Metadata, type ServiceError } from "@grpc/grpc-js";
import { Status as status } from "@grpc/grpc-js/build/src/constants";
import type { Alias as AliasMessage } from "@pulumi/pulumi/proto/alias_pb";
import type { InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { type IResourceMonitorServer, ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import {
  DeploymentInfo,
  type ReadResourceRequest,
  ReadResourceResponse,
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
  RegisterResourceResponse,
  type ResourceInvokeRequest,
  ResourceMonitorFeature,
  Result,
  type SupportsFeatureRequest,
  SupportsFeatureResponse,
} from "@pulumi/pulumi/proto/resource_pb";
import type { SourcePosition, StackTrace } from "@pulumi/pulumi/proto/source_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { nameFrom } from "../../io/paths";
import { fromStruct, toStruct } from "../../protocol/properties";
import { type ServiceBinding, unaryHandlers } from "../../protocol/server";
import { messageOf, StoppedError, unsupportedError } from "../errors";
import type { Alias, Goal, ReadGoal } from "../plan/goal";
import type { Functions } from "../run/builtins";
import { isProviderType, type PropertyMap } from "../state/resource-state";
import { hashAssets } from "../values/assets";
import { forReceiver, mapObject, withoutOutputs } from "../values/values";
import type { Registrar, RegistrationResult } from "./registrar";

/** Folders that a registration's paths are relative to. */
interface Folders {
  /** Of the project file: source positions are relative to it. */
  project: string;
  /** Of the program: assets are read relative to it. */
  program: string;
}

/** SDKs before the option have requests without it. */
const hasEnvVarMappings = (request: Partial<Pick<RegisterResourceRequest, "getEnvvarmappingsMap">>): boolean =>
  (request.getEnvvarmappingsMap?.().getLength() ?? 0) > 0;

/** Throws for features of a registration that this engine does not support, by name. */
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
  const hasOrder = request.getDeletebeforereplacedefined() || request.getDeletebeforereplace();
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
    deleteBeforeReplace: hasOrder ? request.getDeletebeforereplace() : undefined,
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
function readGoalOf(request: ReadResourceRequest, folders: Folders): Omit<ReadGoal, "provider"> {
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
  return [...duration.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/gy)].reduce(
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
    ...withPosition(position),
    stackTrace: frames?.map((frame) => withPosition(positionOf(frame.getPc(), folders))),
  };
}

const withPosition = (position: string | undefined): { sourcePosition?: string } =>
  position === undefined ? {} : { sourcePosition: position };

function positionOf(position: SourcePosition | undefined, folders: Folders): string | undefined {
  if (position === undefined || !position.getUri().startsWith("file:///")) return undefined;
  const path = nameFrom(folders.project, fileURLToPath(position.getUri()));
  const column = position.getColumn() === 0 ? "" : `,${position.getColumn()}`;
  return `project:///${encodeURI(path)}#${position.getLine()}${column}`;
}

/** A unary method from an async function. A stopped operation returns UNAVAILABLE, and the SDK ends quietly. */
export const unary = unaryHandlers((error: unknown): Partial<ServiceError> => {
  const code = error instanceof StoppedError ? status.UNAVAILABLE : status.UNKNOWN;
  return { code, details: messageOf(error), message: messageOf(error), metadata: new Metadata() };
});

/** Features whose requests this engine understands, even if only to reject them by name. */
const knownFeatures: ReadonlySet<string> = new Set([
  ...["secrets", "resourceReferences", "outputValues", "aliasSpecs", "deletedWith"],
  ...["transforms", "invokeTransforms", "parameterization", "resourceHooks", "errorHooks", "replaceWith"],
]);

/**
 * The same for SDKs from 3.270 on, which ask for all features at once: one that is not in the list is not used, and a
 * secret is then sent in plain text. Older SDKs ask for each, and the oldest do not know this message's list.
 */
function deploymentInfo(): DeploymentInfo {
  const info = new DeploymentInfo();
  const numbers = (ResourceMonitorFeature ?? {}) as unknown as Readonly<Record<string, number>>;
  const named = (feature: string): string =>
    `RESOURCE_MONITOR_FEATURE_${feature.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
  for (const feature of knownFeatures) {
    const number = numbers[named(feature)];
    if (number !== undefined) info.addSupportedfeatures(number);
  }
  return info;
}

/**
 * A program that learns of a failed resource treats its outputs as unknown, and continues with what does not need them.
 */
const results: { [result in RegistrationResult["result"]]: Result } = {
  succeeded: Result.SUCCESS,
  failed: Result.FAIL,
  skipped: Result.SKIP,
};

/** The response of a function: a different message since SDK 3.270, taken from its service. */
function createInvokeResponse(): InvokeResponse {
  const { responseType } = ResourceMonitorService.invoke as unknown as { responseType: new () => InvokeResponse };
  return new responseType();
}

export interface MonitorOptions {
  registrar: Registrar;
  /** Calls a function, of the engine itself or of a provider. */
  invoke: Functions;
  folders: Folders;
  /** The first error that ends the operation; it has not been reported yet. */
  onError: (error: unknown) => void;
}

/** The service a program talks to. Once it is closed, every call, waiting ones included, returns UNAVAILABLE. */
export class Monitor {
  private openCalls = 0;
  private close!: () => void;
  private readonly closed = new Promise<never>((_, reject) => {
    this.close = () => reject(new StoppedError());
  });

  constructor(private readonly options: MonitorOptions) {
    this.closed.catch(() => undefined);
  }

  shutdown(): void {
    this.close();
  }

  get service(): ServiceBinding {
    const reject = (feature: string) => unary<unknown, Empty>(() => this.end(unsupportedError(feature)));
    const implementation = {
      supportsFeature: unary((request: SupportsFeatureRequest) =>
        new SupportsFeatureResponse().setHassupport(knownFeatures.has(request.getId())),
      ),
      getDeploymentInfo: unary(deploymentInfo),
      registerResource: unary((request: RegisterResourceRequest) => this.respond(() => this.register(request))),
      registerResourceOutputs: unary((request: RegisterResourceOutputsRequest) =>
        this.respond(() => this.registerOutputs(request)),
      ),
      readResource: unary((request: ReadResourceRequest) => this.respond(() => this.read(request))),
      invoke: unary((request: ResourceInvokeRequest) => this.invoke(request)),
      signalAndWaitForShutdown: unary(() => new Empty()),
      call: reject("A method of a remote component"),
      registerStackTransform: reject("A stack transform"),
      registerStackInvokeTransform: reject("An invoke transform"),
      registerResourceHook: reject("A resource hook"),
      registerErrorHook: reject("An error hook"),
      registerPackage: reject("A parameterized package"),
    };
    return {
      definition: ResourceMonitorService,
      implementation: implementation satisfies { [Method in keyof IResourceMonitorServer]: unknown },
    };
  }

  /** Whether a call has no response yet. */
  get busy(): boolean {
    return this.openCalls > 0;
  }

  /** An error ends the operation. The program only sees the monitor close; the engine reports the error to the user. */
  private async respond<Response>(work: () => Promise<Response>): Promise<Response> {
    this.openCalls += 1;
    try {
      return await Promise.race([work(), this.closed]);
    } catch (error) {
      if (!(error instanceof StoppedError)) this.options.onError(error);
      return await this.closed;
    } finally {
      this.openCalls -= 1;
    }
  }

  private end(error: Error): Promise<never> {
    this.options.onError(error);
    return this.closed;
  }

  private async register(request: RegisterResourceRequest): Promise<RegisterResourceResponse> {
    const providers = new Map<string, string>();
    request.getProvidersMap().forEach((reference, pkg: string) => providers.set(pkg, reference));
    const { state, result } = await this.options.registrar.register(
      await goalOf(request, this.options.folders),
      request.getProvider(),
      providers,
    );
    // A component's recorded outputs may refer to resources that are not registered in this run yet.
    const outputs = state.custom && result === "succeeded" ? (state.outputs ?? {}) : {};
    const accepts = { secrets: request.getAcceptsecrets(), references: request.getAcceptresources() };
    return new RegisterResourceResponse()
      .setUrn(state.urn)
      .setId(result === "succeeded" ? (state.id ?? "") : "")
      .setObject(toStruct(forReceiver(outputs, accepts)))
      .setResult(results[result]);
  }

  private async registerOutputs(request: RegisterResourceOutputsRequest): Promise<Empty> {
    const outputs = mapObject(fromStruct(request.getOutputs()), (value) => withoutOutputs(value).value);
    await this.options.registrar.registerOutputs(request.getUrn(), outputs);
    return new Empty();
  }

  private async read(request: ReadResourceRequest): Promise<ReadResourceResponse> {
    const state = await this.options.registrar.read(readGoalOf(request, this.options.folders), request.getProvider());
    const accepts = { secrets: request.getAcceptsecrets(), references: request.getAcceptresources() };
    return new ReadResourceResponse()
      .setUrn(state.urn)
      .setProperties(toStruct(forReceiver(state.outputs ?? {}, accepts)));
  }

  /** A failing function is the program's own business: it may catch the error. */
  private async invoke(request: ResourceInvokeRequest): Promise<InvokeResponse> {
    try {
      return createInvokeResponse().setReturn(
        toStruct(
          await this.options.invoke({
            token: request.getTok(),
            args: mapObject(fromStruct(request.getArgs()), (value) => withoutOutputs(value).value),
            provider: request.getProvider(),
            version: request.getVersion(),
          }),
        ),
      );
    } catch (error) {
      throw new Error(`the function ${request.getTok()} failed: ${messageOf(error)}`);
    }
  }
}
