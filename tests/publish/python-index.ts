import { type Answer, type Asked, filesOf, type Loopback, serve } from "./loopback";

/** What `twine` and an installer ask of an index of Python packages. */
export class PythonIndex {
  static readonly password = "pypi-token-of-tests";
  readonly files = new Map<string, Buffer>();
  /** Whether it lists what it has. */
  isListing = true;

  private constructor() {}

  static async open(): Promise<PythonIndex & Loopback> {
    const index = new PythonIndex();
    return Object.assign(index, await serve((asked) => index.answer(asked)));
  }

  private async answer(asked: Asked): Promise<Answer> {
    if (asked.method === "POST") return this.upload(asked);
    const file = this.files.get(decodeURIComponent(asked.path.replace("/packages/", "")));
    if (file !== undefined) return { status: 200, body: file, type: "application/octet-stream" };
    if (asked.path !== "/simple/pulumi-modelplatform/" || this.files.size === 0 || !this.isListing)
      return { status: 404 };
    const links = [...this.files.keys()].map(
      (name) => `<a href="/packages/${encodeURIComponent(name)}#x=1">${name}</a>`,
    );
    return { status: 200, body: `<html>${links.join("<br>")}</html>`, type: "text/html" };
  }

  private async upload(asked: Asked): Promise<Answer> {
    const expected = `Basic ${Buffer.from(`__token__:${PythonIndex.password}`).toString("base64")}`;
    if (asked.headers.authorization !== expected)
      return { status: 403, body: "Invalid or non-existent authentication" };
    const [file] = await filesOf(asked);
    if (this.files.has(file!.name)) return { status: 409, body: `Conflict: ${file!.name} is there` };
    this.files.set(file!.name, Buffer.from(await file!.arrayBuffer()));
    return { status: 200 };
  }
}
