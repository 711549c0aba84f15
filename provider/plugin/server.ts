import { basename, dirname } from "node:path";
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { type IResourceProviderServer, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckFailure,
  CheckRequest,
  CheckResponse,
  type ConfigureRequest,
  ConfigureResponse,
  type CreateRequest,
  CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  DiffResponse,
  type GetSchemaRequest,
  GetSchemaResponse,
  type InvokeRequest,
  InvokeResponse,
  type ListRequest,
  ListResponse,
  PropertyDiff,
  type ProviderHandshakeRequest,
  ProviderHandshakeResponse,
  type ReadRequest,
  ReadResponse,
  type UpdateRequest,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { manifest, packedText } from "../../io/files/package";
import { quotedCommand } from "../../io/text/command-line";
import type { Naming } from "../../protocol/autonaming";
import { setFailureCode } from "../../protocol/failure-code";
import { initFailureMetadata } from "../../protocol/init-failure";
import { fromStruct, toStruct } from "../../protocol/properties";
import type { Properties, ProtocolDiff, ProviderFailure } from "../../protocol/provider-calls";
import { type ServiceBinding, serve, streamHandlers, unaryHandlers } from "../../protocol/server";
import { isConfigurationError } from "../core/errors";
import { packageName } from "../core/pulumi-names";
import { engineAddress } from "../pulumi/engine-link";
import { hostProcess } from "../pulumi/process";
import type { DetailedDiff, DiffEntry } from "./diff-answer";
import type { PluginService } from "./service";

interface PluginOptions {
  /** Asked by the first call about settings, resources or functions: who wants the schema needs none. */
  service(): PluginService;
  version: string;
  /** The package's schema, as text. */
  schema(): string;
  /** Called with the address of the engine. */
  attach(address: string): void;
}

/** Of one call. A resource has some hundred; one with more would hold all other calls while it is judged. */
const most = { values: 10_000, bytes: 32 * 1024 * 1024 } as const;

const values = (struct: Struct | undefined): Properties => fromStruct(struct, most.values);
const optionalValues = (struct: Struct | undefined): Properties | undefined => struct && values(struct);

const unary = unaryHandlers(toStatus);
const stream = streamHandlers(toStatus);

function toStatus(error: unknown): Partial<ServiceError> {
  const { message, cause = error, recorded, code } = error as Error & Partial<ProviderFailure>;
  const metadata = recorded ? initFailureMetadata(message, recorded) : new Metadata();
  setFailureCode(metadata, code);
  const isConfiguration = recorded === undefined && isConfigurationError(cause);
  return {
    code: isConfiguration ? status.FAILED_PRECONDITION : status.UNKNOWN,
    ...{ details: message, message, metadata },
  };
}

/** The plugin as a service of Pulumi's protocol. */
export function pluginServer({ service, version, schema, attach }: PluginOptions): ServiceBinding {
  const implementation = {
    handshake: unary((request: ProviderHandshakeRequest) => {
      attach(request.getEngineAddress());
      return new ProviderHandshakeResponse().setAcceptSecrets(true).setSupportsAutonamingConfiguration(true);
    }),
    attach: unary((request: PluginAttach) => {
      attach(request.getAddress());
      return new Empty();
    }),
    getPluginInfo: unary(() => new PluginInfo().setVersion(version)),
    getSchema: unary((request: GetSchemaRequest) => {
      if (request.getVersion() !== 0)
        throw new Error(
          `there is no schema of version ${request.getVersion()}; this plugin answers version 0. Update it, or use an engine that asks for version 0`,
        );
      return new GetSchemaResponse().setSchema(schema());
    }),
    checkConfig: unary(async (request: CheckRequest) => {
      const { inputs, failures } = await service().checkConfig({
        urn: request.getUrn(),
        news: values(request.getNews()),
      });
      return new CheckResponse().setInputs(toStruct(inputs)).setFailuresList(failures.map(failureOf));
    }),
    diffConfig: unary(async (request: DiffRequest) => {
      const oldInputs = values(request.getOldInputs() ?? request.getOlds());
      const news = values(request.getNews());
      const { changes, diffs } = await service().diffConfig({ urn: request.getUrn(), oldInputs, news });
      return new DiffResponse().setChanges(changesOf(changes)).setDiffsList(diffs);
    }),
    configure: unary(async (request: ConfigureRequest) => {
      const { secrets, previews } = await service().configure(values(request.getArgs()), urnOf(request));
      const response = new ConfigureResponse().setAcceptsecrets(secrets).setSupportspreview(previews);
      return response.setSupportsAutonamingConfiguration(true);
    }),
    check: unary(async (request: CheckRequest) => {
      const { inputs, failures } = await service().check({
        urn: request.getUrn(),
        olds: values(request.getOlds()),
        news: values(request.getNews()),
        naming: namingIn(request.getAutonaming()),
      });
      return new CheckResponse().setInputs(toStruct(inputs)).setFailuresList(failures.map(failureOf));
    }),
    diff: unary(async (request: DiffRequest) =>
      toDiffResponse(
        await service().diff({
          urn: request.getUrn(),
          id: request.getId(),
          olds: values(request.getOlds()),
          oldInputs: optionalValues(request.getOldInputs()),
          news: values(request.getNews()),
          ignoreChanges: request.getIgnorechangesList(),
        }),
      ),
    ),
    create: unary(async (request: CreateRequest) => {
      const { id, properties } = await service().create({
        urn: request.getUrn(),
        timeout: request.getTimeout(),
        properties: values(request.getProperties()),
        preview: request.getPreview(),
      });
      return new CreateResponse().setId(id).setProperties(toStruct(properties));
    }),
    read: unary(async (request: ReadRequest) => {
      const { id, properties, inputs } = await service().read({
        urn: request.getUrn(),
        id: request.getId(),
        properties: optionalValues(request.getProperties()),
        inputs: optionalValues(request.getInputs()),
      });
      if (inputs === undefined) return new ReadResponse();
      return new ReadResponse().setId(id).setProperties(toStruct(properties)).setInputs(toStruct(inputs));
    }),
    update: unary(async (request: UpdateRequest) => {
      const { properties } = await service().update({
        urn: request.getUrn(),
        timeout: request.getTimeout(),
        id: request.getId(),
        olds: values(request.getOlds()),
        news: values(request.getNews()),
        preview: request.getPreview(),
        ignoreChanges: request.getIgnorechangesList(),
      });
      return new UpdateResponse().setProperties(toStruct(properties));
    }),
    delete: unary(async (request: DeleteRequest) => {
      await service().delete({
        urn: request.getUrn(),
        timeout: request.getTimeout(),
        id: request.getId(),
        properties: values(request.getProperties()),
      });
      return new Empty();
    }),
    invoke: unary(async (request: InvokeRequest) => {
      const answer = await service().invoke({
        token: request.getTok(),
        args: values(request.getArgs()),
        preview: request.getPreview?.() === true,
      });
      return new InvokeResponse().setReturn(toStruct(answer));
    }),
    list: stream(async function* (request: ListRequest) {
      const listing = { token: request.getToken(), query: values(request.getQuery()), limit: request.getLimit() };
      for await (const result of service().list(listing))
        yield result === "unknown"
          ? new ListResponse().setComputed(new ListResponse.Computed())
          : new ListResponse().setResult(new ListResponse.Result().setId(result.id).setName(result.name));
    }),
    cancel: unary(() => {
      service().cancel();
      return new Empty();
    }),
  };
  return {
    definition: ResourceProviderService,
    longestMessage: most.bytes,
    implementation: implementation satisfies { [Method in keyof Partial<IResourceProviderServer>]: unknown },
  };
}

/** Engines and SDKs of earlier releases do not say which provider is configured. */
const urnOf = (request: ConfigureRequest): string | undefined => request.getUrn?.() || undefined;

const { PROPOSE, ENFORCE, DISABLE } = CheckRequest.AutonamingOptions.Mode;
const modes = { [PROPOSE]: "propose", [ENFORCE]: "enforce", [DISABLE]: "disabled" } as const;

const namingIn = (options: CheckRequest.AutonamingOptions | undefined): Naming | undefined =>
  options && { proposedName: options.getProposedName(), mode: modes[options.getMode()] };

const failureOf = ({ property, reason }: { property: string; reason: string }): CheckFailure =>
  new CheckFailure().setProperty(property).setReason(reason);

function toDiffResponse({
  changes,
  diffs,
  replaces,
  stables,
  deleteBeforeReplace,
  detailed,
}: DetailedDiff): DiffResponse {
  const answer = new DiffResponse()
    .setChanges(changesOf(changes))
    .setDiffsList([...diffs])
    .setReplacesList([...replaces])
    .setStablesList([...stables])
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(detailed.size > 0);
  for (const [path, difference] of detailed)
    answer
      .getDetaileddiffMap()
      .set(path, new PropertyDiff().setKind(kindOf(difference)).setInputdiff(difference.inputDiff));
  return answer;
}

function changesOf(changes: ProtocolDiff["changes"]): DiffResponse.DiffChanges {
  const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = DiffResponse.DiffChanges;
  return { none: DIFF_NONE, some: DIFF_SOME, unknown: DIFF_UNKNOWN }[changes];
}

function kindOf({ kind, replaces }: DiffEntry): PropertyDiff.Kind {
  const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const kinds = {
    add: [ADD, ADD_REPLACE],
    delete: [DELETE, DELETE_REPLACE],
    update: [UPDATE, UPDATE_REPLACE],
  } as const;
  return kinds[kind][replaces ? 1 : 0];
}

/** Read where it is asked for: most engines do not ask. */
const schema = (): string => packedText("schema.json");
const { version } = manifest();

/** Every kind, its life cycle and what reads settings: most of what there is to load. */
const loadService = (): typeof import("./service") => require("./service");

const usage = `Usage: pulumi-resource-modelplatform

The provider plugin of modelplatform ${version}, which Pulumi starts by itself: it serves on the port that it prints.
`;

/**
 * Why the program must not run where it is. The CLI installs any file under the version that a person names, without
 * starting it, and calls the folder after that; any request for that version would get this one.
 */
function misplaced(program = ""): string | undefined {
  const plugin = `resource-${packageName}-v`;
  const folder = basename(dirname(program));
  const installed = folder.startsWith(plugin) ? folder.slice(plugin.length) : version;
  if (installed === version) return undefined;
  return `this is version ${version} of the plugin, installed as ${installed}. Run ${quotedCommand(["pulumi", "plugin", "rm", "resource", packageName, installed, "--yes"])}, then install it as ${version}.`;
}

/** Serves until the engine is gone or ends this process. The first line of output is the port. */
export async function start(): Promise<void> {
  if (process.argv.includes("--help")) {
    loadService();
    process.stdout.write(usage);
    return;
  }
  const problem = misplaced(process.argv[1]);
  if (problem !== undefined) {
    process.stderr.write(`error: ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const { environment, attach } = hostProcess(engineAddress(process.argv));
  let made: PluginService | undefined;
  const service = (): PluginService =>
    (made ??= loadService().createPluginService({ ...environment, version, env: process.env }));
  const { port } = await serve([pluginServer({ service, version, schema, attach })]);
  process.stdout.write(`${port}\n`);
  // An engine reads the port from a pipe.
  if (process.stdout.isTTY)
    process.stderr.write(
      "This is a provider plugin, which Pulumi starts by itself: `pulumi plugin install` and `pulumi up`. ^C ends it.\n",
    );
}
