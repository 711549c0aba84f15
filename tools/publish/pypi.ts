import { createHash } from "node:crypto";
import { digest, nameOf, requirePackages } from "./files";
import { absent, combined, type Presence, type Registry, same, type Target } from "./registry";

const name = "pulumi-modelplatform";

/** The index of what an upload address takes: `simple/` below it, or beside a `legacy/` of a host for uploads. */
export function indexOf(address: string): string {
  const url = new URL(address.endsWith("/") ? address : `${address}/`);
  if (!url.pathname.endsWith("/legacy/")) return new URL(`simple/${name}/`, url).href;
  url.hostname = url.hostname.replace(/^upload\./, "");
  return new URL(`../simple/${name}/`, url).href;
}

/** Where the index has each file, by its name. */
async function listed({ address, fetch }: Target): Promise<Map<string, URL>> {
  const index = indexOf(address);
  const response = await fetch(index, { headers: { accept: "text/html" } });
  if (response.status === 404) return new Map();
  if (!response.ok) throw new Error(`GET ${index} answered ${response.status} ${response.statusText}`);
  const links = [...(await response.text()).matchAll(/<a\s[^>]*?href="([^"]+)"/g)];
  const urls = links.map(([, href]) => new URL(href!.replaceAll("&amp;", "&"), response.url));
  return new Map(urls.map((url) => [decodeURIComponent(url.pathname.split("/").at(-1)!), url]));
}

async function presenceOf(path: string, url: URL | undefined, { fetch }: Target): Promise<Presence> {
  if (url === undefined) return absent;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`GET ${url.href} answered ${response.status} ${response.statusText}`);
  const actual = createHash("sha256")
    .update(Buffer.from(await response.arrayBuffer()))
    .digest("hex");
  const expected = digest("sha256", path);
  return actual === expected
    ? same
    : { is: "other", what: `the SHA-256 of ${nameOf(path)} is ${actual}, and here ${expected}` };
}

async function presences(target: Target): Promise<{ path: string; presence: Presence }[]> {
  const urls = await listed(target);
  const paths = requirePackages(target.release, "python");
  return Promise.all(
    paths.map(async (path) => ({ path, presence: await presenceOf(path, urls.get(nameOf(path)), target) })),
  );
}

const lookUp = async (target: Target): Promise<Presence> =>
  combined((await presences(target)).map(({ presence }) => presence));

async function push(target: Target): Promise<void> {
  const missing = (await presences(target)).filter(({ presence }) => presence.is === "absent");
  const options = ["--non-interactive", "--disable-progress-bar", "--repository-url", target.address];
  await target.tool("python3", ["-m", "twine", "upload", ...options, ...missing.map(({ path }) => path)]);
}

export const pypi: Registry = { title: "PyPI", subject: (version) => `${name} ${version}`, lookUp, push };
