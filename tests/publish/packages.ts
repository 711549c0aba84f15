import { crc32 } from "node:zlib";
import { archive } from "../../tools/executables";

const textFile = (path: string, text: string) => ({ path, content: Buffer.from(text) });

/** An npm package without dependencies, whose command prints its version. */
export const npmPackage = (version: string, more = ""): Buffer =>
  archive([
    textFile(
      "package/package.json",
      JSON.stringify({
        ...{ name: "pulumi-modelplatform", version, bin: { "pulumi-modelplatform": "main.js" }, license: "Apache-2.0" },
        publishConfig: { access: "public", provenance: true },
      }),
    ),
    textFile("package/main.js", `#!/usr/bin/env node\nconsole.log("${version}");\n${more}`),
  ]);

/** A ZIP file whose entries are as they are, by the format's description. */
export function zip(entries: Readonly<Record<string, string>>): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const [path, content] = [Buffer.from(name), Buffer.from(text)];
    // Version, flags, method, time and date (1 January 1980), then what the entry is.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(33, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    files.push(Buffer.from("PK\x03\x04"), common, path, content);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), common, tail, path);
    offset += 30 + path.length + content.length;
  }
  const size = Buffer.concat(directory).length;
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  for (const at of [8, 10]) end.writeUInt16LE(Object.keys(entries).length, at);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
}

/** A wheel with what an upload needs. */
export const wheel = (version: string, more = ""): Buffer => {
  const info = `pulumi_modelplatform-${version}.dist-info`;
  return zip({
    "pulumi_modelplatform/__init__.py": more,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: pulumi-modelplatform\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: "",
  });
};

export const nupkg = (version: string, more: Readonly<Record<string, string>> = {}): Buffer =>
  zip({ "Pulumi.ModelPlatform.nuspec": `<package><version>${version}</version></package>`, ...more });

export const archiveName = (version: string): string => `pulumi-resource-modelplatform-v${version}-linux-amd64.tar.gz`;

/** A whole release, as the build leaves it in `.release`. */
export const releaseFiles = (version: string): Record<string, Buffer | string> => ({
  [`.release/archives/${archiveName(version)}`]: archive([
    textFile("pulumi-resource-modelplatform", `{ "version": "${version}" }\n`),
  ]),
  ".release/archives/sbom.cdx.json": "{}\n",
  [`.release/pulumi-modelplatform-${version}.tgz`]: npmPackage(version),
  [`.release/sdks/pypi/pulumi_modelplatform-${version}-py3-none-any.whl`]: wheel(version),
  [`.release/sdks/nuget/Pulumi.ModelPlatform.${version}.nupkg`]: nupkg(version),
  ".release/sdks/go/go.mod": "module example.com/sdk/go\n",
  ".release/sdks/go/modelplatform/user.go": `package modelplatform // ${version}\n`,
});
