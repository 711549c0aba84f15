import { secretProperties } from "../core/check";
import { type HiddenContext, HiddenInput, hiddenInput } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { ModelPlatformError } from "../core/errors";
import { resourceNameIn } from "../core/pulumi-names";
import { isUnknown, plainValue, secretValue } from "../core/values/values";
import type { Values } from "../lifecycle/types";
import { specOf } from "../resources/index";
import {
  createOperations,
  type HostEnvironment,
  type LifecycleHost,
  OperationFailure,
  type ResourceRequest,
} from "./operations";

/** The stack's config, or an explicit provider's inputs, by full key. */
interface ConfigLookup {
  get(key: string): string | undefined;
}

/** The provider object that Pulumi's SDK calls for every dynamic resource of this package, whatever its kind. */
export function createService<O extends LifecycleHost>(environment: HostEnvironment<O>) {
  const operations = createOperations(environment);

  /** `props` names the resource and its provider; what is thrown is what the SDK makes an answer of. */
  async function operate<T>(
    props: Values,
    work: (operation: ResourceRequest<O>, answer: (values: Values) => Values) => Promise<T>,
  ): Promise<T> {
    const provider = props[providerProperty];
    try {
      return await operations.run(
        () => subjectOf(props),
        (operation) => work(operation, (values) => toEngine(operation.spec, values, operation.hidden, provider)),
      );
    } catch (error) {
      throw toSdkError(error, props, environment.debug);
    }
  }

  return {
    /**
     * The SDK calls others before this one has resolved, and ignores its failure: it does nothing that takes time or
     * can fail.
     */
    async configure({ config }: { config: ConfigLookup }): Promise<void> {
      operations.configure({ config });
    },

    /** What is wrong with the settings is a failure like any other: an error would be printed twice. */
    check: (olds: Values, news: Values) =>
      operate(news, async ({ lifecycle, call }, answer) => {
        const { inputs, failures, warnings } = await lifecycle.check(call, fromEngine(olds), fromEngine(news));
        for (const warning of warnings) call.reporter.warn(warning);
        return { inputs: answer(inputs), failures };
      }).catch((error: Error) => ({ inputs: news, failures: [{ property: "", reason: error.message }] })),

    diff: (id: string, olds: Values, news: Values) =>
      operate(news, async ({ lifecycle, call }) => {
        const { changes, ...answer } = await lifecycle.diff(call, id, fromEngine(olds), fromEngine(news));
        return { ...answer, changes: changes === false && isOfPlugin(olds) ? undefined : changes };
      }),

    create: (inputs: Values) =>
      operate(inputs, async ({ lifecycle, call }, answer) => {
        const { id, outputs } = await lifecycle.create(call, fromEngine(inputs));
        return { id, outs: answer(outputs) };
      }),

    /** An empty id tells the engine that the object is gone. */
    read: (id: string, props: Values) =>
      operate(props, async ({ lifecycle, call }, answer) => {
        const result = await lifecycle.read(call, id, fromEngine(props));
        return result ? { id, props: answer(result.outputs), inputs: answer(result.inputs) } : { id: "", props: {} };
      }),

    update: (id: string, olds: Values, news: Values) =>
      operate(news, async ({ lifecycle, call }, answer) => ({
        outs: answer(await lifecycle.update(call, id, fromEngine(olds), fromEngine(news))),
      })),

    delete: (id: string, props: Values) =>
      operate(props, ({ lifecycle, call }) => lifecycle.delete(call, id, fromEngine(props))),

    /** Asked by the built-in engine alone: Pulumi's protocol has no such call. */
    refusal: (id: string, props: Values) =>
      operate(props, ({ lifecycle, call }) => lifecycle.refusal(call, id, fromEngine(props))),
  };
}

/**
 * Whether the plugin has recorded the outputs: they lack what a refresh and a delete of a dynamic resource are told by.
 * With no answer of ours the engine compares inputs, finds the provider new, and has them recorded by an update, which
 * sends nothing.
 */
const isOfPlugin = (olds: Values): boolean => olds[providerProperty] === undefined;

/** Which resource a call is about: the SDK says neither its kind nor its URN. */
function subjectOf(props: Values): { hidden: HiddenContext; spec: ResourceSpec; urn: string } {
  const hidden = HiddenInput.safeParse(fromEngine(props)[hiddenInput]);
  if (!hidden.success) {
    throw new ModelPlatformError(`the resource has no \`${hiddenInput}\`, which its class writes`, {
      advice:
        "Declare it with a class of `pulumi-modelplatform`; if the state has it, remove it there and set `adopt`.",
    });
  }
  const spec = specOf(hidden.data.kind);
  if (!spec)
    throw new ModelPlatformError(
      `\`${hidden.data.kind}\` is not a kind of resource that this release of pulumi-modelplatform knows`,
      { advice: "Update the package." },
    );
  return { hidden: hidden.data, spec, urn: hidden.data.urn };
}

/**
 * The error as the SDK understands it: `id`, `properties` and `reasons` make it record the object. What
 * the SDK answers is the message; what it prints beside that is the error as a text and its stack, so
 * that both are kept from repeating the message.
 */
function toSdkError(error: unknown, props: Values, debug: boolean): Error {
  if (!(error instanceof OperationFailure)) return error as Error;
  const out = new Error(error.message, { cause: error.cause });
  out.stack = debug ? error.trace : "";
  const subject = subjectIn(props);
  if (subject && !debug) out.toString = () => `${resourceTitle(subject.hidden)} failed; its error is shown with it`;
  if (!error.recorded || !subject) return out;
  const { id, outputs, reasons } = error.recorded;
  const properties = toEngine(subject.spec, outputs, subject.hidden, props[providerProperty]);
  return Object.assign(out, { id, properties, reasons });
}

function subjectIn(props: Values): ReturnType<typeof subjectOf> | undefined {
  try {
    return subjectOf(props);
  } catch {
    return undefined;
  }
}

/** `User ada`, as the program calls it. */
const resourceTitle = ({ kind, urn }: HiddenContext): string => `${kind} ${resourceNameIn(urn)}`;

/** Where Pulumi's SDK looks for the provider of a dynamic resource. */
const providerProperty = "__provider";

/** Properties as the life cycle takes them: plain values, without what belongs to the SDK. */
function fromEngine(props: Values): Values {
  const { [providerProperty]: _, ...rest } = plainValue(props) as Values;
  return rest;
}

/**
 * Properties as the SDK takes them: JSON values only, secrets marked as such, and what the next call needs to find its
 * way back here. The SDK refuses `undefined` after the object has been made, and turns dates into empty objects.
 */
function toEngine(spec: ResourceSpec, values: Values, hidden: HiddenContext, provider: unknown): Values {
  const json = JSON.parse(JSON.stringify(values)) as Values;
  const secret = secretProperties(spec);
  const marked = Object.entries(json).map(([name, value]) => [
    name,
    secret.has(name) && value !== null && !isUnknown(value) ? secretValue(value) : value,
  ]);
  return { ...Object.fromEntries(marked), [hiddenInput]: hidden, [providerProperty]: provider };
}
