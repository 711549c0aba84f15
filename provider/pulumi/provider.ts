import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { settingFields, settingKey, type settings } from "../core/settings";
import { packageName } from "../core/tokens";
import type { Input } from "./types";

type Given = z.input<typeof settings>;

/** Settings of an explicit provider. What is not given comes from the stack's config, then from the environment. */
export type ProviderArgs = { [S in keyof Given]: Input<Given[S]> };

/** An explicit provider's settings, by name, as texts. */
export type ProviderSettings = Readonly<Record<string, string | undefined>>;

/** Where a provider keeps its settings, and what tells it from providers of other packages. */
const mark = "__modelplatformSettings";

/**
 * Settings for some of a program's resources: `new User("ada", {…}, { provider: new Provider("eu", { accountId, apiKey
 * }) })`. A component takes it as `providers: [eu]`.
 */
export class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const texts = textsOf(args);
    super(
      "pulumi-nodejs",
      name,
      Object.fromEntries(Object.entries(texts).map(([setting, text]) => [settingKey(setting), text])),
      opts,
    );
    Object.defineProperty(this, mark, { value: pulumi.output(texts) });
  }

  /** Whether `value` is a provider of this package, also one made by another copy of it. */
  static override isInstance(value: unknown): value is Provider {
    return pulumi.CustomResource.isInstance(value) && mark in value;
  }
}

/** A dynamic provider gets its settings as a map of texts. Settings that are objects travel as JSON. */
function textsOf(args: ProviderArgs): Record<string, pulumi.Output<string | undefined>> {
  const config = new pulumi.Config(packageName);
  const entries = settingFields.map(({ name, markers }) => {
    const given = (args as pulumi.Inputs)[name] ?? (markers.secret ? config.getSecret(name) : config.get(name));
    const text = pulumi
      .output(given)
      .apply((value: unknown) => (value === undefined || typeof value === "string" ? value : JSON.stringify(value)));
    return [name, given === undefined ? undefined : markers.secret ? pulumi.secret(text) : text] as const;
  });
  return Object.fromEntries(
    entries.filter((entry): entry is [string, pulumi.Output<string | undefined>] => entry[1] !== undefined),
  );
}

export const providerSettings = (provider: Provider): pulumi.Output<ProviderSettings> =>
  (provider as unknown as { [mark]: pulumi.Output<ProviderSettings> })[mark];
