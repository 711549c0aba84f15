import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../io/files/package";
import { runScript, type Script, UsageError } from "../script";
import {
  archiveOf,
  executableOf,
  hostPlatform,
  type NodeRuntime,
  nameOf,
  type Platform,
  platforms,
  runtimeOf,
  sha256,
} from "./platforms";
import { archive } from "./tar";

/** What is built for a release, and what is fetched for that; no commit has it. */
export const releaseFolder: string = join(packageRoot, ".release");

/** Beneath the package, as executables have it in them: a whole path would say where they were built. */
const script = "plugin/pulumi-resource-modelplatform";
const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(packageRoot, path), "utf8")) as T;

/** Writes one executable of the plugin: Node.js of that platform with the plugin's script in it. */
function assemble(platform: Platform, runtime: NodeRuntime, host: NodeRuntime): string {
  const folder = join(releaseFolder, nameOf(platform));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const output = join(folder, executableOf(platform));
  const config = join(folder, "executable.json");
  writeFileSync(
    config,
    JSON.stringify({
      ...{ main: script, executable: runtime.program, output },
      disableExperimentalSEAWarning: true,
      // A code cache differs from build to build.
      useCodeCache: false,
    }),
  );
  execFileSync(host.program, ["--build-sea", config], { cwd: packageRoot, stdio: ["ignore", "ignore", "inherit"] });
  rmSync(config);
  chmodSync(output, 0o755);
  return output;
}

