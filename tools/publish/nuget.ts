import { readFileSync } from "node:fs";
import { nameOf, requirePackages } from "./files";
import { absent, combined, type Presence, type Registry, same, type Target } from "./registry";

/** The checksum of each entry of a ZIP file, by its name: what its central directory says. */
function checksumsOf(zip: Buffer): Map<string, string> {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) throw new Error("the file is not a ZIP file");
  const count = zip.readUInt16LE(end + 10);
  const checksums = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry += 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength!);
    checksums.set(name, `${zip.readUInt32LE(at + 16).toString(16)} ${zip.readUInt32LE(at + 24)}`);
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  return checksums;
}

/** The registry adds its signature to a package; everything else is as it was sent. */
const signature = ".signature.p7s";

interface ServiceIndex {
  resources: readonly { "@id": string; "@type": string }[];
}

/** The address below which a source has the packages themselves. */
async function contentAddress({ address, fetch }: Target): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`GET ${address} answered ${response.status} ${response.statusText}`);
  const { resources } = (await response.json()) as ServiceIndex;
  const content = resources.find((each) => each["@type"].startsWith("PackageBaseAddress/"));
  if (content === undefined) throw new Error(`${address} is not a source's index: it has no PackageBaseAddress`);
  return content["@id"].replace(/\/?$/, "/");
}

/** `Some.Package.1.2.3.nupkg` is at `some.package/1.2.3/some.package.1.2.3.nupkg`. */
const contentPath = (path: string, version: string): string => {
  const id = nameOf(path).slice(0, -`.${version}.nupkg`.length).toLowerCase();
  return `${id}/${version}/${id}.${version}.nupkg`;
};

function comparison(path: string, live: Buffer): Presence {
  const [expected, actual] = [checksumsOf(readFileSync(path)), checksumsOf(live)];
  actual.delete(signature);
  const names = [...new Set([...expected.keys(), ...actual.keys()])];
  const different = names.filter((name) => expected.get(name) !== actual.get(name)).sort();
  if (different.length === 0) return same;
  return { is: "other", what: `${nameOf(path)} differs in ${different.join(", ")}` };
}

async function presenceOf(path: string, content: string, { release, fetch }: Target): Promise<Presence> {
  const url = new URL(contentPath(path, release.version), content);
  const response = await fetch(url);
  if (response.status === 404) return absent;
  if (!response.ok) throw new Error(`GET ${url.href} answered ${response.status} ${response.statusText}`);
  return comparison(path, Buffer.from(await response.arrayBuffer()));
}

async function lookUp(target: Target): Promise<Presence> {
  const content = await contentAddress(target);
  const paths = requirePackages(target.release, "dotnet");
  return combined(await Promise.all(paths.map((path) => presenceOf(path, content, target))));
}

async function push({ release, address, env, tool }: Target): Promise<void> {
  const key = env["NUGET_API_KEY"];
  if (!key) throw new Error("NUGET_API_KEY is not set: create a key of the account that owns the package");
  for (const path of requirePackages(release, "dotnet"))
    await tool("dotnet", ["nuget", "push", path, "--source", address], { secret: ["--api-key", key] });
}

export const nuget: Registry = {
  title: "NuGet",
  subject: (version) => `the .NET SDK ${version}`,
  lookUp,
  push,
};
