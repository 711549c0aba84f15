import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  archive,
  archiveOf,
  billOfMaterials,
  entriesOf,
  executableOf,
  nameOf,
  platforms,
  sourceTime,
} from "../../tools/executables";

const entries = [
  { path: "pulumi-resource-modelplatform", content: Buffer.from("x".repeat(1300)), mode: 0o755 },
  { path: "LICENSES.txt", content: Buffer.from("all of them\n") },
];

describe("an archive", () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(realpathSync(tmpdir()), "archive-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("is unpacked by `tar`, with what may be run", () => {
    writeFileSync(join(folder, "a.tar.gz"), archive(entries));
    execFileSync("tar", ["-xzf", "a.tar.gz"], { cwd: folder });
    for (const { path, content, mode = 0o644 } of entries) {
      expect(readFileSync(join(folder, path))).toEqual(content);
      expect(statSync(join(folder, path)).mode & 0o700).toBe(mode & 0o700);
    }
  });

  test("packed by `tar` is read, with long paths and without folders", () => {
    const path = `${"long/".repeat(19)}file-with-a-name-of-its-own`;
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), "deep");
    execFileSync("tar", ["-cf", "a.tar", "--format=ustar", "long"], { cwd: folder });
    const found = [...entriesOf(readFileSync(join(folder, "a.tar")))];
    expect(found.map((entry) => [entry.path, entry.content.toString()])).toEqual([[path, "deep"]]);
  });
});

test("an archive of the same files is the same archive, on every system", () => {
  const packed = archive(entries);
  expect(archive(entries)).toEqual(packed);
  // Bytes 4 to 7 are a time, byte 9 a system.
  expect([...packed.subarray(4, 8), packed[9]]).toEqual([0, 0, 0, 0, 255]);
  expect([...entriesOf(gunzipSync(packed))]).toMatchObject(entries);
});

test("archives and executables have the names that the Pulumi CLI looks for", () => {
  expect(platforms.map(nameOf)).toEqual([
    "linux-amd64",
    "linux-arm64",
    "darwin-amd64",
    "darwin-arm64",
    "windows-amd64",
  ]);
  expect(platforms.map((each) => archiveOf(each, "1.2.3"))[0]).toBe(
    "pulumi-resource-modelplatform-v1.2.3-linux-amd64.tar.gz",
  );
  expect(executableOf(platforms[4]!)).toBe("pulumi-resource-modelplatform.exe");
});

const billed = {
  version: "1.2.3",
  license: "Apache-2.0",
  bundled: [{ name: "@grpc/grpc-js", version: "1.0.0", license: "Apache-2.0" }],
  bundler: "0.28.2",
  runtime: { node: "26.0.0", openssl: "3.5.0", modules: "147" },
  hashes: { "linux-amd64": "ab" },
  time: new Date("2026-11-26T10:00:00Z"),
};

test("the bill of materials has a serial number, a time and its tools", () => {
  const { serialNumber, metadata } = billOfMaterials(billed);
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(metadata).toMatchObject({
    timestamp: "2026-11-26T10:00:00.000Z",
    tools: {
      components: [
        { type: "application", name: "pulumi-modelplatform", version: "1.2.3" },
        { type: "application", name: "esbuild", version: "0.28.2" },
      ],
    },
  });
  expect(billOfMaterials(billed).serialNumber).toBe(serialNumber);
  const others = [{ version: "1.2.4" }, { hashes: { "darwin-arm64": "ab" } }, { time: new Date("2026-11-27") }];
  const serials = others.map((other) => billOfMaterials({ ...billed, ...other }).serialNumber);
  expect(new Set([serialNumber, ...serials]).size).toBe(4);
});

test.each([
  ["what the build is told to record", { SOURCE_DATE_EPOCH: "1000" }, "1970-01-01T00:16:40.000Z"],
  ["the present otherwise", {}, "2026-12-24T00:00:00.000Z"],
])("the time of what is built is %s", (_, env, time) => {
  expect(sourceTime(env, new Date("2026-12-24")).toJSON()).toBe(time);
});

test("the bill of materials has the packages, the runtime, and the libraries in that", () => {
  const bill = billOfMaterials(billed);
  expect(bill).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "pulumi-resource-modelplatform", version: "1.2.3" } },
    components: [
      { purl: "pkg:npm/%40grpc/grpc-js@1.0.0" },
      {
        name: "node",
        version: "26.0.0",
        properties: [{ name: "sha256:linux-amd64", value: "ab" }],
        // `modules` is a number of an interface.
        components: [{ name: "openssl", version: "3.5.0" }],
      },
    ],
    dependencies: [{ ref: "plugin", dependsOn: ["pkg:npm/%40grpc/grpc-js@1.0.0", "node@26.0.0"] }],
  });
});
