import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  DiffResponse,
  ReadRequest,
  type ReadResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { InitFailure } from "../../protocol/init-failure";
import { toStruct } from "../../protocol/properties";
import type { PropertyMap } from "../../state/types";
import { restoreAssetContents, withoutAssetContents } from "../values/assets";
import { forProvider, fromProvider } from "../values/properties";
import { parseUrn } from "../values/urns";
import { containsUnknowns, markSecretsLike } from "../values/values";
import type { Plugin } from "./plugins";
import type {
  CheckAnswer,
  CheckCall,
  CreateCall,
  DeleteCall,
  DiffAnswer,
  DiffCall,
  Live,
  ReadAnswer,
  ReadCall,
  ResourceProvider,
  UpdateCall,
} from "./provider";
import { call, callOrInitFailure } from "./provider-call";

const send = (properties: PropertyMap): Struct => toStruct(forProvider(properties));
/** Old values and values to compare go without the contents of assets. */
const sendElided = (properties: PropertyMap): Struct => toStruct(forProvider(withoutAssetContents(properties)));

interface AboutResource<Request> {
  setUrn(urn: string): Request;
  setName(name: string): Request;
  setType(type: string): Request;
}

/** What every message says of the resource it is about. */
function about<Request extends AboutResource<Request>>(request: Request, urn: string): Request {
  const { name, type } = parseUrn(urn);
  return request.setUrn(urn).setName(name).setType(type);
}

/**
 * One instance of the SDK's dynamic provider. It understands neither secrets nor references nor previews of create and
 * update: properties go out in the clear, and answers are marked like what went out.
 */
export class DynamicProvider implements ResourceProvider {
  private client: Promise<ResourceProviderClient> | undefined;

  /** `config` with unknowns inside: the provider cannot be configured, and answers as far as that goes. */
  constructor(
    private readonly start: () => Plugin,
    private readonly config: PropertyMap,
  ) {}

  private get configured(): boolean {
    return !containsUnknowns(this.config);
  }

  /** Starts and configures the process at its first use. */
  private connect(): Promise<ResourceProviderClient> {
    this.client ??= this.start().ready.then(async (client) => {
      const request = new ConfigureRequest().setArgs(send(this.config)).setAcceptsecrets(true).setAcceptresources(true);
      await call("configure", (done) => client.configure(request, done));
      return client;
    });
    return this.client;
  }

  async check({ urn, preview, olds, news }: CheckCall): Promise<CheckAnswer> {
    if (!this.configured) return { inputs: news, failures: [] };
    const client = await this.connect();
    const request = about(new CheckRequest(), urn).setOlds(send(olds)).setNews(send(news));
    const answer = await call<CheckResponse>("check", (done) => client.check(request, done));
    return {
      inputs: markSecretsLike(fromProvider(answer.getInputs(), "check", preview), news),
      failures: answer
        .getFailuresList()
        .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
    };
  }

  async diff({ urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffCall): Promise<DiffAnswer> {
    if (!this.configured)
      return { changes: "some", replaces: [], changed: [], deleteBeforeReplace: false, unavailable: unknownConfig };
    const client = await this.connect();
    const request = about(new DiffRequest(), urn).setId(id);
    request
      .setOldInputs(sendElided(oldInputs))
      .setOlds(sendElided(oldOutputs))
      .setNews(sendElided(newInputs))
      .setIgnorechangesList([...ignoreChanges]);
    const answer = await call<DiffResponse>("diff", (done) => client.diff(request, done));
    const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
    const changes = answer.getChanges();
    return {
      changes: changes === DIFF_NONE ? "none" : changes === DIFF_SOME ? "some" : "unknown",
      replaces: answer.getReplacesList(),
      changed: answer.getDiffsList(),
      deleteBeforeReplace: answer.getDeletebeforereplace(),
    };
  }

  async create({ urn, preview, inputs, timeout }: CreateCall): Promise<Live> {
    if (preview) return { id: "", outputs: this.configured ? inputs : {} };
    const client = await this.connect();
    const request = about(new CreateRequest(), urn).setProperties(send(inputs)).setTimeout(timeout);
    const answer = await callOrInitFailure<CreateResponse>("create", (done) => client.create(request, done));
    const live =
      "reasons" in answer
        ? fromInitFailure(answer, inputs)
        : { id: answer.getId(), outputs: marked(answer.getProperties(), inputs, "create") };
    if (live.id === "")
      throw new Error("the provider answered no id from create, so that the object cannot be recorded");
    return live;
  }

  async update(request: UpdateCall): Promise<Live> {
    const { urn, preview, id, oldInputs, oldOutputs, newInputs, timeout, ignoreChanges } = request;
    if (preview) return { id, outputs: this.configured ? newInputs : {} };
    const client = await this.connect();
    const message = about(new UpdateRequest(), urn).setId(id);
    message.setOlds(sendElided(oldOutputs)).setNews(send(newInputs)).setOldInputs(sendElided(oldInputs));
    message.setTimeout(timeout).setIgnorechangesList([...ignoreChanges]);
    const answer = await callOrInitFailure<UpdateResponse>("update", (done) => client.update(message, done));
    return "reasons" in answer
      ? { ...fromInitFailure(answer, newInputs), id }
      : { id, outputs: marked(answer.getProperties(), newInputs, "update") };
  }

  async delete({ urn, id, inputs, outputs, timeout }: DeleteCall): Promise<void> {
    const client = await this.connect();
    const request = about(new DeleteRequest(), urn).setId(id);
    request.setProperties(sendElided(outputs)).setOldInputs(sendElided(inputs)).setTimeout(timeout);
    await call("delete", (done) => client.delete(request, done));
  }

  async read({ urn, id, inputs, state }: ReadCall): Promise<ReadAnswer | undefined> {
    if (!this.configured) return { id, outputs: {} };
    const client = await this.connect();
    const request = about(new ReadRequest(), urn).setId(id);
    request.setProperties(sendElided(state)).setInputs(sendElided(inputs));
    const answer = await callOrInitFailure<ReadResponse>("read", (done) => client.read(request, done));
    const failed = "reasons" in answer;
    const liveId = failed ? answer.id : answer.getId();
    if (liveId === "") return undefined;
    const liveInputs = failed ? answer.inputs : answer.getInputs();
    const outputs = marked(failed ? answer.properties : answer.getProperties(), state, "read");
    return {
      id: liveId,
      outputs: restoreAssetContents(outputs, inputs),
      ...(liveInputs === undefined ? {} : { inputs: restoreAssetContents(marked(liveInputs, inputs, "read"), inputs) }),
      ...(failed ? { initErrors: answer.reasons } : {}),
    };
  }
}

const unknownConfig =
  "The provider of this resource has inputs that are not known during a preview, so this preview may not show what the update will change.";

const marked = (answer: Struct | undefined, sent: PropertyMap, what: string): PropertyMap =>
  markSecretsLike(fromProvider(answer, what, false), sent);

const fromInitFailure = (failure: InitFailure, sent: PropertyMap): Live => ({
  id: failure.id,
  outputs: marked(failure.properties, sent, "the failed operation"),
  initErrors: failure.reasons,
});
