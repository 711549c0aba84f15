import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { manifest, packageRoot } from "../io/files/package";
import { buildExecutables, releaseFolder } from "./executables/main";
import { isUpToDate } from "./generate";
import { publishCommand } from "./publish/command";
import { goModule, organization, repository } from "./publisher";
import { rehearse } from "./rehearsal/rehearsal";

/** What a release must be before it is published. */
interface Check {
  what: string;
  holds: boolean;
  otherwise: string;
}

const textOf = (path: string): string => readFileSync(join(packageRoot, path), "utf8");

export const releaseChecks = (version: string, tag: string | undefined): Check[] => [
  {
    what: "the tag names the version of package.json",
    holds: tag === undefined || tag === `v${version}`,
    otherwise: `it is ${tag}, and the version ${version}`,
  },
  {
    what: "the changelog has the version",
    holds: textOf("CHANGELOG.md").includes(`## [${version}]`),
    otherwise: `give the section of what is unreleased the heading \`## [${version}] - <date>\``,
  },
  { what: "generated files are up to date", holds: isUpToDate(packageRoot), otherwise: "run `npm run generate`" },
  {
    what: "the publisher is named",
    holds: !organization.startsWith("example-"),
    otherwise: "replace the placeholder in tools/publisher.ts, and run `npm run generate`",
  },
];

/** The package that the registry gets. */
function pack(): Published {
  mkdirSync(releaseFolder, { recursive: true });
  // Of a version that was built before, nothing is published.
  for (const name of readdirSync(releaseFolder)) if (name.endsWith(".tgz")) rmSync(join(releaseFolder, name));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", releaseFolder];
  const options = { cwd: packageRoot, encoding: "utf8", shell: process.platform === "win32" } as const;
  const [{ filename }] = JSON.parse(execFileSync("npm", args, options)) as [{ filename: string }];
  return { path: join(releaseFolder, filename), where: "npm, as pulumi-modelplatform" };
}

/** What of the archives' folder is attached to the release. */
function attached(version: string): Published[] {
  const sums = textOf(".release/archives/SHA256SUMS").trimEnd().split("\n");
  return [...sums.map((line) => line.split("  ")[1]!), "SHA256SUMS"].map((file) => ({
    path: join(releaseFolder, "archives", file),
    where: `${repository}/releases/tag/v${version}`,
  }));
}

/** Builds the npm package, and everything else unless `npm` alone is asked for; what is missing, as JSON. */
function buildParts(names: readonly string[]): number {
  try {
    const npm = basename(pack().path);
    const others = (): string[] => [
      ...buildExecutables(names).missing,
      ...buildSdkPackages(manifest().version).missing,
    ];
    console.log(JSON.stringify({ npm, missing: names.includes("npm") ? [] : others() }));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

function main(args: readonly string[]): number | Promise<number> {
  const [command, ...rest] = args;
  if (command === "publish")
    return publishCommand(rest, { env: process.env, fetch, out: console.log, err: console.error });
  if (command === "build") return buildParts(rest);
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean", default: false },
      rehearse: { type: "boolean", default: false },
      tag: { type: "string" },
    },
  });
  if (values.rehearse) return rehearse(positionals);
  if (!values["dry-run"]) {
    console.error(
      "Push a tag, as docs/releasing.md says. `--dry-run` builds and checks, `publish` sends what is built to one registry.",
    );
    return 2;
  }
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  const executables = buildExecutables(positionals);
  const sdks = buildSdkPackages(version);
  console.log(`Would be published as ${version}:`);
  for (const { path, where } of [pack(), ...attached(version), ...sdks.published]) console.log(`- ${path}: ${where}`);
  const checks = releaseChecks(version, values.tag);
  const missing = [...executables.missing, ...sdks.missing];
  for (const { what, holds, otherwise } of checks)
    console.log(holds ? `ok      ${what}` : `not ok  ${what}: ${otherwise}`);
  for (const reason of missing) console.log(`not ok  ${reason}`);
  return missing.length === 0 && checks.every(({ holds }) => holds) ? 0 : 1;
}

/** A file, or a folder, and where a release publishes it. */
interface Published {
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
      // As the Pulumi CLI compiles programs: both then share what Go's build cache has.
      run("go", ["build", "-trimpath", "./..."], sources);
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
function buildSdkPackages(version: string): { published: Published[]; missing: string[] } {
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

if (require.main === module)
  void Promise.resolve(main(process.argv.slice(2))).then((code) => (process.exitCode = code));
