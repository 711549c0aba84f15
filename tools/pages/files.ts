import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { settingFields, settingKey, settingVariable } from "../../provider/core/settings";
import { managedSpecs, specOf } from "../../provider/resources/index";
import { dotnetPackage, goModule, publisher, sdkNames } from "../publisher";
import { resourceExamples } from "../schema/examples";
import { packageTypes } from "../schema/schema";
import { declaredFunctions, observed } from "../sdk/files";
import { pagePath } from "../sdk/layout";
import { functionPages } from "./function-pages";
import { type Example, resourcePage } from "./kind-page";
import { code, generatedFrom, page, table } from "./markdown";

/** The reference pages, by their path below `root`. */
export function pageFiles(root: string): Record<string, string> {
  const names = packageTypes(managedSpecs, declaredFunctions);
  const examples = examplesIn(join(root, "examples"));
  return {
    ...Object.fromEntries(managedSpecs.map((spec) => [pagePath(spec.kind), resourcePage(spec, names, examples)])),
    ...registryPages(descriptionIn(root)),
    ...functionPages({ functions: declaredFunctions, observed, names }),
  };
}

const descriptionIn = (root: string): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { description: string }).description;

const examplesIn = (folder: string): Example[] =>
  readdirSync(folder)
    .sort()
    .filter((name) => existsSync(join(folder, name, "Pulumi.yaml")) && existsSync(join(folder, name, "index.ts")))
    .map((name) => ({ name, source: readFileSync(join(folder, name, "index.ts"), "utf8") }));

/** The pages that a registry shows of the package. */
const registryPages = (description: string): Record<string, string> => ({
  "docs/dev/registry/_index.md": page(
    frontMatter("Model Platform", description),
    generatedFrom("package.json and provider/resources"),
    description,
    "## Example",
    chooser(exampleTabs()),
    `More of them, and a page for each resource, are in the [repository](${publisher.repository}).`,
  ),
  "docs/dev/registry/installation-configuration.md": page(
    frontMatter("Model Platform Installation & Configuration", "How to install and configure the package."),
    generatedFrom("provider/core/settings.ts and tools/publisher.ts"),
    "## Installation",
    "The package is served in every language of Pulumi:",
    installation,
    "The plugin is installed by the first `pulumi preview`, from the releases of the repository. By hand:",
    `\`\`\`sh\npulumi plugin install resource modelplatform --server ${publisher.pluginDownloadURL}\n\`\`\``,
    "## Configuration",
    "A setting of a provider comes first, then the stack's config, then the environment. Give the key by the environment: no state has it.",
    '```sh\npulumi config set modelplatform:accountId acme\npulumi config set modelplatform:baseUrl https://api.example.com\nexport MODELPLATFORM_API_KEY="…"\n```',
    settingsTable(),
  ),
});

const frontMatter = (title: string, text: string): string =>
  `---\ntitle: ${title}\nmeta_desc: ${JSON.stringify(text)}\nlayout: package\n---`;

/** The example of a user, by the language that a reader chooses. */
function exampleTabs(): [language: string, block: string][] {
  const blocks = resourceExamples(specOf("User")!, packageTypes(managedSpecs, declaredFunctions), {
    ...sdkNames,
    nodejs: "pulumi-modelplatform",
  });
  return [...blocks.matchAll(/^```(\w+)\n[\s\S]*?\n```$/gm)].map(([block, language]) => [language!, block]);
}

const chooser = (tabs: readonly [language: string, block: string][]): string =>
  [
    `{{< chooser language "${tabs.map(([language]) => language).join(",")}" >}}`,
    ...tabs.map(([language, block]) => `{{% choosable language ${language} %}}\n\n${block}\n\n{{% /choosable %}}`),
    "{{< /chooser >}}",
  ].join("\n\n");

const installation = table(
  ["Language", "Package"],
  [
    ["TypeScript, JavaScript", code("npm install pulumi-modelplatform")],
    ["Python", code("pip install pulumi-modelplatform")],
    ["Go", code(`go get ${goModule}`)],
    ["C#", code(`dotnet add package ${dotnetPackage}`)],
    ["Java, YAML", `${code("pulumi package add modelplatform")} writes the SDK, or notes the package`],
  ],
);

const settingsTable = (): string =>
  table(
    ["Setting", "Environment", "What it is"],
    settingFields.map(({ name, description }) => [code(settingKey(name)), code(settingVariable(name)), description]),
  );
