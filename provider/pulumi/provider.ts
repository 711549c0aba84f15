import * as pulumi from "@pulumi/pulumi";
import { dynamicPackage, packageName } from "../core/pulumi-names";
import { settingFields, settingKey } from "../core/settings";

/** An explicit provider's settings, by name, as texts. */
export type ProviderSettings = Readonly<Record<string, string | undefined>>;

/** Where a provider keeps its settings, and what tells it from providers of other packages. */
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

/** What a resource, or whatever a tool shows in its place, says of its type. */
export const pulumiTypeOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? (value as { __pulumiType?: string }).__pulumiType : undefined;

/** Whether `value` is a provider of this package, also one made by another copy of it. */
export const isProvider = (value: unknown): value is pulumi.ProviderResource =>
  pulumi.CustomResource.isInstance(value) && mark in value;

/** The same of a type alone, which is all that policies and transforms show: it has the package that serves it. */
export const isProviderOf = (pkg: string, value: unknown): value is pulumi.ProviderResource =>
  pulumi.CustomResource.isInstance(value) ? isProvider(value) : pulumiTypeOf(value) === `pulumi:providers:${pkg}`;

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
