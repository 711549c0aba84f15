import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  type DiffResponse,
  ErrorResourceInitFailed,
  ReadRequest,
  type ReadResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { lazySdk } from "../../../engine/processes/lazy-sdk";
import { type EngineStub, startEngine } from "./engine-stub";

const root = join(__dirname, "..", "..", "..");

type Values = Record<string, unknown>;

/** Why a create or update failed although the object is there. */
export interface InitFailure {
  id: string;
  properties: Values;
  reasons: string[];
}

/** A call that failed, as an engine sees it. */
export class DynamicCallError extends Error {
  constructor(
    message: string,
    readonly initFailure: InitFailure | undefined,
  ) {
    super(message);
  }
}

/** Pulumi's own dynamic-provider process, started as the built-in engine does, and called over its own protocol. */
export interface DynamicProcess {
  engine: EngineStub;
  /** What the process wrote to its output streams after the port. */
  output(): string;
  /** Resolves once a line like that has been written. */
  printed(pattern: RegExp): Promise<void>;
  configure(config: Values): Promise<void>;
  check(olds: Values, news: Values): Promise<{ inputs: Values; failures: { property: string; reason: string }[] }>;
  diff(
    id: string,
    olds: Values,
    news: Values,
  ): Promise<{ changes: number; replaces: string[]; deleteBeforeReplace: boolean }>;
  create(properties: Values): Promise<{ id: string; properties: Values }>;
  read(id: string, properties: Values): Promise<{ id: string; properties: Values; inputs: Values | undefined }>;
  update(id: string, olds: Values, news: Values): Promise<Values>;
  delete(id: string, properties: Values): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
}

// A process takes seconds to start where others run beside it.
jest.setTimeout(120_000);

const running: { kill(): void }[] = [];

afterAll(() => {
  for (const each of running) each.kill();
});

/** Starts the process in a project of its own, in which this package is installed unless `installed` is false. */
export async function startProcess({
  installed = true,
  env = {},
}: {
  installed?: boolean;
  env?: Record<string, string>;
} = {}): Promise<DynamicProcess> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "dynamic-"));
  mkdirSync(join(folder, "node_modules"));
  if (installed) symlinkSync(root, join(folder, "node_modules", "pulumi-modelplatform"), "junction");
  const engine = await startEngine();
  const script = join(root, "node_modules", "@pulumi", "pulumi", "cmd", "dynamic-provider", "index.js");
  const child = spawn(process.execPath, [...lazySdk(), script, engine.address], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      PULUMI_NODEJS_PROJECT: "demo",
      MODELPLATFORM_INTENTS: join(folder, "intents"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const awaited: { pattern: RegExp; resolve: () => void }[] = [];
  const keep = (line: string): void => {
    lines.push(line);
    for (const { pattern, resolve } of awaited) if (pattern.test(line)) resolve();
  };
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => (/^\d+$/.test(line) ? resolve(line) : keep(line)));
    createInterface({ input: child.stderr }).on("line", keep);
    void exited.then(() => reject(new Error(`the process ended early:\n${lines.join("\n")}`)));
  });
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  running.push({
    kill: () => {
      client.close();
      child.kill("SIGKILL");
      engine.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  });
  const printed = (pattern: RegExp): Promise<void> =>
    lines.some((line) => pattern.test(line))
      ? Promise.resolve()
      : new Promise((resolve) => awaited.push({ pattern, resolve }));
  return {
    engine,
    exited,
    printed,
    output: () => lines.join("\n"),
    signal: (signal) => void child.kill(signal),
    ...callsOf(client),
  };
}

type Callback<T> = (error: ServiceError | null, answer: T) => void;

function callsOf(
  client: ResourceProviderClient,
): Omit<DynamicProcess, "engine" | "exited" | "output" | "printed" | "signal"> {
  return {
    configure: async (config) =>
      void (await call<unknown>((done) => client.configure(new ConfigureRequest().setArgs(struct(config)), done))),
    check: async (olds, news) => {
      const answer = await call<CheckResponse>((done) =>
        client.check(new CheckRequest().setOlds(struct(olds)).setNews(struct(news)), done),
      );
      return {
        inputs: values(answer.getInputs()),
        failures: answer.getFailuresList().map((failure) => failure.toObject()),
      };
    },
    diff: async (id, olds, news) => {
      const answer = await call<DiffResponse>((done) =>
        client.diff(new DiffRequest().setId(id).setOlds(struct(olds)).setNews(struct(news)), done),
      );
      return {
        changes: answer.getChanges(),
        replaces: answer.getReplacesList(),
        deleteBeforeReplace: answer.getDeletebeforereplace(),
      };
    },
    create: async (properties) => {
      const answer = await call<CreateResponse>((done) =>
        client.create(new CreateRequest().setProperties(struct(properties)), done),
      );
      return { id: answer.getId(), properties: values(answer.getProperties()) };
    },
    read: async (id, properties) => {
      const answer = await call<ReadResponse>((done) =>
        client.read(new ReadRequest().setId(id).setProperties(struct(properties)), done),
      );
      return {
        id: answer.getId(),
        properties: values(answer.getProperties()),
        inputs: answer.hasInputs() ? values(answer.getInputs()) : undefined,
      };
    },
    update: async (id, olds, news) => {
      const answer = await call<UpdateResponse>((done) =>
        client.update(new UpdateRequest().setId(id).setOlds(struct(olds)).setNews(struct(news)), done),
      );
      return values(answer.getProperties());
    },
    delete: async (id, properties) =>
      void (await call<unknown>((done) =>
        client.delete(new DeleteRequest().setId(id).setProperties(struct(properties)), done),
      )),
  };
}

function call<T>(send: (done: Callback<T>) => unknown): Promise<T> {
  return new Promise((resolve, reject) =>
    send((error, answer) =>
      error ? reject(new DynamicCallError(error.details, initFailureOf(error))) : resolve(answer),
    ),
  );
}

function initFailureOf(error: ServiceError): InitFailure | undefined {
  const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
  const [any] = details instanceof Uint8Array ? Status.deserializeBinary(details).getDetailsList() : [];
  const failure = any?.unpack(ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
  return failure
    ? { id: failure.getId(), properties: values(failure.getProperties()), reasons: failure.getReasonsList() }
    : undefined;
}

const struct = (properties: Values): Struct => Struct.fromJavaScript(properties as { [key: string]: JavaScriptValue });

const values = (answer: Struct | undefined): Values => (answer?.toJavaScript() ?? {}) as Values;
