import { type Answer, type Asked, filesOf, type Loopback, serve } from "./loopback";

/** What a client asks of a source of .NET packages: its index, a package, a push. */
export class NugetSource {
  static readonly key = "nuget-key-of-tests";
  /** By path below the content. */
  readonly packages = new Map<string, Buffer>();

  private constructor() {}

  static async open(): Promise<NugetSource & Loopback> {
    const source = new NugetSource();
    return Object.assign(source, await serve((asked, url) => source.answer(asked, url)));
  }

  private async answer(asked: Asked, url: string): Promise<Answer> {
    if (asked.path === "/") {
      const resources = [
        { "@id": `${url}content/`, "@type": "PackageBaseAddress/3.0.0" },
        { "@id": `${url}push`, "@type": "PackagePublish/2.0.0" },
      ];
      return { status: 200, body: JSON.stringify({ version: "3.0.0", resources }), type: "application/json" };
    }
    if (asked.path === "/push") return this.push(asked);
    const content = this.packages.get(asked.path.replace("/content/", ""));
    return content === undefined ? { status: 404 } : { status: 200, body: content };
  }

  private async push(asked: Asked): Promise<Answer> {
    if (asked.headers["x-nuget-apikey"] !== NugetSource.key) return { status: 403 };
    const [file] = await filesOf(asked);
    const content = Buffer.from(await file!.arrayBuffer());
    const version = /<version>(.*)<\/version>/.exec(content.toString("latin1"))![1]!;
    const path = `pulumi.modelplatform/${version}/pulumi.modelplatform.${version}.nupkg`;
    if (this.packages.has(path)) return { status: 409 };
    this.packages.set(path, content);
    return { status: 201 };
  }
}
