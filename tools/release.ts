import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { manifest, packageRoot } from "../io/files/package";
import { problemOfRelease } from "./changelog";
import { buildExecutables, platformNames, releaseFolder } from "./executables";
import { isUpToDate } from "./generate";
import { unreadyFiles } from "./publication";
import { publishCommand } from "./publish/command";
import { organization, published, repository } from "./publisher";
import { rehearse } from "./rehearsal/rehearsal";
import { type Asked, runScript, type Script, UsageError } from "./script";
import { buildSdkPackages, type Published } from "./sdk-packages";

/** What a release must be before it is published. */
interface Check {
  what: string;
  holds: boolean;
  otherwise: string;
}

const textOf = (path: string): string => readFileSync(join(packageRoot, path), "utf8");

export function releaseChecks(version: string, tag: string | undefined): Check[] {
  const problem = problemOfRelease(textOf("CHANGELOG.md"), version);
  const unready = unreadyFiles(packageRoot, packedFiles());
  return [
    {
      what: "the tag names the version of package.json",
      holds: tag === undefined || tag === `v${version}`,
      otherwise: `it is ${tag}, and the version ${version}`,
    },
    {
      what: "the changelog is that of the version",
      holds: problem === undefined,
      otherwise: `${problem}; run \`npm run release:version -- <version>\`, which moves what is unreleased`,
    },
    { what: "generated files are up to date", holds: isUpToDate(packageRoot), otherwise: "run `npm run generate`" },
    {
      what: "the publisher is named",
      holds: !organization.startsWith("example-"),
      otherwise: "replace the placeholder in tools/publisher.ts, and run `npm run generate`",
    },
    {
      what: "the package says that it is published",
      holds: published,
      otherwise: "say that it is `published` in tools/publisher.ts, and run `npm run generate`",
    },
    {
      what: "no packed file names the placeholder, or says that nothing is published",
      holds: unready.length === 0,
      otherwise: `${unready.join(", ")}; run \`npm run generate\`, or write what the first user may read`,
    },
  ];
}

/** What npm would pack, by its own rules. */
function packedFiles(): string[] {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const options = { cwd: packageRoot, encoding: "utf8", shell: process.platform === "win32" } as const;
  const [{ files }] = JSON.parse(execFileSync("npm", args, options)) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

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
function releaseAttachments(version: string): Published[] {
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
      ...buildSdkPackages(manifest().version, releaseFolder).missing,
    ];
    console.log(JSON.stringify({ npm, missing: names.includes("npm") ? [] : others() }));
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}

const script = {
  command: "npm run release",
  about: "Builds everything that a release has below .release, and checks it.",
  flags: {
    "dry-run": { about: "lists what would be published, and publishes nothing" },
    rehearse: {
      about: "publishes to registries on this machine, and installs from them; `npm` rehearses that one alone",
    },
    tag: { value: "<tag>", about: "the tag of the release, which has to name the version" },
  },
  takes: platformNames,
} satisfies Script;

function main({ flags, args }: Asked<typeof script.flags>): number | Promise<number> {
  if (flags.rehearse) return rehearse(args);
  if (!flags["dry-run"])
    throw new UsageError(
      "Push a tag, as docs/dev/releasing.md says. `--dry-run` builds and checks, `publish` sends what is built to one registry.",
    );
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  const executables = buildExecutables(args);
  const sdks = buildSdkPackages(version, releaseFolder);
  console.log(`Would be published as ${version}:`);
  for (const { path, where } of [pack(), ...releaseAttachments(version), ...sdks.published])
    console.log(`- ${path}: ${where}`);
  const checks = releaseChecks(version, flags.tag);
  const missing = [...executables.missing, ...sdks.missing];
  for (const { what, holds, otherwise } of checks)
    console.log(holds ? `ok      ${what}` : `not ok  ${what}: ${otherwise}`);
  for (const reason of missing) console.log(`not ok  ${reason}`);
  return missing.length === 0 && checks.every(({ holds }) => holds) ? 0 : 1;
}

/** Commands with arguments of their own. */
const commands: Readonly<Record<string, (args: readonly string[]) => number | Promise<number>>> = {
  publish: (args) => publishCommand(args, { env: process.env, fetch, out: console.log, err: console.error }),
  build: buildParts,
};

async function start([command = "", ...rest]: readonly string[]): Promise<void> {
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (run) process.exitCode = await run(rest);
  else await runScript(script, main);
}

if (require.main === module) void start(process.argv.slice(2));
