import * as pulumi from "@pulumi/pulumi";
import type { Client } from "../api/types";
import type { FunctionSpec } from "../core/declaration/surface";
import { isModelPlatformError, ModelPlatformError } from "../core/errors";
import { dynamicToken, pluginToken } from "../core/pulumi-names";
import { functions } from "../resources/functions";
import type * as FunctionCall from "./function-call";
import { isMocked } from "./mocks";
import { isProvider, type ProviderSettings, providerSettings } from "./provider";
import { warn, warnOfUnknownSettings } from "./warnings";

interface Options {
  provider?: pulumi.ProviderResource;
  parent?: pulumi.Resource;
}

interface OutputOptions extends Options {
  dependsOn?: pulumi.Input<pulumi.Input<pulumi.Resource>[]> | pulumi.Input<pulumi.Resource>;
}

/** A function in its two forms. Under Pulumi's mocks both are a call of the mocks, with the token of the schema. */
interface Invocation {
  /** Calls it in the program's process. Rejects with a `ModelPlatformError`. */
  plain(args: object, options: Options): Promise<unknown>;
  /**
   * Takes values that are known later. A result that shows a secret is a secret; what a preview does not ask for is
   * not known in it.
   */
  output(args: object, options: OutputOptions): pulumi.Output<unknown>;
}

/** A function by its name. */
export function invocation(name: string): Invocation {
  const spec = (functions as Readonly<Record<string, FunctionSpec>>)[name]!;

  const answer = (args: Record<string, unknown>, client: Client): Promise<Record<string, unknown>> =>
    loadFunctionCall().callFunction(client, { name, spec, args, isPreview: pulumi.runtime.isDryRun() });

  const asShown = (result: object): pulumi.Output<unknown> =>
    loadFunctionCall().secretsIn(spec, { ...result }).length > 0 ? pulumi.secret(result) : pulumi.output(result);

  async function plain(args: object, options: Options): Promise<unknown> {
    try {
      const provider = providerOf(name, options);
      if (isMocked()) return await pulumi.runtime.invoke(pluginToken(name), { ...args }, seenBy(options, provider));
      return await answer(
        args as Record<string, unknown>,
        clientOf(provider, provider && (await awaitKnown(name, providerSettings(provider)))),
      );
    } catch (error) {
      throw toReadableError(error);
    }
  }

  function output(args: object, options: OutputOptions): pulumi.Output<unknown> {
    const provider = providerOf(name, options);
    if (isMocked())
      return pulumi.runtime
        .invokeOutput<object>(pluginToken(name), { ...args }, seenBy(options, provider))
        .apply(asShown);
    return pulumi
      .all([pulumi.output(args), provider && providerSettings(provider), onceThere(options.dependsOn)])
      .apply(async ([knownArgs, settings]) => {
        try {
          const client = clientOf(provider, settings);
          if (pulumi.runtime.isDryRun() && !loadFunctionCall().isAllowedInPreview(client, name, spec))
            return pulumi.output(pulumi.unknown);
          return asShown(await answer(knownArgs as Record<string, unknown>, client));
        } catch (error) {
          throw toReadableError(error);
        }
      });
  }

  return { plain, output };
}

/** Options as they are, with the provider that they lead to. */
const seenBy = <O extends Options>(options: O, provider: pulumi.ProviderResource | undefined): O =>
  provider ? { ...options, provider } : options;

/** Has a value once the resources are there. In a preview, one that is to be created has no id yet. */
const onceThere = (dependsOn: OutputOptions["dependsOn"]): pulumi.Output<unknown> | undefined =>
  dependsOn &&
  (pulumi.output(dependsOn as object) as pulumi.Output<pulumi.Resource | pulumi.Resource[]>).apply((found) => {
    const resources = [found].flat().flatMap(withChildren);
    return pulumi.all(resources.map((each) => (pulumi.CustomResource.isInstance(each) ? each.id : each.urn)));
  });

/** A component is there when what it has is. */
const withChildren = (resource: pulumi.Resource): pulumi.Resource[] => {
  const { __childResources: children = [] } = resource as unknown as { __childResources?: Iterable<pulumi.Resource> };
  return [resource, ...[...children].flatMap(withChildren)];
};

/** Loaded at the first call: a program that calls no function starts without an HTTP client. */
const loadFunctionCall = (): typeof FunctionCall => require("./function-call") as typeof FunctionCall;

/** A parent may have providers of other packages. An explicit one that is not ours would leave the stack's account. */
function providerOf(name: string, { provider, parent }: Options): pulumi.ProviderResource | undefined {
  if (provider !== undefined && provider !== null && !isProvider(provider))
    throw new pulumi.RunError(
      `${name}: the option \`provider\` is not a pulumi-modelplatform provider, so its account and key cannot be determined. Create a \`Provider\` of this package, or leave the option out to use the stack's settings.`,
    );
  const inherited = [dynamicToken(""), pluginToken("")].map((token) => parent?.getProvider(token));
  return [provider, ...inherited].find(isProvider);
}

/** In a preview, settings that come from other resources may not be known yet. */
async function awaitKnown<T>(name: string, value: pulumi.Output<T>): Promise<T> {
  const { isKnown } = value as unknown as { isKnown: Promise<boolean> };
  if (await isKnown) return new Promise((resolve) => value.apply(resolve));
  throw new ModelPlatformError(`the provider of \`${name}\` has settings that are not known in this preview`, {
    advice: `Use \`${name}Output\`.`,
  });
}

/** One client for the stack's settings, and one for each explicit provider's. */
const clients = new WeakMap<object, Client>();
const stack = {};

function clientOf(provider: pulumi.ProviderResource | undefined, settings: ProviderSettings = {}): Client {
  warnOfUnknownSettings();
  const client =
    clients.get(provider ?? stack) ??
    loadFunctionCall().openClient(
      { provider: settings, config: { get: (key) => pulumi.runtime.getConfig(key) }, env: process.env },
      warn,
    );
  clients.set(provider ?? stack, client);
  return client;
}

/**
 * Pulumi's program runner prints an error with this mark by its message alone, and any other with everything that is
 * in it.
 */
const toReadableError = (error: unknown): unknown =>
  isModelPlatformError(error) ? Object.defineProperty(error, "__pulumiRunError", { value: true }) : error;
