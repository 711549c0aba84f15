import { type Answer, type Asked, type Loopback, serve } from "./loopback";

const json = (status: number, value: unknown): Answer => ({
  status,
  body: JSON.stringify(value),
  type: "application/json",
});

interface Packument {
  name: string;
  versions: Record<string, { dist: { integrity: string; tarball: string } }>;
  "dist-tags": Record<string, string>;
  _attachments?: Record<string, { data: string }>;
}

/** What a client of npm asks of a registry to publish a package and to install it. */
export class NpmRegistry {
  static readonly token = "npm-token-of-tests";
  private packument: Packument | undefined;
  private readonly tarballs = new Map<string, Buffer>();
  /** Versions that it refuses, and does not show: they were removed. */
  readonly removed = new Set<string>();
  /** Each write that it has accepted. */
  readonly published: string[] = [];

  private constructor() {}

  static async open(): Promise<NpmRegistry & Loopback> {
    const registry = new NpmRegistry();
    return Object.assign(registry, await serve((asked, url) => registry.answer(asked, url)));
  }

  private answer({ method, path, headers, body }: Asked, url: string): Answer {
    const tarball = this.tarballs.get(path);
    if (tarball !== undefined) return { status: 200, body: tarball, type: "application/octet-stream" };
    if (path.split("?")[0] !== "/pulumi-modelplatform") return json(404, { error: "not_found" });
    if (method === "GET")
      return this.packument === undefined ? json(404, { error: "not_found" }) : json(200, this.packument);
    if (headers.authorization !== `Bearer ${NpmRegistry.token}`) return json(401, { error: "who are you?" });
    return this.put(JSON.parse(body.toString()) as Packument, url);
  }

  private put({ name, versions, "dist-tags": tags, _attachments: attachments }: Packument, url: string): Answer {
    const [[version, manifest]] = Object.entries(versions) as [[string, Packument["versions"][string]]];
    if (this.removed.has(version) || this.packument?.versions[version] !== undefined)
      return json(409, { error: `${name}@${version} is there` });
    const path = `/tarballs/${version}.tgz`;
    this.tarballs.set(path, Buffer.from(Object.values(attachments!)[0]!.data, "base64"));
    const entry = { ...manifest, dist: { ...manifest.dist, tarball: new URL(path, url).href } };
    this.packument = {
      ...{ name, "dist-tags": { ...this.packument?.["dist-tags"], ...tags } },
      versions: { ...this.packument?.versions, [version]: entry },
    };
    this.published.push(version);
    return json(201, { ok: true });
  }
}
