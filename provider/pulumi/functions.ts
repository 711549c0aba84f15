import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { createClient } from "../api/client";
import { resolveSettings } from "../api/config";
import { createCatalogue } from "../api/operations";
import type { Client } from "../api/types";
import { isModelPlatformError, ModelPlatformError } from "../core/errors";
import { fieldsOf } from "../core/fields";
import { type FunctionName, functions, type FunctionSpec } from "../resources/functions";
import { allSpecs } from "../resources/index";
import { callFunction, isForPreviews, showsSecret } from "./function-call";
import { Provider, type ProviderSettings, providerSettings } from "./provider";
import type { Answered, Input } from "./types";

type Given<F extends FunctionName> = z.input<(typeof functions)[F]["inputs"]>;

/** Arguments of a function's output form. */
type Eventual<F extends FunctionName> = { [A in keyof Given<F>]: Input<Given<F>[A]> };

/** What a function answers. */
export type Result<F extends FunctionName> = Answered<z.output<(typeof functions)[F]["outputs"]>>;

export interface FunctionOptions {
  /** Whose settings to use. Default: those of `parent`'s provider, else the stack's config and the environment. */
  provider?: Provider;
  parent?: pulumi.Resource;
}

type Parameters<A> = {} extends A ? [args?: A, options?: FunctionOptions] : [args: A, options?: FunctionOptions];

/** The two forms of a function. */
export interface Invocation<F extends FunctionName> {
  /** Calls it in the program's process. Rejects with a `ModelPlatformError`. */
  plain(...given: Parameters<Given<F>>): Promise<Result<F>>;
  /** Takes values that are known later. A result that shows a secret is a secret; what a preview does not ask for is not known in it. */
  output(...given: Parameters<Eventual<F>>): pulumi.Output<Result<F>>;
}

/** A function by its name: `const { plain: getModel, output: getModelOutput } = invocation("getModel")`. */
export function invocation<const F extends FunctionName>(name: F): Invocation<F> {
  const spec: FunctionSpec = functions[name];
  const fields = fieldsOf(spec.outputs);

  const answer = async (args: Record<string, unknown>, client: Client): Promise<Record<string, unknown>> => callFunction(client, name, spec, args, pulumi.runtime.isDryRun());

  async function plain(args: Record<string, unknown> = {}, options: FunctionOptions = {}): Promise<unknown> {
    try {
      const provider = providerOf(options);
      return await answer(args, clientOf(provider, provider && (await known(name, providerSettings(provider)))));
    } catch (error) {
      throw readable(error);
    }
  }

  function output(args: pulumi.Inputs = {}, options: FunctionOptions = {}): pulumi.Output<unknown> {
    const provider = providerOf(options);
    return pulumi.all([pulumi.output(args), provider && providerSettings(provider)]).apply(async ([given, settings]) => {
      try {
        const client = clientOf(provider, settings);
        if (pulumi.runtime.isDryRun() && !isForPreviews(client, name, spec)) return pulumi.output(pulumi.unknown);
        const result = await answer(given as Record<string, unknown>, client);
        return fields.some((field) => showsSecret(field, result[field.name])) ? pulumi.secret(result) : pulumi.output(result);
      } catch (error) {
        throw readable(error);
      }
    });
  }

  return { plain, output } as unknown as Invocation<F>;
}

function providerOf({ provider, parent }: FunctionOptions): Provider | undefined {
  const found = provider ?? parent?.getProvider("pulumi-nodejs:dynamic:Resource");
  return Provider.isInstance(found) ? found : undefined;
}

/** In a preview, settings that come from other resources may not be known yet. */
async function known<T>(name: string, value: pulumi.Output<T>): Promise<T> {
  const { isKnown } = value as unknown as { isKnown: Promise<boolean> };
  if (await isKnown) return new Promise((resolve) => value.apply(resolve));
  throw new ModelPlatformError(`the provider of \`${name}\` has settings that are not known in this preview`, { advice: `Use \`${name}Output\`.` });
}

/** One client for the stack's settings, and one for each explicit provider's. */
const clients = new WeakMap<object, Client>();
const stack = {};

function clientOf(provider: Provider | undefined, settings: ProviderSettings = {}): Client {
  const client = clients.get(provider ?? stack) ?? clientWith(settings);
  clients.set(provider ?? stack, client);
  return client;
}

function clientWith(provider: ProviderSettings): Client {
  const { env } = process;
  const settings = resolveSettings({ provider, config: { get: (key) => pulumi.runtime.getConfig(key) }, env });
  const catalogue = createCatalogue(allSpecs, { overrides: settings.operations });
  return createClient({ settings, catalogue, env, log: ({ level, text }) => level === "warning" && void pulumi.log.warn(text) });
}

/** Pulumi's program runner prints an error with this mark by its message alone, and any other with everything that is in it. */
const readable = (error: unknown): unknown => (isModelPlatformError(error) ? Object.defineProperty(error, "__pulumiRunError", { value: true }) : error);
