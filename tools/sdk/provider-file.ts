import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { settingFields } from "../../provider/core/settings";
import { fileName, fileText, pulumiImport, typeImports } from "./generated-file";
import { comment } from "./layout";
import { members, type TypeTexts } from "./type-text";

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

/** What programs import of the plugin: the names of the main entry, with classes whose resources the plugin serves. */
export function pluginFile(specs: readonly ResourceSpec[]): string {
  const imports = specs.map(({ kind }) => `import type { ${kind} as Dynamic${kind} } from "./${fileName(kind)}";\n`);
  const args = specs.map(({ kind }) => `export type { ${kind}Args } from "./${fileName(kind)}";\n`);
  const classes = specs.map(
    ({ kind, summary }) =>
      `\n${comment({ paragraphs: [summary] })}export const ${kind} = pluginClass<typeof Dynamic${kind}>("${kind}");\nexport type ${kind} = Dynamic${kind};\n`,
  );
  return fileText(
    `import { pluginClass, pluginProviderClass } from "../pulumi/plugin-class";
${imports.join("")}import type { Provider as DynamicProvider } from "./provider";

${args.join("")}export * from "./functions";
export type { ProviderArgs } from "./provider";
export * from "./types/enums";
export * as types from "./types/index";
${classes.join("")}
${comment({ paragraphs: ["Settings for some of a program's resources and functions."] })}export const Provider = pluginProviderClass<typeof DynamicProvider>();
export type Provider = DynamicProvider;
`,
    [],
  );
}
