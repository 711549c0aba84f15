import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { comment } from "./comment";
import { fileName } from "./file-names";
import { fileText } from "./generated-file";

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
