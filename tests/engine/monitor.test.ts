import { credentials, type ServiceError, status } from "@grpc/grpc-js";
import { Callback } from "@pulumi/pulumi/proto/callback_pb";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import {
  GetRootResourceRequest,
  LogRequest,
  LogSeverity,
  SetRootResourceRequest,
} from "@pulumi/pulumi/proto/engine_pb";
import { InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorClient, ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import {
  type DeploymentInfo,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  ResourceInvokeRequest,
  SupportsFeatureRequest,
} from "@pulumi/pulumi/proto/resource_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { messageOf } from "../../engine/errors";
import { assemble } from "../../engine/operation";
import { Monitor } from "../../engine/program/monitor";
import { engineService, type LogMessage } from "../../engine/program/serving";
import { functionsOf } from "../../engine/run/builtins";
import { channelOptions, serve } from "../../protocol/server";
import { Cloud } from "./rig";

type Done<Answer> = (error: ServiceError | null, answer: Answer) => void;
const answerOf = <Answer>(invoke: (done: Done<Answer>) => unknown) =>
  new Promise<Answer>((resolve, reject) => invoke((error, answer) => (error ? reject(error) : resolve(answer))));

const logs: LogMessage[] = [];
const errors: string[] = [];
const cloud = new Cloud();
let firstError: Promise<string>;
let monitor: Monitor;
let close: () => Promise<void>;
let client: ResourceMonitorClient;
let engine: EngineClient;

beforeEach(async () => {
  logs.length = errors.length = 0;
  const { registrar, executor, context } = assemble({
    ...{
      operation: "up",
      preview: false,
      project: "p",
      stack: "dev",
      choices: {},
      parallel: 2,
      configSecrets: [],
    },
    snapshot: { manifest: { time: "", magic: "", version: "" }, resources: [], pendingOperations: [] },
    commit: () => Promise.resolve(),
    permitted: async () => undefined,
    emit: () => undefined,
    clock: () => new Date(0),
    makeProvider: (_, config) => cloud.serve(config),
    configOf: () => ({}),
  });
  firstError = new Promise((resolve) => {
    const onError = (error: unknown) => {
      errors.push(messageOf(error));
      resolve(messageOf(error));
    };
    monitor = new Monitor({
      registrar,
      invoke: functionsOf({ context, executor, registrar }),
      folders: { project: "/", program: "/" },
      onError,
    });
  });
  const server = await serve([monitor.service, engineService((message) => logs.push(message))]);
  client = new ResourceMonitorClient(server.address, credentials.createInsecure(), channelOptions);
  engine = new EngineClient(server.address, credentials.createInsecure(), channelOptions);
  close = server.close;
});

afterEach(async () => {
  client.close();
  engine.close();
  await close();
});

const box = (name: string, props = {}) =>
  new RegisterResourceRequest()
    .setType("pulumi-nodejs:dynamic:Box")
    .setName(name)
    .setCustom(true)
    .setObject(Struct.fromJavaScript({ label: name, ...props }))
    .setAcceptsecrets(true)
    .setAcceptresources(true);

test("a registration answers with the URN, the id and the outputs", async () => {
  const answer = await answerOf<{ getUrn(): string; getId(): string; getObject(): Struct | undefined }>((done) =>
    client.registerResource(box("a"), done),
  );
  expect(answer.getUrn()).toBe("urn:pulumi:dev::p::pulumi-nodejs:dynamic:Box::a");
  expect(answer.getObject()?.toJavaScript()).toMatchObject({ label: "a", size: 1 });
  const found = await answerOf<{ getReturn(): Struct | undefined }>((done) =>
    client.invoke(
      new ResourceInvokeRequest()
        .setTok("pulumi:pulumi:getResource")
        .setArgs(Struct.fromJavaScript({ urn: answer.getUrn() })),
      done,
    ),
  );
  expect(found.getReturn()?.toJavaScript()).toMatchObject({ id: answer.getId(), state: { label: "a" } });
});

test("a function is answered with the message that the SDK's service declares", async () => {
  class ResourceInvokeResponse extends InvokeResponse {}
  const declared = ResourceMonitorService.invoke as unknown as { responseType: unknown };
  const before = declared.responseType;
  declared.responseType = ResourceInvokeResponse;
  try {
    const registered = await answerOf<{ getUrn(): string }>((done) => client.registerResource(box("a"), done));
    const args = Struct.fromJavaScript({ urn: registered.getUrn() });
    const request = new ResourceInvokeRequest().setTok("pulumi:pulumi:getResource").setArgs(args);
    const { invoke } = monitor.service.implementation as { invoke(call: object, done: Done<unknown>): void };
    expect(await answerOf((done) => invoke({ request }, done))).toBeInstanceOf(ResourceInvokeResponse);
  } finally {
    declared.responseType = before;
  }
});

test("features that older SDKs ask for one by one are those of newer ones at once", async () => {
  const asked = { secrets: 0, resourceReferences: 1, outputValues: 2, aliasSpecs: 3, deletedWith: 5, replaceWith: 6 };
  const refused = { transforms: 7, invokeTransforms: 8, parameterization: 9, resourceHooks: 10, errorHooks: 11 };
  const all = { ...asked, ...refused };
  for (const id of Object.keys(all)) {
    const request = new SupportsFeatureRequest().setId(id);
    const answer = await answerOf<{ getHassupport(): boolean }>((done) => client.supportsFeature(request, done));
    expect([id, answer.getHassupport()]).toEqual([id, true]);
  }
  const info = await answerOf<DeploymentInfo>((done) => client.getDeploymentInfo(new Empty(), done));
  expect(info.getSupportedfeaturesList().sort((a, b) => a - b)).toEqual(Object.values(all).sort((a, b) => a - b));
});

test("calls that wait when the monitor closes learn that it is gone", async () => {
  cloud.gates.set("create b", new Promise(() => undefined));
  const waiting = answerOf((done) => client.registerResource(box("b"), done));
  monitor.shutdown();
  await expect(waiting).rejects.toMatchObject({ code: status.UNAVAILABLE });
  await expect(answerOf((done) => client.registerResource(box("c"), done))).rejects.toMatchObject({
    code: status.UNAVAILABLE,
  });
  expect(errors).toEqual([]);
});

test("an answer that was given when the engine ended arrives", async () => {
  cloud.gates.set("create b", new Promise(() => undefined));
  const waiting = answerOf((done) => client.registerResource(box("b"), done));
  const told = expect(waiting).rejects.toMatchObject({ code: status.UNAVAILABLE });
  // What comes by the same connection later is answered later.
  await answerOf((done) => client.supportsFeature(new SupportsFeatureRequest().setId("secrets"), done));
  monitor.shutdown();
  await close();
  await told;
});

test.each<[string, (done: Done<unknown>) => unknown]>([
  ["A stack transform", (done) => client.registerStackTransform(new Callback(), done)],
  ["An invoke transform", (done) => client.registerStackInvokeTransform(new Callback(), done)],
])("%s ends the operation with an error that names the Pulumi CLI", async (feature, ask) => {
  const asked = answerOf(ask);
  const gone = expect(asked).rejects.toMatchObject({ code: status.UNAVAILABLE });
  expect(await firstError).toMatch(new RegExp(`^${feature} is not supported by the built-in engine.*Pulumi CLI`));
  monitor.shutdown();
  await gone;
});

test("outputs of something that was never registered end the operation", async () => {
  const asked = answerOf((done) =>
    client.registerResourceOutputs(new RegisterResourceOutputsRequest().setUrn("urn:x"), done),
  );
  const gone = expect(asked).rejects.toMatchObject({ code: status.UNAVAILABLE });
  expect(await firstError).toBe("urn:x reports outputs, but its registration is not pending");
  monitor.shutdown();
  await gone;
});

test("an unknown function fails for the program, which may catch it", async () => {
  await expect(
    answerOf((done) => client.invoke(new ResourceInvokeRequest().setTok("aws:index:getRegion"), done)),
  ).rejects.toMatchObject({ details: expect.stringMatching(/aws:index:getRegion.*Pulumi CLI/) });
  expect(errors).toEqual([]);
});

test("the monitor claims exactly the features whose requests it understands", async () => {
  const supports = async (id: string) =>
    (
      await answerOf<{ getHassupport(): boolean }>((done) =>
        client.supportsFeature(new SupportsFeatureRequest().setId(id), done),
      )
    ).getHassupport();
  expect(
    await Promise.all(
      ["secrets", "resourceReferences", "outputValues", "aliasSpecs", "deletedWith", "transforms", "other"].map(
        supports,
      ),
    ),
  ).toEqual([true, true, true, true, true, true, false]);
  await answerOf((done) => client.signalAndWaitForShutdown(new Empty(), done));
});

test("log messages keep severity and resource, and the root resource is remembered", async () => {
  await answerOf((done) =>
    engine.log(
      new LogRequest().setSeverity(LogSeverity.WARNING).setMessage("careful").setUrn("urn:a").setEphemeral(true),
      done,
    ),
  );
  await answerOf((done) => engine.log(new LogRequest().setSeverity(LogSeverity.ERROR).setMessage("wrong"), done));
  expect(logs).toEqual([
    { severity: "warning", message: "careful", urn: "urn:a", ephemeral: true },
    { severity: "error", message: "wrong", ephemeral: false },
  ]);
  await answerOf((done) => engine.setRootResource(new SetRootResourceRequest().setUrn("urn:root"), done));
  const root = await answerOf<{ getUrn(): string }>((done) =>
    engine.getRootResource(new GetRootResourceRequest(), done),
  );
  expect(root.getUrn()).toBe("urn:root");
});
