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
import { type InitFailure, initFailureOf } from "../../protocol/init-failure";
import { fromStruct, toStruct } from "../../protocol/properties";
import {
  type CheckedInputs,
  type DiffArguments,
  OutcomeUnknownError,
  type ProtocolDiff,
  type ProviderCalls,
  type ReportedObject,
} from "../../protocol/provider-calls";
import { parseUrn } from "../state/resource-state";

interface AboutResource<Request> {
  setUrn(urn: string): Request;
  setName(name: string): Request;
  setType(type: string): Request;
}

/** Fields of every message about a resource. */
function about<Request extends AboutResource<Request>>(request: Request, urn: string): Request {
  const { name, type } = parseUrn(urn);
  return request.setUrn(urn).setName(name).setType(type);
}

/** The calls as messages to a provider's process. */
export const processCalls = (client: ResourceProviderClient): ProviderCalls => ({
  async configure(args) {
    const request = new ConfigureRequest().setArgs(toStruct(args)).setAcceptsecrets(true).setAcceptresources(true);
    request.setSendsOldInputs(true).setSendsOldInputsToDelete(true);
    const answer = await call<ConfigureResponse>("configure", (done) => client.configure(request, done));
    return {
      secrets: answer.getAcceptsecrets(),
      references: answer.getAcceptresources(),
      previews: answer.getSupportspreview(),
    };
  },

  async checkConfig({ urn, news }) {
    const request = about(new CheckRequest(), urn).setNews(toStruct(news));
    const answer = await call<CheckResponse>("checkConfig", (done) => client.checkConfig(request, done), "unanswered");
    return answer && checkedIn(answer);
  },

  async diffConfig(comparing) {
    const request = comparison(comparing);
    const answer = await call<DiffResponse>("diffConfig", (done) => client.diffConfig(request, done), "unanswered");
    return answer && comparedIn(answer);
  },

  async check({ urn, olds, news }) {
    const request = about(new CheckRequest(), urn).setOlds(toStruct(olds)).setNews(toStruct(news));
    return checkedIn(await call<CheckResponse>("check", (done) => client.check(request, done)));
  },

  async diff({ ignoreChanges, ...comparing }) {
    const request = comparison(comparing).setIgnorechangesList([...ignoreChanges]);
    return comparedIn(await call<DiffResponse>("diff", (done) => client.diff(request, done)));
  },

  async create({ urn, properties, timeout, preview }) {
    const request = about(new CreateRequest(), urn).setProperties(toStruct(properties));
    request.setTimeout(timeout).setPreview(preview);
    const answer = await callOrInitFailure<CreateResponse>("create", (done) => client.create(request, done));
    return "reasons" in answer
      ? reportedIn(answer)
      : { id: answer.getId(), properties: fromStruct(answer.getProperties()) };
  },

  async update({ urn, id, oldInputs, olds, news, ignoreChanges, timeout, preview }) {
    const request = about(new UpdateRequest(), urn).setId(id).setOldInputs(toStruct(oldInputs));
    request.setOlds(toStruct(olds)).setNews(toStruct(news)).setTimeout(timeout).setPreview(preview);
    request.setIgnorechangesList([...ignoreChanges]);
    const answer = await callOrInitFailure<UpdateResponse>("update", (done) => client.update(request, done));
    return "reasons" in answer ? reportedIn(answer) : { properties: fromStruct(answer.getProperties()) };
  },

  async delete({ urn, id, properties, oldInputs, timeout }) {
    const request = about(new DeleteRequest(), urn).setId(id).setProperties(toStruct(properties));
    request.setOldInputs(toStruct(oldInputs)).setTimeout(timeout);
    await call("delete", (done) => client.delete(request, done));
    return "deleted";
  },

  async read({ urn, id, properties, inputs }) {
    const request = about(new ReadRequest(), urn).setId(id);
    if (properties) request.setProperties(toStruct(properties));
    if (inputs) request.setInputs(toStruct(inputs));
    const answer = await callOrInitFailure<ReadResponse>("read", (done) => client.read(request, done));
    if ("reasons" in answer) return reportedIn(answer);
    const readInputs = answer.getInputs();
    return {
      id: answer.getId(),
      properties: fromStruct(answer.getProperties()),
      inputs: readInputs && fromStruct(readInputs),
    };
  },

  async invoke({ token, args, preview }) {
    const request = new InvokeRequest().setTok(token).setArgs(toStruct(args));
    request.setPreview?.(preview);
    const answer = await call<InvokeResponse>("invoke", (done) => client.invoke(request, done));
    const [failure] = answer.getFailuresList();
    if (failure) throw new Error([failure.getProperty(), failure.getReason()].filter(Boolean).join(": "));
    return fromStruct(answer.getReturn());
  },
});

const comparison = ({ urn, id, oldInputs, olds, news }: DiffArguments): DiffRequest =>
  about(new DiffRequest(), urn)
    .setId(id)
    .setOldInputs(toStruct(oldInputs))
    .setOlds(toStruct(olds))
    .setNews(toStruct(news));

const checkedIn = (answer: CheckResponse): CheckedInputs => ({
  inputs: fromStruct(answer.getInputs()),
  failures: answer
    .getFailuresList()
    .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
});

const reportedIn = ({ id, properties, inputs, reasons }: InitFailure): ReportedObject => ({
  id,
  properties: fromStruct(properties),
  inputs: inputs && fromStruct(inputs),
  reasons,
});

/** What a provider's message says of differences. */
function comparedIn(answer: DiffResponse): ProtocolDiff {
  const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;
  const detailed = new Map<string, { replaces: boolean }>();
  answer.getDetaileddiffMap().forEach((diff: PropertyDiff, path: string) => {
    const replaces = [ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE].some((kind) => kind === diff.getKind());
    detailed.set(path, { replaces });
  });
  const changed = answer.getChanges() === DIFF_SOME ? "some" : "unknown";
  return {
    changes: answer.getChanges() === DIFF_NONE ? "none" : changed,
    replaces: answer.getReplacesList(),
    diffs: answer.getDiffsList(),
    detailed,
    deleteBeforeReplace: answer.getDeletebeforereplace(),
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

type GrpcInvocation<Answer> = (done: (error: ServiceError | null, answer: Answer) => void) => ClientUnaryCall;

export function call<Answer>(what: ResourceMethod, invoke: GrpcInvocation<Answer>): Promise<Answer>;
/** Resolves to undefined where the provider does not have the method. */
export function call<Answer>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Answer>,
  otherwise: "unanswered",
): Promise<Answer | undefined>;
export function call<Answer>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Answer>,
  otherwise?: "unanswered",
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    invoke((error, answer) => {
      if (!error) resolve(answer);
      else if (otherwise && error.code === status.UNIMPLEMENTED) resolve(undefined);
      else reject(failureOf(error, what));
    });
  });
}

function callOrInitFailure<Answer extends object>(
  what: ResourceMethod,
  invoke: GrpcInvocation<Answer>,
): Promise<Answer | InitFailure> {
  return new Promise((resolve, reject) => {
    invoke((error, answer) => {
      const initFailure = error ? initFailureOf(error) : undefined;
      if (initFailure) resolve(initFailure);
      else if (error) reject(failureOf(error, what));
      else resolve(answer);
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
  return new Error(error.details === "" || error.details === undefined ? error.message : error.details, {
    cause: error,
  });
}
