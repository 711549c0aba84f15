import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../io/files/package";
import { managedSpecs, specOf } from "../provider/resources/index";
import { dotnetPackage, goModule, repository, sdkNames } from "./publisher";
import { resourceExamples } from "./schema/examples";
import { packageTypes } from "./schema/schema";
import { declaredFunctions } from "./sdk/files";

/** How a registry shows an SDK. */
interface LanguagePackage {
  title: string;
  /** The command that adds the SDK to a program. */
  add: string;
  /** The language as the schema's examples call it. */
  example: string;
  /** What else to know, if anything. */
  remark?: string;
}

const packages = {
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
} satisfies Readonly<Record<string, LanguagePackage>>;

/** A language whose SDK has a page of its own, as the Pulumi CLI calls it. */
export type SdkLanguage = keyof typeof packages;

/** The page of an SDK in its registry, in its own language. */
export function sdkReadme(
  language: SdkLanguage,
  { description, license }: { description: string; license: string },
): string {
  const { title, add, example, remark }: LanguagePackage = packages[language];
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

/** A file, or a folder, and where a release publishes it. */
export interface Published {
  path: string;
  where: string;
}

/** How the SDK of a language becomes what its registry takes. */
interface SdkPackage {
  language: SdkLanguage;
  /** The commands that generate and pack besides the CLI and its host of the language. */
  needs: readonly string[];
  where(version: string): string;
  /** Packs what is in `sources` into a folder of `output`; the path of the package. */
  pack(sources: string, output: string): string;
}

interface Manifest {
  description: string;
  license: string;
  peerDependencies: Record<string, string>;
}

const manifest = (): Manifest => JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as Manifest;

const goSdk = "github.com/pulumi/pulumi/sdk/v3";

/** The page, the license and their place in the package: the generator's project file names neither. */
const dotnetTargets = `<Project>
  <PropertyGroup>
    <PackageReadmeFile>README.md</PackageReadmeFile>
  </PropertyGroup>
  <ItemGroup>
    <None Include="README.md;LICENSE" Pack="true" PackagePath="" />
  </ItemGroup>
</Project>
`;

const sdkPackages: readonly SdkPackage[] = [
  {
    language: "python",
    needs: ["python3", "pulumi-language-python-exec"],
    where: () => "PyPI, as pulumi-modelplatform",
    pack(sources, output) {
      run("python3", ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", join(output, "pypi"), "."], sources);
      return only(join(output, "pypi"));
    },
  },
  {
    language: "dotnet",
    needs: ["dotnet"],
    where: () => `NuGet, as ${dotnetPackage}`,
    pack(sources, output) {
      writeFileSync(join(sources, "Directory.Build.targets"), dotnetTargets);
      run("dotnet", ["pack", "--configuration", "Release", "--output", join(output, "nuget")], sources);
      return only(join(output, "nuget"));
    },
  },
  {
    language: "go",
    needs: ["go"],
    where: (version) => `branch sdk-go, with the tag sdk/go/v${version}`,
    pack(sources) {
      requireLeast(sources);
      // As the Pulumi CLI compiles programs: both then share what Go's build cache has.
      run("go", ["build", "-trimpath", "./..."], sources);
      return sources;
    },
  },
];

/** Makes a module of the least SDK that programs may have, and of the Go that this SDK asks for. */
export function requireLeast(sources: string): void {
  const least = `${goSdk}@v${manifest().peerDependencies["@pulumi/pulumi"]!.replace("^", "")}`;
  run("go", ["mod", "init", goModule], sources);
  const asked = execFileSync("go", ["list", "-m", "-f", "{{.GoVersion}}", least], { cwd: sources, encoding: "utf8" });
  run("go", ["mod", "edit", `-require=${least}`, `-go=${asked.trim()}`, "-toolchain=none"], sources);
  run("go", ["mod", "tidy"], sources);
}

/** Puts the language's own page, and the license, beside generated sources. */
export function addPages(language: SdkLanguage, sources: string): void {
  writeFileSync(join(sources, "README.md"), sdkReadme(language, manifest()));
  copyFileSync(join(packageRoot, "LICENSE"), join(sources, "LICENSE"));
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

const only = (folder: string): string => join(folder, readdirSync(folder)[0]!);

function isThere(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** What is missing here to make the package of a language, as a sentence. */
function lackOf({ language, needs, where }: SdkPackage, version: string): string | undefined {
  const host = `pulumi-language-${language}`;
  const absent = [
    ...(isThere("pulumi", "version") ? [] : ["pulumi"]),
    ...[host, ...needs].filter((command) => !isThere("which", command)),
  ];
  if (absent.length === 0) return undefined;
  return `nothing for ${where(version)}: there is no \`${absent.join("`, `")}\` on the PATH`;
}

/** Makes the package of each other language from the schema, with what is there for it, in a folder of `release`. */
export function buildSdkPackages(version: string, release: string): { published: Published[]; missing: string[] } {
  const folder = join(release, "sdks");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const lacks = sdkPackages.map((each) => ({ each, lack: lackOf(each, version) }));
  const published = lacks.flatMap(({ each, lack }) => {
    if (lack !== undefined) return [];
    const schema = join(packageRoot, "schema.json");
    run("pulumi", ["package", "gen-sdk", schema, "--language", each.language, "--out", folder], packageRoot);
    const sources = join(folder, each.language);
    addPages(each.language, sources);
    return [{ path: each.pack(sources, folder), where: each.where(version) }];
  });
  return { published, missing: lacks.flatMap(({ lack }) => lack ?? []) };
}
