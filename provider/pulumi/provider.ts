import * as pulumi from "@pulumi/pulumi";
import { dynamicPackage, packageName } from "../core/pulumi-names";
import { settingFields, settingKey } from "../core/settings";

/** An explicit provider's settings, by name, as texts. */
export type ProviderSettings = Readonly<Record<string, string | undefined>>;

/** Where a provider keeps its settings; distinguishes it from providers of other packages. */
const mark = "__modelplatformSettings";

/** What a provider is registered with, and what it keeps of it. */
interface ProviderOpening {
  registration: [pkg: string, name: string, props: pulumi.Inputs, opts: pulumi.ResourceOptions | undefined];
  keep(provider: pulumi.ProviderResource): void;
}

type RegisterProvider = (name: string, args: object, opts: pulumi.ResourceOptions | undefined) => ProviderOpening;

/** Of dynamic resources: their provider knows its settings by the keys that they have in a stack's config. */
export const openProvider: RegisterProvider = (name, args, opts) =>
  providerRegistration(dynamicPackage, settingKey, name, args, opts);

/** Of the plugin's resources. */
export const openPluginProvider: RegisterProvider = (name, args, opts) =>
  providerRegistration(packageName, (setting) => setting, name, args, opts);

function providerRegistration(
  pkg: string,
  keyOf: (setting: string) => string,
  ...[name, args, opts]: Parameters<RegisterProvider>
): ProviderOpening {
  const texts = textsOf(args as pulumi.Inputs);
  const props = Object.fromEntries(Object.entries(texts).map(([setting, text]) => [keyOf(setting), text]));
  return {
    registration: [pkg, name, props, opts],
    keep: (provider) => void Object.defineProperty(provider, mark, { value: pulumi.output(texts) }),
  };
}

/** The type in a resource, or in a tool's view of one. */
const pulumiTypeOf = (value: unknown): unknown =>
  (value as { __pulumiType?: unknown } | null | undefined)?.__pulumiType;

/**
 * Whether `value` says of itself that it is of `type`: all that the class of a generated SDK asks, and all that a
 * policy shows. It holds for resources of other copies of this package, and for any other class under the same token.
 */
export const isOfType = (type: string, value: unknown): boolean => pulumiTypeOf(value) === type;

/** Whether `value` is a provider of this package, also one made by another copy of it. */
export const isProvider = (value: unknown): value is pulumi.ProviderResource =>
  pulumi.CustomResource.isInstance(value) && mark in value;

/** Whether `value` says that it is the plugin's provider. */
export const isPluginProvider = (value: unknown): value is pulumi.ProviderResource =>
  isOfType(`pulumi:providers:${packageName}`, value);

/** Dynamic resources of all packages have a provider of one type, so that a live one has to have our mark, too. */
export const isDynamicProvider = (value: unknown): value is pulumi.ProviderResource =>
  isOfType(`pulumi:providers:${dynamicPackage}`, value) && (!pulumi.Resource.isInstance(value) || isProvider(value));

/** A dynamic provider gets its settings as a map of texts. Settings that are objects travel as JSON. */
function textsOf(args: pulumi.Inputs): Record<string, pulumi.Output<string | undefined>> {
  const config = new pulumi.Config(packageName);
  const entries = settingFields.flatMap(({ name, markers }) => {
    const setting = args[name] ?? (markers.secret ? config.getSecret(name) : config.get(name));
    if (setting === undefined) return [];
    const text = pulumi
      .output(setting)
      .apply((value: unknown) => (value === undefined || typeof value === "string" ? value : JSON.stringify(value)));
    return [[name, markers.secret ? pulumi.secret(text) : text] as const];
  });
  return Object.fromEntries(entries);
}

export const providerSettings = (provider: pulumi.ProviderResource): pulumi.Output<ProviderSettings> =>
  (provider as unknown as { [mark]: pulumi.Output<ProviderSettings> })[mark];
