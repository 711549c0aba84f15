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
  type DiffResponse,
  InvokeRequest,
  type InvokeResponse,
  ReadRequest,
  type ReadResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { InitFailure } from "../../protocol/init-failure";
import { toStruct } from "../../protocol/properties";
import type { PropertyMap } from "../../state/types";
import { parseUrn } from "../../state/urns";
import { restoreAssetContents } from "../values/assets";
import { forReceiver, fromProvider } from "../values/properties";
import { containsUnknowns, markSecretsLike } from "../values/values";
import { diffAnswerOf } from "./diff-answer";
import { elidingSender, type Manner, mannerOf, received, sender } from "./manner";
import type { Plugin } from "./plugins";
import type {
  CheckAnswer,
  CheckCall,
  CreateCall,
  DeleteCall,
  DiffAnswer,
  DiffCall,
  InvokeCall,
  Live,
  ReadAnswer,
  ReadCall,
  ResourceProvider,
  UpdateCall,
} from "./provider";
import { call, callOrInitFailure } from "./provider-call";

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

interface Connection {
  client: ResourceProviderClient;
  manner: Manner;
}

/** One instance of a provider in its own process. */
export class RemoteProvider implements ResourceProvider {
  private process: Plugin | undefined;
  private connection: Promise<Connection> | undefined;

  /**
   * `config` with unknowns inside: the provider cannot be configured, and answers as far as that goes. `manner`: where
   * it is known; others tell.
   */
  constructor(
    private readonly start: () => Plugin,
    private config: PropertyMap,
    private readonly manner?: Manner,
  ) {}

  configure(config: PropertyMap): void {
    this.config = config;
  }

  private get configured(): boolean {
    return !containsUnknowns(this.config);
  }

  /** Starts the process at its first use. */
  private async client(): Promise<ResourceProviderClient> {
    this.process ??= this.start();
    return this.process.ready;
  }

  private connect(): Promise<Connection> {
    this.connection ??= this.client().then(async (client) => {
      const sent = forReceiver(this.config, { secrets: this.manner === undefined, references: false });
      const request = new ConfigureRequest().setArgs(toStruct(sent)).setAcceptsecrets(true).setAcceptresources(true);
      request.setSendsOldInputs(true).setSendsOldInputsToDelete(true);
      const answer = await call<ConfigureResponse>("configure", (done) => client.configure(request, done));
      return { client, manner: this.manner ?? mannerOf(answer) };
    });
    return this.connection;
  }

  /** The SDK's dynamic provider accepts every configuration. */
  async checkConfig({ urn, news, preview }: CheckCall): Promise<CheckAnswer> {
    if (this.manner) return { inputs: news, failures: [] };
    const client = await this.client();
    const request = about(new CheckRequest(), urn).setNews(toStruct(news));
    const answer = await call<CheckResponse>("checkConfig", (done) => client.checkConfig(request, done), "unanswered");
    return answer ? checkAnswerOf(answer, preview) : { inputs: news, failures: [] };
  }

  /** Undefined: the provider does not say. */
  async diffConfig({ urn, id, oldInputs, oldOutputs, newInputs }: DiffCall): Promise<DiffAnswer | undefined> {
    if (this.manner) return undefined;
    const client = await this.client();
    const request = about(new DiffRequest(), urn).setId(id);
    request.setOldInputs(toStruct(oldInputs)).setOlds(toStruct(oldOutputs)).setNews(toStruct(newInputs));
    const answer = await call<DiffResponse>("diffConfig", (done) => client.diffConfig(request, done), "unanswered");
    return answer && diffAnswerOf(answer);
  }

  async check({ urn, preview, olds, news }: CheckCall): Promise<CheckAnswer> {
    if (!this.configured) return { inputs: news, failures: [] };
    const { client, manner } = await this.connect();
    const send = sender(manner);
    const request = about(new CheckRequest(), urn).setOlds(send(olds)).setNews(send(news));
    const answer = checkAnswerOf(await call<CheckResponse>("check", (done) => client.check(request, done)), preview);
    return { ...answer, inputs: manner.secrets ? answer.inputs : markSecretsLike(answer.inputs, news) };
  }

