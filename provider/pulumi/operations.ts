import { sanitizeOutput } from "../../io/text/printable";
import type { SettingSources } from "../api/settings/sources";
import type { HiddenContext } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { AbortedError, isModelPlatformError } from "../core/errors";
import { type Call, InitFailedError, type ResourceLifecycle, type Values } from "../lifecycle/types";
import type { Interruption } from "./interruption";
import type { ResourceReporter } from "./reporter";

/** Settings as the engine gives them; the environment's come after. */
export type EngineSettings = Pick<SettingSources, "config" | "provider">;

/** What the life cycles need, ready to use. */
export interface LifecycleHost {
  lifecycleOf(spec: ResourceSpec): ResourceLifecycle;
  /** Masks secrets in a text that is let out. */
  redact(text: string): string;
}

/** What a process that serves resources is given, whichever protocol it speaks. */
export interface HostEnvironment<O extends LifecycleHost> {
  /** Resolves settings and makes the client; called once, at the first operation. */
  open(settings: EngineSettings): Promise<O>;
  reporterFor(urn: string): ResourceReporter;
  interruption: Interruption;
  /** Lets stacks of errors out. */
  debug: boolean;
}

/** Which resource a call is about. */
export interface CallSubject {
  hidden: HiddenContext;
  spec: ResourceSpec;
  /** Its URN as the engine knows it. */
  urn: string;
  /** How long the engine gives the operation, in seconds; undefined leaves it to the program and the declaration. */
  timeout?: number | undefined;
  /** Makes a text about it readable for its program. */
  wording?: (text: string) => string;
}

export interface ResourceRequest<O extends LifecycleHost> extends CallSubject {
  opened: O;
  lifecycle: ResourceLifecycle;
  call: Call;
}

/** Why an operation failed, fit to be shown. */
export class OperationFailure extends Error {
  override readonly name = "Failure";
  /** The object is there anyway, and this is what to record of it. */
  readonly recorded: { id: string; outputs: Values; reasons: string[] } | undefined;
  /** Its stack, which only a debugging user sees. */
  readonly trace: string;

  constructor(error: unknown, readable: (text: string) => string) {
    super(readable(messageOf(error)), { cause: error });
    this.trace = readable((error instanceof Error && error.stack) || "");
    if (error instanceof InitFailedError)
      this.recorded = { id: error.id, outputs: error.outputs, reasons: error.reasons.map(readable) };
  }
}

/**
 * Runs operations on resources, for any host: dynamic provider and plugin differ in what they are told and in how they
 * answer.
 */
interface Operations<O extends LifecycleHost> {
  /** Takes the settings; nothing is looked at before the first operation. */
  configure(settings: EngineSettings): void;
  openHost(): Promise<O>;
  /** Rejects with a `Failure` alone. */
  run<T>(subject: () => CallSubject, work: (operation: ResourceRequest<O>) => Promise<T>): Promise<T>;
}

export function createOperations<O extends LifecycleHost>(environment: HostEnvironment<O>): Operations<O> {
  const { open, reporterFor, interruption } = environment;
  let settings: EngineSettings = {};
  let ready: Promise<O> | undefined;
  const openHost = (): Promise<O> => (ready ??= open(settings));

  return {
    configure(engineSettings) {
      settings = engineSettings;
    },
    openHost,
    async run(subject, work) {
      let redact = (text: string): string => text;
      let wording = (text: string): string => text;
      try {
        if (interruption.signal.aborted) throw new AbortedError("this operation was interrupted before it began");
        const about = subject();
        wording = about.wording ?? wording;
        const reporter = reporterFor(about.urn);
        const ready = await openHost();
        redact = (text) => wording(ready.redact(text));
        const { hidden, spec, timeout } = about;
        const call: Call = {
          hidden,
          reporter: withReadableText(reporter, redact),
          signal: interruption.signal,
          timeout: timeout || undefined,
        };
        const operation = { ...about, opened: ready, lifecycle: ready.lifecycleOf(spec), call };
        return await interruption.during(() => reporter.during(() => work(operation)));
      } catch (error) {
        throw new OperationFailure(error, (text) => sanitizeOutput(redact(text)));
      }
    },
  };
}

const withReadableText = (reporter: ResourceReporter, redact: (text: string) => string): Call["reporter"] => ({
  status: (text) => reporter.status(redact(text)),
  info: (text) => reporter.info(redact(text)),
  warn: (text) => reporter.warn(redact(text)),
});

function messageOf(error: unknown): string {
  if (error instanceof InitFailedError || isModelPlatformError(error)) return error.message;
  return `${String(error)}. This is a bug in pulumi-modelplatform; set MODELPLATFORM_DEBUG=1 to see where it happens, and report it`;
}
