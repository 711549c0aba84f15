import { createHash, randomUUID } from "node:crypto";
import {
  cpSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { manifest, packageRoot } from "../../io/files/package";
import { releaseFolder } from "../executables";
import type { RegistryName } from "../publish/command";
import { goModule, repository } from "../publisher";
import type { Place, Sandbox } from "./sandbox";

/** A web server with the files of the release. */
export interface ArchiveServer extends LocalRegistry {
  /** As `pulumi plugin install --server` takes it. */
  url: string;
  /** The SHA-256 of a file, as the published list of checksums has it. */
  checksumOf(file: string): string;
}

/** Serves the files of a folder to this machine, by their names. */
export async function openArchiveServer(sandbox: Sandbox): Promise<ArchiveServer> {
  const storage = sandbox.newFolder("archives");
  const server = createServer((request, response) => {
    const file = join(storage, posix.basename(request.url!));
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": stats.size });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  sandbox.closeWith(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    name: "archives",
    address: pathToFileURL(storage).href,
    env: sandbox.home("archives-publisher"),
    differences: [
      "archives: a folder behind a web server on this machine, in place of the forge's release",
      "archives: the checksum is compared before `pulumi plugin install`: over HTTP/1.1, its `--checksum` refuses every archive",
    ],
    storage,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checksumOf(file) {
      const lines = readFileSync(join(storage, "SHA256SUMS"), "utf8").split("\n");
      const line = lines.find((each) => each.endsWith(`  ${file}`));
      if (line === undefined) throw new Error(`the published SHA256SUMS does not name ${file}`);
      return line.split("  ")[0]!;
    },
  };
}

/** Where npm is configured to get packages from. */
async function npmSettings(sandbox: Sandbox, here: Place): Promise<{ registry: string; cafile?: string }> {
  const { registry, cafile } = JSON.parse(await sandbox.run("npm", ["config", "list", "--json"], here)) as {
    registry: string;
    cafile?: string | null;
  };
  return { registry, ...(cafile && { cafile }) };
}

/** Settings of pip that say how to reach an index; those that name one, or a folder of packages, are replaced. */
const reaching = ["cert", "client-cert", "proxy", "timeout", "default-timeout", "retries", "trusted-host"];
const naming = ["index-url", "extra-index-url", "find-links", "no-index"];

/** What pip's settings come to: variables that reach an index, and settings that name other sources. */
export function pipSettings(list: string): { env: Record<string, string>; left: string[] } {
  // Later sources win: files, then the settings of `install`, then variables.
  const order = ["global", "install", ":env:"];
  const entries = list
    .split("\n")
    .flatMap((line) => [...line.matchAll(/^(.+)\.([\w-]+)=(['"])(.*)\3$/g)])
    .map(([, section = "", name = "", , value = ""]) => ({ section, name, value: value.replaceAll("\\n", " ").trim() }))
    .filter(({ section }) => order.includes(section))
    .sort((one, other) => order.indexOf(one.section) - order.indexOf(other.section));
  const env = entries
    .filter(({ name }) => reaching.includes(name))
    .map(({ name, value }) => [`PIP_${name.toUpperCase().replaceAll("-", "_")}`, value] as const);
  const left = entries.map(({ name }) => name).filter((name) => naming.includes(name) && name !== "index-url");
  return { env: { ...Object.fromEntries(env), PIP_DISABLE_PIP_VERSION_CHECK: "1" }, left: [...new Set(left)] };
}

/** The index that pip asks: its help shows what its settings come to. */
export function pipIndex(help: string): string {
  const [, index] = /--index-url <url>[^(]*\(default\s+(\S+?)\)/.exec(help) ?? [];
  if (index !== undefined) return index;
  throw new Error("`pip install --help` does not show which index pip asks: no `(default …)` after `--index-url`");
}

/** Settings of Go that say where modules come from, and the cache of compiled packages. */
async function goSettings(sandbox: Sandbox, here: Place): Promise<Record<string, string>> {
  const names = ["GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOINSECURE", "GOTOOLCHAIN", "GOCACHE"];
  return JSON.parse(await sandbox.run("go", ["env", "-json", ...names], here)) as Record<string, string>;
}

/** The repository that has the Go SDK, and how Go gets a module from it. */
export interface GoOrigin extends LocalRegistry {
  /** Variables with which Go takes our module from this repository, and all others as configured. */
  go: Readonly<Record<string, string>>;
}

/** Makes a bare repository, which git puts in the place of the forge's. */
export async function openGoOrigin(sandbox: Sandbox, here: Place): Promise<GoOrigin> {
  const origin = sandbox.newFolder("go-origin.git");
  const env = sandbox.home("go-publisher");
  await sandbox.run("git", ["init", "--quiet", "--bare", origin], { cwd: sandbox.folder, env });
  // The address that Go asks for our module is the forge's; git reads this repository instead.
  const rewrite = `[url "${pathToFileURL(origin).href}"]\n\tinsteadOf = ${repository}\n`;
  const settings = sandbox.write(rewrite, "go-origin.gitconfig");
  const configured = await goSettings(sandbox, here);
  const ours = (name: string): string => [goModule, configured[name]].filter(Boolean).join(",");
  return {
    name: "go",
    address: pathToFileURL(origin).href,
    env,
    differences: [
      "Go: git reads a bare repository on this machine in place of the forge's; no proxy or checksum database sees our module",
      "Go: compiled packages come from this machine's build cache, so that a first compile is not repeated each time",
    ],
    storage: origin,
    go: {
      ...configured,
      ...{ GONOPROXY: ours("GONOPROXY"), GONOSUMDB: ours("GONOSUMDB"), GOENV: "off", GOFLAGS: "-modcacherw" },
      // Without any other protocol, a mistake here cannot reach the forge.
      ...{
        GIT_CONFIG_GLOBAL: settings,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_ALLOW_PROTOCOL: "file",
        GIT_TERMINAL_PROMPT: "0",
      },
    },
  };
}

/** What the package says about its registries' programs; no source of ours is compiled there. */
export const registriesFolder: string = join(packageRoot, "tools", "rehearsal", "registries");

/**
 * The programs of a registry, installed from their manifest and kept for the next rehearsal. `install` fills a folder
 * that has a copy of the manifest; it is called again if an earlier installation broke off or is of another manifest.
 */
export async function installed(
  language: "npm" | "python",
  manifests: readonly string[],
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(releaseFolder, "rehearsal", language);
  const texts = manifests.map((file) => readFileSync(join(registriesFolder, language, file)));
  const digest = createHash("sha256").update(process.version).update(Buffer.concat(texts)).digest("hex");
  const complete = join(folder, ".installed");
  if (existsSync(complete) && readFileSync(complete, "utf8") === digest) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of manifests) cpSync(join(registriesFolder, language, file), join(folder, file));
  await install(folder);
  writeFileSync(complete, digest);
  return folder;
}

const user = { name: "rehearsal", password: "known-to-everybody" };

/** Starts an npm registry that takes other packages than ours from where npm is configured to. */
export async function openNpmRegistry(sandbox: Sandbox, here: Place): Promise<LocalRegistry> {
  const installation = await installed("npm", ["package.json", "package-lock.json"], (folder) =>
    sandbox.run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { ...here, cwd: folder }),
  );
  const { registry, cafile } = await npmSettings(sandbox, here);
  const storage = sandbox.newFolder("npm");
  const { name } = manifest();
  // The local registry answers 404 for what it does not reach; npm says why.
  await sandbox.run("npm", ["view", "@pulumi/pulumi", "version"], here);
  const serve = join(registriesFolder, "npm", "serve.mjs");
  const port = await sandbox.serve(process.execPath, [serve, installation, storage, name, registry], {
    cwd: sandbox.folder,
    env: { ...sandbox.home("npm-registry"), ...(cafile && { NODE_EXTRA_CA_CERTS: cafile }) },
  });
  const address = `http://127.0.0.1:${port}/`;
  const token = await newToken(address);
  return {
    name: "npm",
    address,
    env: userWith(sandbox, "npm-publisher", address, token),
    wrongCredentials: userWith(sandbox, "npm-stranger", address, "wrong"),
    differences: [
      "npm: `--provenance=false` and a token, as only a pipeline of the forge has an identity to attest",
      "npm: packages other than ours come through the local registry from the configured one",
    ],
    storage: join(storage, name),
  };
}

async function newToken(address: string): Promise<string> {
  const response = await fetch(`${address}-/user/org.couchdb.user:${user.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  const { token } = (await response.json()) as { token?: string };
  if (token === undefined) throw new Error(`the local npm registry answered ${response.status} to its first user`);
  return token;
}

/** A user whose npm has the registry as its only one, and the token if there is one. */
export function userWith(sandbox: Sandbox, name: string, address: string, token?: string): Record<string, string> {
  const env = sandbox.home(name);
  const lines = [`registry=${address}`, "audit=false", "fund=false", "update-notifier=false"];
  if (token !== undefined) lines.push(`${address.replace(/^https?:/, "")}:_authToken=${token}`);
  const settings = sandbox.write(`${lines.join("\n")}\n`, name, "home", ".npmrc");
  return { ...env, npm_config_userconfig: settings, npm_config_globalconfig: join(env["HOME"]!, "no-npmrc") };
}

/** An index of Python packages, and how somebody installs from it. */
export interface PythonIndex extends LocalRegistry {
  /** Variables with which pip asks this index alone. */
  pip: Readonly<Record<string, string>>;
}

/** Starts a Python index that sends pip to the configured one for all packages but ours. */
export async function openPythonIndex(sandbox: Sandbox, here: Place): Promise<PythonIndex> {
  const python = await installPrograms(sandbox, here);
  const pip = pipSettings(await sandbox.run("python3", ["-m", "pip", "config", "list"], here));
  const uplink = pipIndex(await sandbox.run("python3", ["-m", "pip", "install", "--help"], wide(here)));
  const storage = sandbox.newFolder("pypi");
  const token = randomUUID();
  const serve = join(registriesFolder, "python", "serve.py");
  const port = await sandbox.serve(join(python, "python3"), [serve, storage, uplink, manifest().name, token], {
    cwd: sandbox.folder,
    env: sandbox.home("python-index"),
  });
  const address = `http://127.0.0.1:${port}/`;
  const publisher = sandbox.home("python-publisher");
  const env = { ...publisher, PATH: [python, publisher["PATH"]].join(delimiter), TWINE_USERNAME: "__token__" };
  return {
    name: "pypi",
    address,
    env: { ...env, TWINE_PASSWORD: token },
    wrongCredentials: { ...env, TWINE_PASSWORD: "wrong" },
    differences: [
      "PyPI: `twine` with a token, as only a pipeline of the forge can be trusted without one",
      "PyPI: the local index sends pip to the configured one for packages other than ours",
      ...pip.left.map(
        (name) => `PyPI: pip's setting \`${name}\` is left out: it could name another package of our name`,
      ),
    ],
    storage,
    pip: {
      ...pip.env,
      PIP_CONFIG_FILE: process.platform === "win32" ? "nul" : "/dev/null",
      PIP_INDEX_URL: `${address}simple/`,
    },
  };
}

/** Help in one line per sentence: pip breaks its lines at the width of the terminal, addresses too. */
const wide = (place: Place): Place => ({ ...place, env: { ...place.env, COLUMNS: "2000" } });

/** The folder of the programs `python3` and `twine`, in a virtual environment of their own. */
async function installPrograms(sandbox: Sandbox, here: Place): Promise<string> {
  const folder = await installed("python", ["requirements.txt"], async (target) => {
    await sandbox.run("python3", ["-m", "venv", join(target, "venv")], here);
    const install = ["-m", "pip", "install", "--quiet", "--requirement", join(target, "requirements.txt")];
    await sandbox.run(join(target, "venv", "bin", "python3"), install, here);
  });
  return join(folder, "venv", "bin");
}

/** A registry on this machine. */
export interface LocalRegistry {
  name: RegistryName;
  /** As the publishing command takes it. */
  address: string;
  /** What a publication needs besides the address. */
  env: Readonly<Record<string, string>>;
  /** The same with credentials that the registry refuses; undefined where it asks for none. */
  wrongCredentials?: Readonly<Record<string, string>>;
  /** How publishing and installing differ from those of the public registry, and why. */
  differences: readonly string[];
  /** Folder with what was published, and nothing else. */
  storage: string;
}

/** Files below `folder`, as paths from it. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .sort();

/** Bytes of all files below a folder. */
export const sizeOf = (folder: string): number =>
  filesBelow(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);

/** Differs as soon as a file below the folder is another one, or was written again. */
export function fingerprintOf(folder: string): string {
  const hash = createHash("sha256");
  for (const path of filesBelow(folder)) {
    const file = join(folder, path);
    hash.update(JSON.stringify([path, statSync(file).mtimeMs])).update(readFileSync(file));
  }
  return hash.digest("hex");
}
