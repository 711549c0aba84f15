import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { Client } from "../api/types";
import { isModelPlatformError, ModelPlatformError } from "../core/errors";
import type { FunctionSpec } from "../core/functions";
import type { commonInputs } from "../core/universal-inputs";
import { type FunctionName, functions } from "../resources/functions";
import type { Kind, specs } from "../resources/index";
import type * as FunctionCall from "./function-call";
import { Provider, type ProviderSettings, providerSettings } from "./provider";
import type { Answered, Input } from "./types";

type Declared<F extends FunctionName> = (typeof functions)[F];

type Given<F extends FunctionName> = z.input<Declared<F>["inputs"]> &
  (Declared<F> extends { takes: infer K extends Kind } ? z.input<(typeof specs)[K]["inputs"]> : unknown);

/** An object of a kind, as the service answers it. */
export type Observed<K extends Kind> = Answered<
  Omit<z.input<(typeof specs)[K]["inputs"]>, keyof typeof commonInputs> & z.output<(typeof specs)[K]["outputs"]>
>;

/** What a function answers. */
export type Result<F extends FunctionName> = Declared<F>["answer"] extends { one: infer K extends Kind }
  ? Observed<K>
  : Declared<F>["answer"] extends { all: infer K extends Kind; as: infer C extends string }
    ? { [P in C]: Observed<K>[] } & { totalSize: number | undefined }
    : Declared<F>["answer"] extends { message: infer M extends z.ZodObject }
      ? Answered<z.output<M>>
      : never;

export interface FunctionOptions {
  /** Whose settings to use. Default: those of `parent`'s provider, else the stack's config and the environment. */
  provider?: Provider;
  parent?: pulumi.Resource;
}

type Parameters<A> =
  Record<never, never> extends A ? [args?: A, options?: FunctionOptions] : [args: A, options?: FunctionOptions];

/** Calls a function in the program's process. Rejects with a `ModelPlatformError`. */
export type PlainForm<F extends FunctionName> = (...given: Parameters<Given<F>>) => Promise<Result<F>>;

/**
 * Takes values that are known later. A result that shows a secret is a secret; what a
 * preview does not ask for is not known in it.
 */
export type OutputForm<F extends FunctionName> = (
  ...given: Parameters<{ [A in keyof Given<F>]: Input<Given<F>[A]> }>
) => pulumi.Output<Result<F>>;

/** A function by its name: `const { plain: getModel, output: getModelOutput } = invocation("getModel")`. */
export function invocation<const F extends FunctionName>(name: F): { plain: PlainForm<F>; output: OutputForm<F> } {
  const spec: FunctionSpec = functions[name];

  const answer = (args: Record<string, unknown>, client: Client): Promise<Record<string, unknown>> =>
    calls().callFunction(client, name, spec, args, pulumi.runtime.isDryRun());

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
    return pulumi
      .all([pulumi.output(args), provider && providerSettings(provider)])
      .apply(async ([given, settings]) => {
        try {
          const client = clientOf(provider, settings);
          if (pulumi.runtime.isDryRun() && !calls().isForPreviews(client, name, spec))
            return pulumi.output(pulumi.unknown);
          const result = await answer(given as Record<string, unknown>, client);
          return calls().isSecret(spec, result) ? pulumi.secret(result) : pulumi.output(result);
        } catch (error) {
          throw readable(error);
        }
      });
  }

  return { plain, output } as unknown as { plain: PlainForm<F>; output: OutputForm<F> };
}

/** Loaded at the first call: a program that calls no function starts without an HTTP client. */
const calls = (): typeof FunctionCall => require("./function-call") as typeof FunctionCall;

function providerOf({ provider, parent }: FunctionOptions): Provider | undefined {
  const found = provider ?? parent?.getProvider("pulumi-nodejs:dynamic:Resource");
  return Provider.isInstance(found) ? found : undefined;
}

/** In a preview, settings that come from other resources may not be known yet. */
async function known<T>(name: string, value: pulumi.Output<T>): Promise<T> {
  const { isKnown } = value as unknown as { isKnown: Promise<boolean> };
  if (await isKnown) return new Promise((resolve) => value.apply(resolve));
  throw new ModelPlatformError(`the provider of \`${name}\` has settings that are not known in this preview`, {
    advice: `Use \`${name}Output\`.`,
  });
}

/** One client for the stack's settings, and one for each explicit provider's. */
const clients = new WeakMap<object, Client>();
const stack = {};

function clientOf(provider: Provider | undefined, settings: ProviderSettings = {}): Client {
  const client =
    clients.get(provider ?? stack) ??
    calls().openClient(
      { provider: settings, config: { get: (key) => pulumi.runtime.getConfig(key) }, env: process.env },
      (text) => void pulumi.log.warn(text),
    );
  clients.set(provider ?? stack, client);
  return client;
}

/**
 * Pulumi's program runner prints an error with this mark by its message alone,
 * and any other with everything that is in it.
 */
const readable = (error: unknown): unknown =>
  isModelPlatformError(error) ? Object.defineProperty(error, "__pulumiRunError", { value: true }) : error;
