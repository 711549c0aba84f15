import { sanitizeOutput } from "../../io/text/printable";
import type { Naming } from "../../protocol/autonaming";
import type { Deletion } from "../../protocol/engine-state";
import { type CheckedInputs, type Properties, type ProtocolDiff, ProviderFailure } from "../../protocol/provider-calls";
import type { SettingSources } from "../api/settings/sources";
import type { CheckFailure } from "../core/check";
import type { HiddenContext } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { AbortedError, errorCodeOf, isModelPlatformError } from "../core/errors";
import { type Call, type Comparison, InitFailedError, type ResourceLifecycle, type Values } from "../lifecycle/types";
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

/** Dependencies of a process that serves resources, whichever protocol it speaks. */
export interface HostEnvironment<O extends LifecycleHost> {
  /** Resolves settings and makes the client; called once, at the first operation. */
  open(settings: EngineSettings): Promise<O>;
  reporterFor(urn: string): ResourceReporter;
  interruption: Interruption;
  /** Lets stacks of errors out. */
  debug: boolean;
}

/** What every call says of the resource that it is about. Properties are as the protocol carries them. */
export interface About {
  urn: string;
  /** Absent for an object that is not there yet. */
  id?: string;
  /** In seconds; 0 leaves it to the program and the declaration. */
  timeout?: number;
  /** As the program's option has them. */
  ignoreChanges?: readonly string[];
  /** How the stack names what the program leaves without an id. */
  naming?: Naming | undefined;
}

/** Which resource a call is about. */
export interface CallSubject {
  hidden: HiddenContext;
  spec: ResourceSpec;
  /** Its URN as the engine knows it. */
  urn: string;
  timeout?: number | undefined;
}

/** The two sides of a diff, as the life cycle takes them. */
interface Sides {
  /** The outputs as the engine has recorded them. */
  olds: Values;
  oldInputs: Values | undefined;
  outputs: Values;
  inputs: Values;
}

/** One call, as its convention reads it. */
interface Interpretation {
  /** Throws if this release does not serve the resource. */
  subject(): CallSubject;
  /** Makes a text readable for the program, without what only this call knows to be secret. */
  wording(text: string): string;
  failure(failure: CheckFailure): CheckFailure;
  /** Properties as the engine records them. */
  answer(subject: CallSubject, values: Values): Properties;
}

/** What differs by how an engine calls: for a dynamic resource, or for one of the plugin. */
export interface CallingConvention<Diff extends ProtocolDiff> {
  /** `properties`: all of the call's, the resource's own last. */
  interpret(about: About, properties: readonly Values[]): Interpretation;
  /** Properties as the life cycle takes them. */
  plain(values: Values): Values;
  /** Recorded outputs as the life cycle takes them. */
  recorded(spec: ResourceSpec, id: string, outputs: Values): Values;
  diff(spec: ResourceSpec, comparison: Comparison, sides: Sides): Diff;
  /** What is known before an object is created or changed. Absent: engines do not ask. */
  previews?: {
    create(spec: ResourceSpec, inputs: Values): Values;
    update(spec: ResourceSpec, outputs: Values, inputs: Values): Values;
  };
}

interface Operation extends CallSubject {
  lifecycle: ResourceLifecycle;
  call: Call;
  answer(values: Values): Properties;
  failure: Interpretation["failure"];
}

