import { type ClientUnaryCall, type ServiceError, status } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  type ConfigureResponse,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  DiffResponse,
  InvokeRequest,
  type InvokeResponse,
  PropertyDiff,
  ReadRequest,
  type ReadResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Naming } from "../../protocol/autonaming";
import { failureCodeOf } from "../../protocol/failure-code";
import { initFailureOf } from "../../protocol/init-failure";
import { fromStruct, toStruct } from "../../protocol/properties";
import {
  type CheckedInputs,
  type DiffArguments,
  OutcomeUnknownError,
  type ProtocolDiff,
  type ProviderCalls,
  ProviderFailure,
} from "../../protocol/provider-calls";
import { parseUrn } from "../state/resource-state";

interface ResourceRequest<Request> {
  setUrn(urn: string): Request;
  setName(name: string): Request;
  setType(type: string): Request;
}

/** Fields of every message about a resource. */
function withUrn<Request extends ResourceRequest<Request>>(request: Request, urn: string): Request {
  const { name, type } = parseUrn(urn);
  return request.setUrn(urn).setName(name).setType(type);
}

const { PROPOSE, ENFORCE, DISABLE } = CheckRequest.AutonamingOptions.Mode;
const modes = { propose: PROPOSE, enforce: ENFORCE, disabled: DISABLE };

const autonamingOptions = ({ proposedName, mode }: Naming): CheckRequest.AutonamingOptions =>
  new CheckRequest.AutonamingOptions().setProposedName(proposedName).setMode(modes[mode]);

/** The calls as messages to a provider's process. */
export const processCalls = (client: ResourceProviderClient): ProviderCalls => ({
  async configure(args) {
    const request = new ConfigureRequest().setArgs(toStruct(args)).setAcceptsecrets(true).setAcceptresources(true);
    request.setSendsOldInputs(true).setSendsOldInputsToDelete(true);
    const response = await call<ConfigureResponse>("configure", (done) => client.configure(request, done));
    return {
      secrets: response.getAcceptsecrets(),
      references: response.getAcceptresources(),
      previews: response.getSupportspreview(),
    };
  },

  async checkConfig({ urn, news }) {
    const request = withUrn(new CheckRequest(), urn).setNews(toStruct(news));
    const response = await call<CheckResponse>(
      "checkConfig",
      (done) => client.checkConfig(request, done),
      "unanswered",
    );
    return response && toCheckedInputs(response);
  },

  async diffConfig(sides) {
    const request = comparison(sides);
    const response = await call<DiffResponse>("diffConfig", (done) => client.diffConfig(request, done), "unanswered");
    return response && toProtocolDiff(response);
  },

  async check({ urn, olds, news, naming }) {
    const request = withUrn(new CheckRequest(), urn).setOlds(toStruct(olds)).setNews(toStruct(news));
    if (naming) request.setAutonaming(autonamingOptions(naming));
    return toCheckedInputs(await call<CheckResponse>("check", (done) => client.check(request, done)));
  },

  async diff({ ignoreChanges, ...sides }) {
    const request = comparison(sides).setIgnorechangesList([...ignoreChanges]);
    return toProtocolDiff(await call<DiffResponse>("diff", (done) => client.diff(request, done)));
  },

  async create({ urn, properties, timeout, preview }) {
    const request = withUrn(new CreateRequest(), urn).setProperties(toStruct(properties));
    request.setTimeout(timeout).setPreview(preview);
    const response = await call<CreateResponse>("create", (done) => client.create(request, done));
    return { id: response.getId(), properties: fromStruct(response.getProperties()) };
  },

  async update({ urn, id, oldInputs, olds, news, ignoreChanges, timeout, preview }) {
    const request = withUrn(new UpdateRequest(), urn).setId(id).setOldInputs(toStruct(oldInputs));
    request.setOlds(toStruct(olds)).setNews(toStruct(news)).setTimeout(timeout).setPreview(preview);
    request.setIgnorechangesList([...ignoreChanges]);
    const response = await call<UpdateResponse>("update", (done) => client.update(request, done));
    return { properties: fromStruct(response.getProperties()) };
  },

  async delete({ urn, id, properties, oldInputs, timeout }) {
    const request = withUrn(new DeleteRequest(), urn).setId(id).setProperties(toStruct(properties));
    request.setOldInputs(toStruct(oldInputs)).setTimeout(timeout);
    await call("delete", (done) => client.delete(request, done));
    return "deleted";
  },

  async read({ urn, id, properties, inputs }) {
    const request = withUrn(new ReadRequest(), urn).setId(id);
    if (properties) request.setProperties(toStruct(properties));
    if (inputs) request.setInputs(toStruct(inputs));
    const response = await call<ReadResponse>("read", (done) => client.read(request, done));
    const readInputs = response.getInputs();
    return {
      id: response.getId(),
      properties: fromStruct(response.getProperties()),
      inputs: readInputs && fromStruct(readInputs),
    };
  },

  async invoke({ token, args, preview }) {
    const request = new InvokeRequest().setTok(token).setArgs(toStruct(args));
    request.setPreview?.(preview);
    const response = await call<InvokeResponse>("invoke", (done) => client.invoke(request, done));
    const [failure] = response.getFailuresList();
    if (failure) throw new Error([failure.getProperty(), failure.getReason()].filter(Boolean).join(": "));
    return fromStruct(response.getReturn());
  },
});

