/**
 * The built-in engine with its child processes run in this one: programs run on the SDK's inline
 * runtime, and each provider process is a service of the package's own with a memory of its own. Import
 * this before anything that imports the engine.
 */
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import * as pulumi from "@pulumi/pulumi";
import {
  CheckFailure,
  CheckResponse,
  ConfigureResponse,
  CreateResponse,
  DiffResponse,
  ErrorResourceInitFailed,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { ChildExit } from "../../engine/processes/child";
import type { ProgramRunOptions } from "../../engine/processes/program";
import type { Launch, PluginHostOptions } from "../../engine/providers/plugins";
import type { createService } from "../../provider/pulumi/service";

type Values = Record<string, unknown>;
/** What answers for a provider process. */
export type InlineProvider = ReturnType<typeof createService>;

/** Gives a program settings of its own, as the SDK does for inline programs; its types leave it out. */
const { withLocalStorage } = require("@pulumi/pulumi/runtime/state") as {
  withLocalStorage<T>(work: () => Promise<T>): Promise<T>;
};

export type Environment = Readonly<Record<string, string>>;

/** What runs in a project's folder instead of processes. */
export interface Played {
  /** Resolves to the stack's outputs. */
  program(): unknown;
  /** A new process of dynamic resources that are not this package's, and its end. Default: there are none. */
  provider?(engineAddress: string, env: Environment): { service: InlineProvider; end(): void };
}

// Ports come again among thousands of servers, and the SDK's client of a new one would share
// the broken connection to the one before it.
const { grpcClientOptions } = require("@pulumi/pulumi/runtime/settings") as {
  grpcClientOptions: Record<string, unknown>;
};
grpcClientOptions["grpc.use_local_subchannel_pool"] = 1;

// The SDK takes a stack trace of every promise, and jest maps each of them to
// its source: most of the time would go there.
Error.stackTraceLimit = 0;

/** By the project's folder. */
export const played = new Map<string, Played>();

const playedIn = (folder: string): Played => {
  const found = played.get(folder);
  if (found === undefined) throw new Error(`nothing is registered to run in ${folder}`);
  return found;
};

jest.mock("../../engine/processes/program", () => ({
  ...jest.requireActual<object>("../../engine/processes/program"),
  startProgram: (options: ProgramRunOptions) => new InlineProgram(options),
}));

jest.mock("../../engine/providers/plugins", () => ({
  PluginHost: class {
    private readonly ends: (() => void)[] = [];
    constructor(private readonly options: PluginHostOptions) {}
    warm(): void {}
    start(launch?: Launch) {
      const { provider } = playedIn(this.options.folder);
      if (launch || !provider)
        throw new Error(`nothing is registered to run ${launch?.title ?? "others' dynamic resources"}`);
      const { service, end } = provider(this.options.engineAddress, this.options.env as Environment);
      this.ends.push(end);
      return { ready: Promise.resolve(clientOf(service, this.options.onLine)) };
    }
    interrupt(): void {}
    async close() {
      for (const end of this.ends) end();
    }
    kill(): void {}
  },
}));

/** A program on the SDK's inline runtime, with the settings that its process would be started with. */
class InlineProgram {
  readonly exited: Promise<ChildExit>;
  private finish!: (exit: ChildExit) => void;

  constructor(private readonly options: ProgramRunOptions) {
    this.exited = new Promise((resolve) => (this.finish = resolve));
    void withLocalStorage(async () => this.finish({ code: await this.run(), signal: null }));
  }

  private async run(): Promise<number> {
    const { project, stack, parallel, engineAddress, monitorAddress, preview, organization, config } = this.options;
    const { runtime } = pulumi;
    runtime.resetOptions(project.name, stack, parallel, engineAddress, monitorAddress, preview, organization);
    runtime.setAllConfig({ ...config.values }, [...config.secretKeys]);
    try {
      await runtime.runInPulumiStack(async () => playedIn(project.folder).program());
      await runtime.disconnect(true);
      return 0;
    } catch (error) {
      await runtime.disconnect(false).catch(() => undefined);
      if (!(error as { code?: number }).code) this.options.onLine(String((error as Error).stack ?? error), "stderr");
      return 1;
    }
  }

  signal(): void {
    this.finish({ code: null, signal: "SIGKILL" });
  }

  async end(): Promise<ChildExit> {
    this.finish({ code: null, signal: "SIGTERM" });
    return this.exited;
  }
}

interface Request {
  getId(): string;
  getOlds(): Struct;
  getNews(): Struct;
  getProperties(): Struct;
  getArgs(): Struct;
}

/** A method as the SDK's dynamic-provider process answers it. */
type Method = (request: Request, done: (error: ServiceError | null, answer?: unknown) => void) => void;

const read = (struct: Struct | undefined): Values => (struct?.toJavaScript() ?? {}) as Values;
const written = (values: Values, like: Values): Struct =>
  Struct.fromJavaScript({ ...values, __provider: like["__provider"] } as never);

function clientOf(service: InlineProvider, print: (line: string) => void): { [method: string]: Method | (() => void) } {
  const method =
    (answer: (request: Request) => Promise<unknown>): Method =>
    (request, done) =>
      void answer(request).then(
        (value) => done(null, value),
        (error: unknown) => {
          printAsSdk(error as Error, print);
          done(failureOf(error as Error & Partial<InitFailed>));
        },
      );
  return {
    close: () => undefined,
    cancel: () => undefined,
    configure: method(async (request) => {
      const config = read(request.getArgs()) as Record<string, string>;
      await service.configure({ config: { get: (key) => plain(config[key]) } });
      return new ConfigureResponse();
    }),
    check: method(async (request) => {
      const news = read(request.getNews());
      const { inputs, failures } = await service.check(read(request.getOlds()), news);
      const told = failures.map(({ property, reason }) => new CheckFailure().setProperty(property).setReason(reason));
      return new CheckResponse().setInputs(written(inputs, news)).setFailuresList(told);
    }),
    diff: method(async (request) => {
      const { changes, replaces, deleteBeforeReplace } = await service.diff(
        request.getId(),
        read(request.getOlds()),
        read(request.getNews()),
      );
      const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = DiffResponse.DiffChanges;
      return new DiffResponse()
        .setChanges(changes === true ? DIFF_SOME : changes === false ? DIFF_NONE : DIFF_UNKNOWN)
        .setReplacesList([...(replaces ?? [])])
        .setDeletebeforereplace(deleteBeforeReplace === true);
    }),
    create: method(async (request) => {
      const props = read(request.getProperties());
      const { id, outs } = await service.create(props);
      return new CreateResponse().setId(id).setProperties(written(outs, props));
    }),
    update: method(async (request) => {
      const news = read(request.getNews());
      const { outs } = await service.update(request.getId(), read(request.getOlds()), news);
      return new UpdateResponse().setProperties(written(outs, news));
    }),
    read: method(async (request) => {
      const props = read(request.getProperties());
      const found: { id: string; props: Values; inputs?: Values } = await service.read(request.getId(), props);
      const answer = new ReadResponse().setId(found.id ?? "").setProperties(written(found.props, props));
      return found.inputs ? answer.setInputs(written(found.inputs, props)) : answer;
    }),
    delete: method(async (request) => {
      await service.delete(request.getId(), read(request.getProperties()));
      return new Empty();
    }),
  };
}

/** The SDK's process prints whatever its provider throws, and its stack. */
function printAsSdk(error: Error, print: (line: string) => void): void {
  for (const line of `${String(error)}: ${error.stack}`.split("\n")) print(line);
}

/** A secret of an explicit provider's settings arrives wrapped. */
const plain = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? String((value as Values)["value"]) : (value as string | undefined);

interface InitFailed {
  id: string;
  properties: Values;
  reasons: string[];
}

function failureOf(error: Error & Partial<InitFailed>): ServiceError {
  const metadata = new Metadata();
  if (error.id !== undefined) {
    const detail = new ErrorResourceInitFailed().setId(error.id).setReasonsList(error.reasons ?? []);
    detail.setProperties(Struct.fromJavaScript((error.properties ?? {}) as never));
    const packed = new Any();
    packed.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const told = new Status().setCode(status.UNKNOWN).setMessage(error.message);
    told.addDetails(packed);
    metadata.add("grpc-status-details-bin", Buffer.from(told.serializeBinary()));
  }
  return Object.assign(new Error(error.message), { code: status.UNKNOWN, details: error.message, metadata });
}
