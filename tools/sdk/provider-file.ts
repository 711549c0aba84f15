import { settingFields } from "../../provider/core/settings";
import { comment } from "./comment";
import { fileText, pulumiImport, typeImports } from "./generated-file";
import { members } from "./members";
import type { TypeTexts } from "./type-text";

/** The explicit provider and its settings. */
export const providerFile = (types: TypeTexts): string =>
  fileText(
    `${comment({
      paragraphs: [
        "Settings of a `Provider`. What is not given comes from the stack's config, then from the environment.",
      ],
    })}export interface ProviderArgs {
${members(settingFields, "input", types)}}

/**
 * Settings for some of a program's resources and functions. A component takes it as \`providers: [eu]\`.
 *
 * @example
 * \`\`\`ts
 * const eu = new Provider("eu", { accountId: "acme-eu", apiKey: config.requireSecret("euKey") });
 * new User("ada", { email: "ada@example.com", role: "admin" }, { provider: eu });
 * \`\`\`
 */
export class Provider extends pulumi.ProviderResource {
  /** Whether \`value\` is a provider of this package, also one made by another copy of it. */
  static override isInstance(value: unknown): value is Provider {
    return isProvider(value);
  }

  /**
   * Settings for some of a program's resources and functions.
   *
   * @param name Name of the provider in the stack.
   * @param args Settings that differ from the stack's.
   * @param opts Options of the provider, such as \`parent\`.
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const { registration, keep } = openProvider(name, args, opts);
    super(...registration);
    keep(this);
  }
}
`,
    [
      pulumiImport,
      { word: "openProvider", text: 'import { isProvider, openProvider } from "../pulumi/provider";' },
      ...typeImports("./types"),
    ],
  );
