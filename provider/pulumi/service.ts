import { AbortedError, isModelPlatformError, ModelPlatformError } from "../core/errors";
import { type Hidden, HiddenInput, hiddenInput } from "../core/records";
import type { ResourceSpec } from "../core/resource";
import { type Call, InitFailedError, type ResourceLifecycle, type Values } from "../lifecycle/types";
import { specOf } from "../resources/index";
import { disarm } from "../text/printable";
import { answered, providerProperty, received } from "./answers";
import type { Interruption } from "./interruption";
import type { ResourceReporter } from "./reporter";

/** The stack's config, or an explicit provider's inputs, by full key. */
export interface ConfigLookup {
  get(key: string): string | undefined;
}

/** What the life cycles need, ready to use. */
export interface Opened {
  lifecycleOf(spec: ResourceSpec): ResourceLifecycle;
  /** Masks secrets in a text that is let out. */
  redact(text: string): string;
}

export interface ServiceWorld {
  /** Resolves settings and makes the client; called once, at the first operation. */
  open(config: ConfigLookup): Promise<Opened>;
  reporterFor(urn: string): ResourceReporter;
  interruption: Interruption;
  /** Lets stacks of errors out. */
  debug: boolean;
}

interface Operation {
  opened: Opened;
  spec: ResourceSpec;
  lifecycle: ResourceLifecycle;
  call: Call;
  /** Marks what goes back. */
  answer(values: Values): Values;
}

/** The provider object that Pulumi's SDK calls for every dynamic resource of this package, whatever its kind. */
export function createService({ open, reporterFor, interruption, debug }: ServiceWorld) {
  let config: ConfigLookup = { get: () => undefined };
  let opened: Promise<Opened> | undefined;

  /** `props` names the resource and its provider; what is thrown is what the SDK makes an answer of. */
  async function operate<T>(props: Values, work: (operation: Operation) => Promise<T>): Promise<T> {
    const provider = props[providerProperty];
    let operation: Operation | undefined;
    try {
      if (interruption.signal.aborted) throw new AbortedError("this operation was interrupted before it began");
      const { hidden, spec } = subjectOf(props);
      const reporter = reporterFor(hidden.urn);
      const ready = await (opened ??= open(config));
      const call = { hidden, reporter: redacting(reporter, ready.redact), signal: interruption.signal };
      operation = {
        opened: ready,
        spec,
        lifecycle: ready.lifecycleOf(spec),
        call,
        answer: (values) => answered(spec, values, hidden, provider),
      };
      return await interruption.during(() => reporter.during(() => work(operation!)));
    } catch (error) {
      throw letOut(error, operation, debug);
    }
  }

  return {
    /**
     * The SDK calls others before this one has resolved, and ignores its failure:
     * it does nothing that takes time or can fail.
     */
    async configure(request: { config: ConfigLookup }): Promise<void> {
      config = request.config;
    },

    /** What is wrong with the settings is a failure like any other: an error would be printed twice. */
    check: (olds: Values, news: Values) =>
      operate(news, async ({ lifecycle, call, answer }) => {
        const { inputs, failures, warnings } = await lifecycle.check(call, received(olds), received(news));
        for (const warning of warnings) call.reporter.warn(warning);
        return { inputs: answer(inputs), failures };
      }).catch((error: Error) => ({ inputs: news, failures: [{ property: "", reason: error.message }] })),

    diff: (id: string, olds: Values, news: Values) =>
      operate(news, ({ lifecycle, call }) => lifecycle.diff(call, id, received(olds), received(news))),

    create: (inputs: Values) =>
      operate(inputs, async ({ lifecycle, call, answer }) => {
        const { id, outputs } = await lifecycle.create(call, received(inputs));
        return { id, outs: answer(outputs) };
      }),

    /** An empty id tells the engine that the object is gone. */
    read: (id: string, props: Values) =>
      operate(props, async ({ lifecycle, call, answer }) => {
        const found = await lifecycle.read(call, id, received(props));
        return found ? { id, props: answer(found.outputs), inputs: answer(found.inputs) } : { id: "", props: {} };
      }),

    update: (id: string, olds: Values, news: Values) =>
      operate(news, async ({ lifecycle, call, answer }) => ({
        outs: answer(await lifecycle.update(call, id, received(olds), received(news))),
      })),

    delete: (id: string, props: Values) =>
      operate(props, ({ lifecycle, call }) => lifecycle.delete(call, id, received(props))),
  };
}

/** Which resource a call is about: the SDK says neither its kind nor its URN. */
function subjectOf(props: Values): { hidden: Hidden; spec: ResourceSpec } {
  const hidden = HiddenInput.safeParse(received(props)[hiddenInput]);
  if (!hidden.success) {
    throw new ModelPlatformError(`the resource has no \`${hiddenInput}\`, which its class writes`, {
      advice:
        "Declare it with a class of `pulumi-modelplatform`; a resource that is in state without it has to be removed from the state and declared again with `adopt`.",
    });
  }
  const spec = specOf(hidden.data.kind);
  if (!spec)
    throw new ModelPlatformError(
      `\`${hidden.data.kind}\` is no kind of resource that this release of pulumi-modelplatform knows`,
      { advice: "Update the package." },
    );
  return { hidden: hidden.data, spec };
}

const redacting = (reporter: ResourceReporter, redact: (text: string) => string): Call["reporter"] => ({
  status: (text) => reporter.status(redact(text)),
  info: (text) => reporter.info(redact(text)),
  warn: (text) => reporter.warn(redact(text)),
});

/**
 * The error as the SDK understands it: `id`, `properties` and `reasons` make it record the object. What
 * the SDK answers is the message; what it prints beside that is the error as a text and its stack, so
 * that both are kept from repeating the message.
 */
function letOut(error: unknown, operation: Operation | undefined, debug: boolean): Error {
  const redact = operation?.opened.redact ?? ((text: string) => text);
  const out = new Error(disarm(redact(messageOf(error))), { cause: error });
  out.stack = debug && error instanceof Error ? redact(error.stack ?? "") : "";
  if (operation && !debug) out.toString = () => `${titleOf(operation.call.hidden)} failed; its error is shown with it`;
  if (!(error instanceof InitFailedError) || !operation) return out;
  return Object.assign(out, {
    id: error.id,
    properties: operation.answer(error.outputs),
    reasons: error.reasons.map((reason) => disarm(redact(reason))),
  });
}

/** `User ada`, as the program calls it. */
const titleOf = ({ kind, urn }: Hidden): string => `${kind} ${urn.slice(urn.lastIndexOf("::") + 2)}`;

function messageOf(error: unknown): string {
  if (error instanceof InitFailedError || isModelPlatformError(error)) return error.message;
  return `${String(error)}. This is a fault of pulumi-modelplatform; set MODELPLATFORM_DEBUG=1 to see where it happens, and report it`;
}
