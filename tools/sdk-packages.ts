import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../io/files/package";
import { dotnetPackage, goModule } from "./publisher";
import { type SdkLanguage, sdkReadme } from "./sdk-readme";

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

/** Makes a module of the least SDK that programs may have, and of the Go that this SDK asks for, whatever is here. */
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
