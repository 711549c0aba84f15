import type { ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  type DiffResponse,
  GetSchemaRequest,
  type GetSchemaResponse,
  InvokeRequest,
  type InvokeResponse,
  ListRequest,
  type ListResponse,
  PropertyDiff,
  ProviderHandshakeRequest,
  type ProviderHandshakeResponse,
  ReadRequest,
  type ReadResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { failureCodeOf } from "../../../protocol/failure-code";
import { initFailureOf } from "../../../protocol/init-failure";
import { fromStruct, type PropertyJson, toStruct } from "../../../protocol/properties";
import type { Values } from "../../values";

/** A call that failed, as an engine sees it. */
export class CallError extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly recorded: { id: string; properties: Values; reasons: readonly string[] } | undefined,
    /** What kind of failure it is, of this package's list. */
    readonly failure: string | undefined,
  ) {
    super(message);
  }
}

export const urnOf = (kind: string, name: string): string =>
  `urn:pulumi:dev::demo::modelplatform:index:${kind}::${name}`;

/** What an engine asks of a plugin, in the protocol's messages. */
export class PluginCalls {
  constructor(protected readonly client: ResourceProviderClient) {}

  async handshake(): Promise<ProviderHandshakeResponse.AsObject> {
    const request = new ProviderHandshakeRequest().setEngineAddress("127.0.0.1:1");
    return (await this.call<ProviderHandshakeResponse>((done) => this.client.handshake(request, done))).toObject();
  }

  async schema(version: number): Promise<string> {
    const request = new GetSchemaRequest().setVersion(version);
    return (await this.call<GetSchemaResponse>((done) => this.client.getSchema(request, done))).getSchema();
  }

  async configure(config: Values, urn?: string): Promise<void> {
    const request = new ConfigureRequest().setArgs(struct(config));
    if (urn !== undefined) request.setUrn(urn);
    await this.call<unknown>((done) => this.client.configure(request, done));
  }

  async checkConfig(news: Values, urn = "urn:pulumi:dev::demo::pulumi:providers:modelplatform::eu") {
    const request = new CheckRequest().setUrn(urn).setNews(struct(news));
    return checked(await this.call<CheckResponse>((done) => this.client.checkConfig(request, done)));
  }

  async diffConfig(olds: Values, news: Values) {
    const request = new DiffRequest().setOlds(struct(olds)).setOldInputs(struct(olds)).setNews(struct(news));
    return compared(await this.call<DiffResponse>((done) => this.client.diffConfig(request, done)));
  }

  async check(
    kind: string,
    name: string,
    news: Values,
    olds: Values = {},
    autonaming?: CheckRequest.AutonamingOptions,
  ) {
    const request = new CheckRequest().setUrn(urnOf(kind, name)).setOlds(struct(olds)).setNews(struct(news));
    request.setAutonaming(autonaming);
    return checked(await this.call<CheckResponse>((done) => this.client.check(request, done)));
  }

  async diff(
    kind: string,
    name: string,
    id: string,
    { olds, oldInputs, news }: Record<"olds" | "oldInputs" | "news", Values>,
  ) {
    const request = new DiffRequest().setUrn(urnOf(kind, name)).setId(id);
    request.setOlds(struct(olds)).setOldInputs(struct(oldInputs)).setNews(struct(news));
    return compared(await this.call<DiffResponse>((done) => this.client.diff(request, done)));
  }

  async create(kind: string, name: string, inputs: Values, { preview = false, timeout = 0 } = {}) {
    const request = new CreateRequest().setUrn(urnOf(kind, name)).setProperties(struct(inputs));
    request.setPreview(preview).setTimeout(timeout);
    const answer = await this.call<CreateResponse>((done) => this.client.create(request, done));
    return { id: answer.getId(), outputs: fromStruct(answer.getProperties()) as Values };
  }

  /** Check, then create. */
  async made(kind: string, name: string, news: Values) {
    const { inputs, failures } = await this.check(kind, name, news);
    expect(failures).toEqual([]);
    return { inputs, ...(await this.create(kind, name, inputs)) };
  }

