import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repository } from "../../tests/e2e/engines";

const linkEach = (from: string, to: string, apart: string): void => {
  mkdirSync(to);
  for (const name of readdirSync(from).filter((each) => each !== apart)) symlinkSync(join(from, name), join(to, name));
};

/** What programs and this package would find if the least SDK that they may have were installed. */
export class LeastSdk {
  private readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "least-sdk-"));
  readonly packages = join(this.folder, "node_modules");

  constructor() {
    const installed = join(repository, "node_modules");
    linkEach(installed, this.packages, "@pulumi");
    linkEach(join(installed, "@pulumi"), join(this.packages, "@pulumi"), "pulumi");
    symlinkSync(dirname(require.resolve("pulumi-sdk-least/package.json")), join(this.packages, "@pulumi", "pulumi"));
    this.copyPackage();
  }

  /** A link would find the repository's SDK: Node.js looks for packages from where a file really is. */
  private copyPackage(): void {
    const copy = join(this.packages, "pulumi-modelplatform");
    rmSync(copy);
    for (const part of ["dist", "plugin", "package.json", "schema.json"])
      cpSync(join(repository, part), join(copy, part), {
        recursive: true,
        filter: (path) => !/\.d\.ts$|\.map$|\.tsbuildinfo$/.test(path),
      });
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