  async diff({ urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffCall): Promise<DiffAnswer> {
    if (!this.configured)
      return { changes: "some", replaces: [], changed: [], deleteBeforeReplace: false, unavailable: unknownConfig };
    const { client, manner } = await this.connect();
    const send = elidingSender(manner);
    const request = about(new DiffRequest(), urn).setId(id);
    request
      .setOldInputs(send(oldInputs))
      .setOlds(send(oldOutputs))
      .setNews(send(newInputs))
      .setIgnorechangesList([...ignoreChanges]);
    return diffAnswerOf(await call<DiffResponse>("diff", (done) => client.diff(request, done)));
  }

  async create({ urn, preview, inputs, timeout }: CreateCall): Promise<Live> {
    if (preview && !this.configured) return { id: "", outputs: {} };
    const { client, manner } =
      preview && this.manner ? { client: undefined, manner: this.manner } : await this.connect();
    if (client === undefined || (preview && !manner.previews)) return { id: "", outputs: inputs };
    const request = about(new CreateRequest(), urn).setProperties(sender(manner)(inputs));
    request.setTimeout(timeout).setPreview(preview);
    const answer = await callOrInitFailure<CreateResponse>("create", (done) => client.create(request, done));
    const live =
      "reasons" in answer
        ? fromInitFailure(answer, inputs, manner)
        : { id: answer.getId(), outputs: received(answer.getProperties(), inputs, "create", manner, preview) };
    if (live.id === "" && !preview)
      throw new Error("the provider answered no id from create, so that the object cannot be recorded");
    return live;
  }

  async update(request: UpdateCall): Promise<Live> {
    const { urn, preview, id, oldInputs, oldOutputs, newInputs, timeout, ignoreChanges } = request;
    if (preview && !this.configured) return { id, outputs: {} };
    const { client, manner } =
      preview && this.manner ? { client: undefined, manner: this.manner } : await this.connect();
    if (client === undefined || (preview && !manner.previews)) return { id, outputs: newInputs };
    const elided = elidingSender(manner);
    const message = about(new UpdateRequest(), urn).setId(id);
    message.setOlds(elided(oldOutputs)).setNews(sender(manner)(newInputs)).setOldInputs(elided(oldInputs));
    message
      .setTimeout(timeout)
      .setIgnorechangesList([...ignoreChanges])
      .setPreview(preview);
    const answer = await callOrInitFailure<UpdateResponse>("update", (done) => client.update(message, done));
    return "reasons" in answer
      ? { ...fromInitFailure(answer, newInputs, manner), id }
      : { id, outputs: received(answer.getProperties(), newInputs, "update", manner, preview) };
  }

  async delete({ urn, id, inputs, outputs, timeout }: DeleteCall): Promise<void> {
    const { client, manner } = await this.connect();
    const send = elidingSender(manner);
    const request = about(new DeleteRequest(), urn).setId(id);
    request.setProperties(send(outputs)).setOldInputs(send(inputs)).setTimeout(timeout);
    await call("delete", (done) => client.delete(request, done));
  }

  async read({ urn, id, inputs, state }: ReadCall): Promise<ReadAnswer | undefined> {
    if (!this.configured) return { id, outputs: {} };
    const { client, manner } = await this.connect();
    const send = elidingSender(manner);
    const request = about(new ReadRequest(), urn).setId(id);
    if (state || !manner.imports) request.setProperties(send(state ?? inputs)).setInputs(send(inputs));
    const answer = await callOrInitFailure<ReadResponse>("read", (done) => client.read(request, done));
    const failed = "reasons" in answer;
    const liveId = failed ? answer.id : answer.getId();
    if (liveId === "") return undefined;
    const liveInputs = failed ? answer.inputs : answer.getInputs();
    const outputs = received(failed ? answer.properties : answer.getProperties(), state ?? {}, "read", manner);
    return {
      id: liveId,
      outputs: restoreAssetContents(outputs, inputs),
      ...(liveInputs && { inputs: restoreAssetContents(received(liveInputs, inputs, "read", manner), inputs) }),
      ...(failed ? { initErrors: answer.reasons } : {}),
    };
  }

  async invoke({ token, args, preview }: InvokeCall): Promise<PropertyMap> {
    const { client, manner } = await this.connect();
    const request = new InvokeRequest().setTok(token).setArgs(sender(manner)(args));
    request.setPreview?.(preview);
    const answer = await call<InvokeResponse>("invoke", (done) => client.invoke(request, done));
    const [failure] = answer.getFailuresList();
    if (failure) throw new Error([failure.getProperty(), failure.getReason()].filter(Boolean).join(": "));
    return fromProvider(answer.getReturn(), "invoke", preview);
  }
}

const checkAnswerOf = (answer: CheckResponse, preview: boolean): CheckAnswer => ({
  inputs: fromProvider(answer.getInputs(), "check", preview),
  failures: answer
    .getFailuresList()
    .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
});

const unknownConfig =
  "The provider of this resource has inputs that are not known during a preview, so this preview may not show what the update will change.";

const fromInitFailure = (failure: InitFailure, sent: PropertyMap, manner: Manner): Live => ({
  id: failure.id,
  outputs: received(failure.properties, sent, "the failed operation", manner),
  initErrors: failure.reasons,
});
