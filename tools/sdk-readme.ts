import { resourceExamples } from "../provider/core/schema/example-languages";
import { packageTypes } from "../provider/core/schema/schema";
import { managedSpecs, specOf } from "../provider/resources/index";
import { dotnetPackage, goModule, repository, sdkNames } from "./publisher";
import { declaredFunctions } from "./sdk/files";

/** How a registry shows an SDK. */
interface Shown {
  title: string;
  /** The command that adds the SDK to a program. */
  add: string;
  /** The language as the schema's examples call it. */
  example: string;
  /** What else to know, if anything. */
  remark?: string;
}

const shown = {
  nodejs: {
    title: "TypeScript and JavaScript",
    add: "pulumi package add modelplatform",
    example: "typescript",
    remark: `This is the SDK that \`pulumi package add\` generates. The npm package [pulumi-modelplatform](${repository}#readme) has classes of its own, a
built-in engine and commands for drift.`,
  },
  python: { title: "Python", add: "pip install pulumi-modelplatform", example: "python" },
  go: {
    title: "Go",
    add: `go get ${goModule}`,
    example: "go",
    remark: `The first compilation takes minutes, as it compiles Pulumi's SDK; [what helps](${repository}/blob/main/docs/install.md#the-first-compilation-in-go).`,
  },
  dotnet: { title: "C#", add: `dotnet add package ${dotnetPackage}`, example: "csharp" },
} satisfies Readonly<Record<string, Shown>>;

/** A language whose SDK has a page of its own, as the Pulumi CLI calls it. */
export type SdkLanguage = keyof typeof shown;

/** The page of an SDK in its registry, in its own language. */
export function sdkReadme(
  language: SdkLanguage,
  { description, license }: { description: string; license: string },
): string {
  const { title, add, example, remark }: Shown = shown[language];
  return `# Model Platform for ${title}

${description}

\`\`\`sh
${add}
\`\`\`

${exampleIn(example)}

Settings come from the stack's config, then from the environment. Give the key by the environment: no state has it.

\`\`\`sh
pulumi config set modelplatform:accountId acme
pulumi config set modelplatform:baseUrl https://api.example.com
export MODELPLATFORM_API_KEY="…"
\`\`\`

\`pulumi preview\` installs the provider plugin in the version of the SDK.
${remark === undefined ? "" : `\n${remark}\n`}
[Documentation](${repository}/blob/main/docs/plugin.md) · [Issues](${repository}/issues) · License: ${license}
`;
}

function exampleIn(language: string): string {
  const blocks = resourceExamples(specOf("User")!, packageTypes(managedSpecs, declaredFunctions), sdkNames);
  return new RegExp(`^\`\`\`${language}\\n[\\s\\S]*?\\n\`\`\`$`, "m").exec(blocks)![0];
}