  /** Without properties it is an import. */
  async read(
    kind: string,
    name: string,
    id: string,
    { properties, inputs }: { properties?: Values; inputs?: Values } = {},
  ) {
    const request = new ReadRequest().setUrn(urnOf(kind, name)).setId(id);
    if (properties) request.setProperties(struct(properties));
    if (inputs) request.setInputs(struct(inputs));
    const answer = await this.call<ReadResponse>((done) => this.client.read(request, done));
    return {
      id: answer.getId(),
      outputs: answer.hasProperties() ? (fromStruct(answer.getProperties()) as Values) : undefined,
      inputs: answer.hasInputs() ? (fromStruct(answer.getInputs()) as Values) : undefined,
    };
  }

  async update(kind: string, name: string, id: string, olds: Values, news: Values, { preview = false } = {}) {
    const request = new UpdateRequest().setUrn(urnOf(kind, name)).setId(id).setPreview(preview);
    request.setOlds(struct(olds)).setNews(struct(news));
    return fromStruct(
      (await this.call<UpdateResponse>((done) => this.client.update(request, done))).getProperties(),
    ) as Values;
  }

  async delete(kind: string, name: string, id: string, properties: Values): Promise<void> {
    const request = new DeleteRequest().setUrn(urnOf(kind, name)).setId(id).setProperties(struct(properties));
    await this.call<unknown>((done) => this.client.delete(request, done));
  }

  async invoke(name: string, args: Values, { preview = false } = {}): Promise<Values> {
    const request = new InvokeRequest().setTok(`modelplatform:index:${name}`).setArgs(struct(args)).setPreview(preview);
    return fromStruct(
      (await this.call<InvokeResponse>((done) => this.client.invoke(request, done))).getReturn(),
    ) as Values;
  }

  /** Resolves to what is listed, `unknown` standing for an answer that is not known yet. */
  list(kind: string, query: Values = {}, limit = 0): Promise<unknown[]> {
    const request = new ListRequest().setToken(`modelplatform:index:${kind}`).setQuery(struct(query)).setLimit(limit);
    return new Promise((resolve, reject) => {
      const found: unknown[] = [];
      this.client
        .list(request)
        .on("data", (answer: ListResponse) =>
          found.push(answer.hasComputed() ? "unknown" : answer.getResult()!.toObject()),
        )
        .on("error", (error: ServiceError) => reject(callError(error)))
        .on("end", () => resolve(found));
    });
  }

  async cancel(): Promise<void> {
    await this.call<unknown>((done) => this.client.cancel(new Empty(), done));
  }

  /** Asks for an object, and gives the call up at once. */
  cancelled(id: string): Promise<unknown> {
    const request = new ReadRequest().setUrn(urnOf("User", "ada")).setId(id);
    return new Promise((resolve) => this.client.read(request, resolve).cancel());
  }

  /** The status that each of these messages is answered with, which nothing has encoded. */
  sendRaw(path: string, messages: readonly Buffer[]): Promise<number[]> {
    const send = (message: Buffer): Promise<number> =>
      new Promise((resolve) =>
        this.client.makeUnaryRequest(path, Buffer.from, Buffer.from, message, (error) => resolve(error?.code ?? 0)),
      );
    return Promise.all(messages.map(send));
  }

  private call<T>(send: (done: (error: ServiceError | null, answer: T) => void) => unknown): Promise<T> {
    return new Promise((resolve, reject) =>
      send((error, answer) => (error ? reject(callError(error)) : resolve(answer))),
    );
  }
}

const callError = (error: ServiceError): CallError =>
  new CallError(error.details, error.code, initFailureOf(error), failureCodeOf(error));

const struct = (values: Values): Struct => toStruct(values as { [key: string]: PropertyJson });

const checked = (answer: CheckResponse) => ({
  inputs: fromStruct(answer.getInputs()) as Values,
  failures: answer.getFailuresList().map((failure) => failure.toObject()),
});

const kinds = Object.fromEntries(Object.entries(PropertyDiff.Kind).map(([name, number]) => [number, name]));

function compared(answer: DiffResponse) {
  const detailed: Record<string, string> = {};
  answer.getDetaileddiffMap().forEach((diff, path: string) => {
    detailed[path] = `${kinds[diff.getKind()]}${diff.getInputdiff() ? "" : " (not an input)"}`;
  });
  return {
    changes: { 0: "unknown", 1: "none", 2: "some" }[answer.getChanges()],
    diffs: answer.getDiffsList(),
    replaces: answer.getReplacesList(),
    stables: answer.getStablesList(),
    deleteBeforeReplace: answer.getDeletebeforereplace(),
    detailed,
  };
}
