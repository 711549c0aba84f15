import { Metadata, type ServiceError } from "@grpc/grpc-js";
import { Status as status } from "@grpc/grpc-js/build/src/constants";
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
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { fromStruct, toStruct } from "../../protocol/properties";
import { type ServiceBinding, unaryHandlers } from "../../protocol/server";
import { messageOf, StoppedError, unsupportedError } from "../errors";
import type { Functions } from "../run/builtins";
import { forReceiver, mapObject, withoutOutputs } from "../values/values";
import type { Registrar, RegistrationResult } from "./registrar";
import { type Folders, goalOf, readGoalOf } from "./registration";

/**
 * A unary method from an async function. A stopped operation answers UNAVAILABLE, which tells the SDK to end quietly.
 */
export const unary = unaryHandlers((error: unknown): Partial<ServiceError> => {
  const code = error instanceof StoppedError ? status.UNAVAILABLE : status.UNKNOWN;
  return { code, details: messageOf(error), message: messageOf(error), metadata: new Metadata() };
});

/** Features whose requests this engine understands, even if only to refuse them by name. */
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
function answerOfFunction(): InvokeResponse {
  const { responseType } = ResourceMonitorService.invoke as unknown as { responseType: new () => InvokeResponse };
  return new responseType();
}

export interface MonitorOptions {
  registrar: Registrar;
  /** Answers a function, of the engine itself or of a provider. */
  invoke: Functions;
  folders: Folders;
  /** The first error that ends the operation; it has not been reported yet. */
  onError: (error: unknown) => void;
}

/** The service a program talks to. Once it is closed, every call, waiting ones included, answers UNAVAILABLE. */
export class Monitor {
  private unanswered = 0;
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
    const refuse = (feature: string) => unary<unknown, Empty>(() => this.end(unsupportedError(feature)));
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
      call: refuse("A method of a remote component"),
      registerStackTransform: refuse("A stack transform"),
      registerStackInvokeTransform: refuse("An invoke transform"),
      registerResourceHook: refuse("A resource hook"),
      registerErrorHook: refuse("An error hook"),
      registerPackage: refuse("A parameterized package"),
    };
    return {
      definition: ResourceMonitorService,
      implementation: implementation satisfies { [Method in keyof IResourceMonitorServer]: unknown },
    };
  }

  /** Calls that have no answer yet. */
  get busy(): boolean {
    return this.unanswered > 0;
  }

  /** An error ends the operation. The program only sees the monitor close; the engine reports the error to the user. */
  private async respond<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.unanswered += 1;
    try {
      return await Promise.race([work(), this.closed]);
    } catch (error) {
      if (!(error instanceof StoppedError)) this.options.onError(error);
      return await this.closed;
    } finally {
      this.unanswered -= 1;
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
      return answerOfFunction().setReturn(
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
