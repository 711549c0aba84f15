import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../io/files/package";
import { releaseFolder } from "./executables/main";
import { goModule } from "./publisher";

/** A file, or a folder, and where a release publishes it. */
export interface Published {
  path: string;
  where: string;
}

/** How the SDK of a language becomes what its registry takes. */
interface SdkPackage {
  /** As the Pulumi CLI calls it. */
  language: string;
  /** The command that packs, without which there is no package. */
  needs: string;
  where(version: string): string;
  /** Packs the sources in `folder`; the path of the package. */
  pack(folder: string): string;
}

const sdkPackages: readonly SdkPackage[] = [
  {
    language: "python",
    needs: "python3",
    where: () => "PyPI, as pulumi-modelplatform",
    pack(folder) {
      const sources = join(folder, "python");
      copyFileSync(join(packageRoot, "README.md"), join(sources, "README.md"));
      run("python3", ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", join(folder, "pypi"), "."], sources);
      return only(join(folder, "pypi"));
    },
  },
  {
    language: "dotnet",
    needs: "dotnet",
    where: () => "NuGet, as Pulumi.ModelPlatform",
    pack(folder) {
      run("dotnet", ["pack", "--configuration", "Release", "--output", join(folder, "nuget")], join(folder, "dotnet"));
      return only(join(folder, "nuget"));
    },
  },
  {
    language: "go",
    needs: "go",
    where: (version) => `branch sdk-go, with the tag sdk/go/v${version}`,
    pack(folder) {
      const sources = join(folder, "go");
      run("go", ["mod", "init", goModule], sources);
      run("go", ["mod", "tidy"], sources);
      run("go", ["build", "./..."], sources);
      return sources;
    },
  },
];

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
    ...(isThere("which", host) ? [] : [host]),
    ...(isThere("which", needs) ? [] : [needs]),
  ];
  if (absent.length === 0) return undefined;
  return `nothing for ${where(version)}: there is no \`${absent.join("`, `")}\` on the PATH`;
}

/** Makes the package of each other language from the schema, with what is there for it. */
export function buildSdkPackages(version: string): { published: Published[]; missing: string[] } {
  const folder = join(releaseFolder, "sdks");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const lacks = sdkPackages.map((each) => ({ each, lack: lackOf(each, version) }));
  const published = lacks.flatMap(({ each, lack }) => {
    if (lack !== undefined) return [];
    const schema = join(packageRoot, "schema.json");
    run("pulumi", ["package", "gen-sdk", schema, "--language", each.language, "--out", folder], packageRoot);
    return [{ path: each.pack(folder), where: each.where(version) }];
  });
  return { published, missing: lacks.flatMap(({ lack }) => lack ?? []) };
}