/** Signs without an identity, which is all that this system asks for; false where nothing here can sign. */
function isSigned(path: string): boolean {
  const identifier = "pulumi-resource-modelplatform";
  const [command, args] =
    process.platform === "darwin"
      ? (["codesign", ["--sign", "-", "--force", "--identifier", identifier, path]] as const)
      : (["rcodesign", ["sign", "--binary-identifier", identifier, path]] as const);
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Builds the archive of a platform; what it lacks to run there, as a sentence. */
function build(platform: Platform, host: NodeRuntime, version: string): string | undefined {
  const runtime = runtimeOf(platform, join(releaseFolder, "runtimes"));
  const executable = assemble(platform, runtime, host);
  if (platform.os === "darwin" && !isSigned(executable))
    return `${nameOf(platform)} has no archive: macOS runs signed programs only, and neither \`codesign\` nor \`rcodesign\` (crate apple-codesign) is here. Build it on macOS.`;
  const notices = `${readFileSync(join(packageRoot, "plugin", "LICENSES.txt"), "utf8")}\nnode\n\n${runtime.license || host.license}`;
  const packed = archive([
    { path: executableOf(platform), content: readFileSync(executable), mode: 0o755 },
    { path: "LICENSES.txt", content: Buffer.from(notices) },
  ]);
  writeFileSync(join(releaseFolder, "archives", archiveOf(platform, version)), packed);
  return undefined;
}

/** Writes the archives of the named platforms, or of all, with their checksums and what they are made of. */
export function buildExecutables(names: readonly string[]): { missing: string[] } {
  const { version, license } = readJson<{ version: string; license: string }>("package.json");
  const unknown = names.filter((name) => !platforms.some((platform) => nameOf(platform) === name));
  if (unknown.length > 0)
    throw new UsageError(`There is no platform \`${unknown.join("`, `")}\`, but ${platforms.map(nameOf).join(", ")}.`);
  const archives = join(releaseFolder, "archives");
  rmSync(archives, { recursive: true, force: true });
  mkdirSync(archives, { recursive: true });
  const host = runtimeOf(hostPlatform(), join(releaseFolder, "runtimes"));
  const selected = platforms.filter((platform) => names.length === 0 || names.includes(nameOf(platform)));
  const lacks = selected.map((platform) => ({ platform, reason: build(platform, host, version) }));
  const built = lacks.filter(({ reason }) => reason === undefined).map(({ platform }) => platform);
  const versions = execFileSync(host.program, ["-p", "JSON.stringify(process.versions)"], { encoding: "utf8" });
  const bill = billOfMaterials({
    version,
    license,
    bundled: readJson<Bundled[]>("dist/.bundled.json"),
    bundler: readJson<{ version: string }>("node_modules/esbuild/package.json").version,
    runtime: JSON.parse(versions) as Record<string, string>,
    hashes: Object.fromEntries(built.map((platform) => [nameOf(platform), platform.sha256])),
    time: sourceTime(process.env, new Date()),
  });
  writeFileSync(join(archives, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
  const files = [...built.map((platform) => archiveOf(platform, version)), "sbom.cdx.json"];
  const sums = files.map((file) => `${sha256(readFileSync(join(archives, file)))}  ${file}\n`);
  writeFileSync(join(archives, "SHA256SUMS"), sums.join(""));
  return { missing: lacks.flatMap(({ reason }) => reason ?? []) };
}

/** A package whose code is in the executable. */
interface Bundled {
  name: string;
  version: string;
  license: string;
}

interface Billed {
  version: string;
  license: string;
  bundled: readonly Bundled[];
  /** Version of what puts the packages into one file. */
  bundler: string;
  /** Node.js and the libraries in it, by name, as it says them itself. */
  runtime: Readonly<Record<string, string>>;
  /** SHA-256 of Node.js, by platform. */
  hashes: Readonly<Record<string, string>>;
  /** When the sources were as they are. */
  time: Date;
}

/** The time that a build records: `SOURCE_DATE_EPOCH`, so that a second build may be the same, or the present. */
export function sourceTime(env: Readonly<Record<string, string | undefined>>, now: Date): Date {
  const epoch = env["SOURCE_DATE_EPOCH"];
  return epoch === undefined ? now : new Date(Number(epoch) * 1000);
}

/** A name for a bill that follows from its content, as one of its own number in the form of RFC 9562. */
function serialOf(content: object): string {
  const digest = sha256(Buffer.from(JSON.stringify(content)));
  const variant = ((Number.parseInt(digest[16]!, 16) & 3) | 8).toString(16);
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
  ];
  return `urn:uuid:${[...parts, digest.slice(20, 32)].join("-")}`;
}

interface Bill {
  serialNumber: string;
  version: number;
  metadata: object;
  components: readonly object[];
  dependencies: readonly object[];
}

const format = { bomFormat: "CycloneDX", specVersion: "1.6" };

/** What the executables are made of, in CycloneDX: the plugin's packages, the runtime and its libraries. */
export function billOfMaterials({ version, license, bundled, bundler, runtime, hashes, time }: Billed): Bill {
  const { node, modules: _modules, ...libraries } = runtime;
  const packages = bundled.map((each) => ({
    type: "library",
    "bom-ref": purl(each),
    name: each.name,
    version: each.version,
    purl: purl(each),
    licenses: [{ expression: each.license }],
  }));
  const engine = `node@${node}`;
  const content = {
    metadata: {
      timestamp: time.toJSON(),
      tools: {
        components: [
          { type: "application", name: "pulumi-modelplatform", version },
          { type: "application", name: "esbuild", version: bundler },
        ],
      },
      component: {
        type: "application",
        "bom-ref": "plugin",
        name: "pulumi-resource-modelplatform",
        version,
        licenses: [{ expression: license }],
      },
    },
    components: [
      ...packages,
      {
        type: "platform",
        "bom-ref": engine,
        name: "node",
        version: node,
        cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
        properties: Object.entries(hashes).map(([platform, value]) => ({ name: `sha256:${platform}`, value })),
        components: Object.entries(libraries).map(([name, each]) => ({
          type: "library",
          "bom-ref": `${engine}/${name}`,
          name,
          version: each,
        })),
      },
    ],
    dependencies: [{ ref: "plugin", dependsOn: [...packages.map((each) => each["bom-ref"]), engine] }],
  };
  return { ...format, serialNumber: serialOf(content), version: 1, ...content };
}

const purl = ({ name, version }: Bundled): string => `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;

/** The platforms that a script takes; all of them without a name. */
export const platformNames = {
  form: "<platform>…",
  about: `${platforms.map(nameOf).join(", ")}; all of them without a name`,
  least: 0,
  most: Number.POSITIVE_INFINITY,
};

const usage = {
  command: "npm run executables",
  about: "Builds the plugin's executables below .release, an archive per platform.",
  takes: platformNames,
} satisfies Script;

function main(names: readonly string[]): number {
  const { missing } = buildExecutables(names);
  console.log(`Built in ${join(releaseFolder, "archives")}:`);
  console.log(readFileSync(join(releaseFolder, "archives", "SHA256SUMS"), "utf8").trimEnd());
  for (const reason of missing) console.error(reason);
  return missing.length === 0 ? 0 : 1;
}

if (require.main === module) void runScript(usage, ({ args }) => main(args));