/** The calls about resources, whichever their kind. They reject with a `ProviderFailure` alone, unless abandoned. */
export function createOperations<O extends LifecycleHost, Diff extends ProtocolDiff>(
  { open, reporterFor, interruption, debug }: HostEnvironment<O>,
  convention: CallingConvention<Diff>,
) {
  const { plain, recorded, previews } = convention;
  let settings: EngineSettings = {};
  let ready: Promise<O> | undefined;
  const openHost = (): Promise<O> => (ready ??= open(settings));

  function operate<T>(
    about: About,
    properties: readonly Values[],
    work: (operation: Operation) => Promise<T>,
  ): Promise<T> {
    const { wording, failure, ...reading } = convention.interpret(about, properties);
    let readable = wording;
    let answer: Operation["answer"] | undefined;
    return interruption.during(async () => {
      try {
        if (interruption.signal.aborted) throw new AbortedError("this operation was interrupted before it began");
        const subject = reading.subject();
        const toEngine = (values: Values): Properties => reading.answer(subject, values);
        answer = toEngine;
        const { hidden, spec, urn, timeout } = subject;
        const reporter = reporterFor(urn);
        const opened = await openHost();
        readable = (text) => wording(opened.redact(text));
        const call: Call = {
          hidden,
          reporter: withReadableText(reporter, readable),
          signal: interruption.signal,
          timeout: timeout || undefined,
        };
        const lifecycle = opened.lifecycleOf(spec);
        return await reporter.during(() => work({ ...subject, lifecycle, call, failure, answer: toEngine }));
      } catch (error) {
        throw toFailure(error, { readable, debug, answer });
      }
    });
  }

  const deletion =
    <T>(work: (operation: Operation, id: string, outputs: Values) => Promise<T>) =>
    (about: About & { id: string; properties: Values }): Promise<T> =>
      operate(about, [about.properties], (operation) =>
        work(operation, about.id, recorded(operation.spec, about.id, about.properties)),
      );

  return {
    /** Takes the settings; nothing is looked at before the first operation. */
    useSettings(engineSettings: EngineSettings): void {
      settings = engineSettings;
    },
    openHost,

    check: (about: About & { olds: Values; news: Values }): Promise<CheckedInputs> =>
      operate(about, [about.olds, about.news], async ({ lifecycle, call, answer, failure }) => {
        const { inputs, failures, warnings } = await lifecycle.check(call, plain(about.olds), plain(about.news));
        for (const warning of warnings) call.reporter.warn(warning);
        return { inputs: answer(inputs), failures: failures.map(failure) };
      }),

    diff: (about: About & { id: string; olds: Values; oldInputs?: Values | undefined; news: Values }): Promise<Diff> =>
      operate(about, [about.olds, about.news], async ({ spec, lifecycle, call }) => {
        const [outputs, inputs] = [recorded(spec, about.id, about.olds), plain(about.news)];
        const comparison = await lifecycle.diff(call, about.id, outputs, inputs);
        return convention.diff(spec, comparison, {
          ...{ olds: about.olds, outputs, inputs },
          oldInputs: about.oldInputs && plain(about.oldInputs),
        });
      }),

    create: (about: About & { properties: Values; preview?: boolean }) =>
      operate(about, [about.properties], async ({ spec, lifecycle, call, answer }) => {
        const inputs = plain(about.properties);
        if (about.preview && previews) return { id: "", properties: answer(previews.create(spec, inputs)) };
        const { id, outputs } = await lifecycle.create(call, inputs);
        return { id, properties: answer(outputs) };
      }),

    /** An empty id: there is no such object. Without any properties it is to be imported. */
    read: (about: About & { id: string; properties?: Values | undefined; inputs?: Values | undefined }) =>
      operate(about, [about.inputs ?? {}, about.properties ?? {}], async ({ lifecycle, call, answer }) => {
        const { id, properties, inputs } = about;
        const known = [properties, inputs].map((values) => plain(values ?? {})).find(isSomething);
        const isImport = properties === undefined && inputs === undefined;
        const result = known
          ? await lifecycle.read(call, id, known)
          : await importObject(lifecycle, call, id, isImport);
        return result
          ? { id, properties: answer(result.outputs), inputs: answer(result.inputs) }
          : { id: "", properties: {} };
      }),

    update: (about: About & { id: string; olds: Values; news: Values; preview?: boolean }) =>
      operate(about, [about.olds, about.news], async ({ spec, lifecycle, call, answer }) => {
        const [outputs, inputs] = [recorded(spec, about.id, about.olds), plain(about.news)];
        if (about.preview && previews) return { properties: answer(previews.update(spec, outputs, inputs)) };
        return { properties: answer(await lifecycle.update(call, about.id, outputs, inputs)) };
      }),

    delete: deletion<Deletion>(({ lifecycle, call }, id, outputs) => lifecycle.delete(call, id, outputs)),

    /** Asked by the built-in engine alone: Pulumi's protocol has no such call. */
    refusal: deletion<string | undefined>(({ lifecycle, call }, id, outputs) => lifecycle.refusal(call, id, outputs)),
  };
}

export type Operations<O extends LifecycleHost, Diff extends ProtocolDiff> = ReturnType<
  typeof createOperations<O, Diff>
>;

const isSomething = (values: Values): boolean => Object.keys(values).length > 0;

/** An object that is only looked up needs no remarks. */
async function importObject(lifecycle: ResourceLifecycle, call: Call, id: string, notes: boolean) {
  const result = await lifecycle.import(call, id);
  for (const remark of (notes && result?.remarks) || []) call.reporter.warn(remark);
  return result;
}

const withReadableText = (reporter: ResourceReporter, readable: (text: string) => string): Call["reporter"] => ({
  status: (text) => reporter.status(readable(text)),
  info: (text) => reporter.info(readable(text)),
  warn: (text) => reporter.warn(readable(text)),
});

interface FailureContext {
  readable(text: string): string;
  debug: boolean;
  /** Properties as the engine records them. Absent: the object is not recorded. */
  answer?: Operation["answer"] | undefined;
}

/** The failure of a call, fit to be shown. */
export function toFailure(error: unknown, { readable, debug, answer }: FailureContext): ProviderFailure {
  const printable = (text: string): string => sanitizeOutput(readable(text));
  return new ProviderFailure(printable(messageOf(error)), {
    cause: error,
    code: errorCodeOf(error),
    trace: debug && error instanceof Error ? printable(error.stack ?? "") : "",
    recorded:
      error instanceof InitFailedError && answer
        ? { id: error.id, properties: answer(error.outputs), reasons: error.reasons.map(printable) }
        : undefined,
  });
}

function messageOf(error: unknown): string {
  if (error instanceof InitFailedError || isModelPlatformError(error)) return error.message;
  return `${String(error)}. This is a bug in pulumi-modelplatform; set MODELPLATFORM_DEBUG=1 to see where it happens, and report it`;
}