const comparison = ({ urn, id, oldInputs, olds, news }: DiffArguments): DiffRequest =>
  withUrn(new DiffRequest(), urn)
    .setId(id)
    .setOldInputs(toStruct(oldInputs))
    .setOlds(toStruct(olds))
    .setNews(toStruct(news));

const toCheckedInputs = (response: CheckResponse): CheckedInputs => ({
  inputs: fromStruct(response.getInputs()),
  failures: response
    .getFailuresList()
    .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
});

function toProtocolDiff(response: DiffResponse): ProtocolDiff {
  const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const detailed = new Map<string, { replaces: boolean }>();
  response.getDetaileddiffMap().forEach((diff: PropertyDiff, path: string) => {
    const replaces = [ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE].some((kind) => kind === diff.getKind());
    detailed.set(path, { replaces });
  });
  const changed = response.getChanges() === DIFF_SOME ? "some" : "unknown";
  return {
    changes: response.getChanges() === DIFF_NONE ? "none" : changed,
    replaces: response.getReplacesList(),
    diffs: response.getDiffsList(),
    detailed,
    deleteBeforeReplace: response.getDeletebeforereplace(),
  };
}

type ResourceMethod =
  | "configure"
  | "checkConfig"
  | "diffConfig"
  | "check"
  | "diff"
  | "create"
  | "update"
  | "delete"
  | "read"
  | "invoke";

type GrpcInvocation<Response> = (done: (error: ServiceError | null, response: Response) => void) => ClientUnaryCall;

function call<Response>(what: ResourceMethod, invoke: GrpcInvocation<Response>): Promise<Response>;
/** Resolves to undefined if the provider does not have the method. */
function call<Response>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Response>,
  otherwise: "unanswered",
): Promise<Response | undefined>;
function call<Response>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Response>,
  otherwise?: "unanswered",
): Promise<Response | undefined> {
  return new Promise((resolve, reject) => {
    invoke((error, response) => {
      if (!error) resolve(response);
      else if (otherwise && error.code === status.UNIMPLEMENTED) resolve(undefined);
      else reject(failureOf(error, what));
    });
  });
}

function failureOf(error: ServiceError, what: ResourceMethod): Error {
  if (error.code === status.UNAVAILABLE || error.code === status.CANCELLED) {
    return new OutcomeUnknownError(
      `the provider process ended, or does not answer, during ${what}: the state of the object is unknown`,
      { cause: error },
    );
  }
  return new ProviderFailure(error.details === "" || error.details === undefined ? error.message : error.details, {
    cause: error,
    recorded: initFailureOf(error),
    code: failureCodeOf(error),
  });
}
