import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmPackage, nupkg, releaseFiles, wheel } from "./packages";
import { hasTwine, Place, twineReason } from "./place";
import { type Ended, Publisher } from "./publisher";

let place: Place;
let publisher: Publisher;
beforeEach(async () => {
  place = await Place.open();
  publisher = new Publisher(join(place.folder, "work"), place.env);
  publisher.write(releaseFiles("1.2.3"));
});
afterEach(() => place.close());

const publish = (registry: string, env?: Record<string, string>): Promise<Ended> =>
  publisher.publish(registry, place.addresses[registry]!, env);

/** What answers each write as a full disk does. */
const full = "/dev/full";
const fullReason = existsSync(full) ? "" : ` (skipped: this system has no ${full})`;
const onFull = existsSync(full) ? test : test.skip;

/** The same version with other content. */
const otherContent: Readonly<Record<string, Readonly<Record<string, Buffer | string>>>> = {
  archives: { ".release/archives/sbom.cdx.json": '{ "other": true }\n' },
  npm: { ".release/pulumi-modelplatform-1.2.3.tgz": npmPackage("1.2.3", "// other") },
  pypi: { ".release/sdks/pypi/pulumi_modelplatform-1.2.3-py3-none-any.whl": wheel("1.2.3", "other = 1\n") },
  nuget: { ".release/sdks/nuget/Pulumi.ModelPlatform.1.2.3.nupkg": nupkg("1.2.3", { "lib/a.dll": "other" }) },
  go: { ".release/sdks/go/modelplatform/user.go": "package modelplatform // other\n" },
};

/** What differs, as the message names it. */
const difference: Readonly<Record<string, string>> = {
  archives: "sbom.cdx.json is sha256:",
  npm: "its integrity is sha512-",
  pypi: "the SHA-256 of pulumi_modelplatform-1.2.3-py3-none-any.whl is",
  nuget: "Pulumi.ModelPlatform.1.2.3.nupkg differs in lib/a.dll",
  go: "the tag sdk/go/v1.2.3 differs in sdk/go/modelplatform/user.go",
};

const state = (): { releases: Record<string, { isDraft: boolean }>; calls: string[] } =>
  JSON.parse(readFileSync(join(place.folder, "gh/state.json"), "utf8"));

const announce = (): void => {
  const file = join(place.folder, "gh/state.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"isDraft":true', '"isDraft":false'));
};

for (const registry of ["archives", "npm", "pypi", "nuget", "go"]) {
  const isHere = registry !== "pypi" || hasTwine;
  (isHere ? test : test.skip)(`${registry} gets a version once${isHere ? "" : twineReason}`, async () => {
    expect(await publish(registry)).toMatchObject({ code: 0, out: expect.stringContaining("published  "), err: "" });
    expect(await publish(registry)).toMatchObject({ code: 0, out: expect.stringMatching(/^unchanged {2}/), err: "" });
    if (registry === "archives") announce();
    publisher.write(otherContent[registry]!);
    const output = join(place.folder, "output");
    const third = await publish(registry, { GITHUB_OUTPUT: output });
    expect(third).toMatchObject({ code: 3, out: "", err: expect.stringContaining(difference[registry]!) });
    expect(third.err).toContain("1.2.3");
    expect(third.err).toContain("Go on with the next registry");
    expect(readFileSync(output, "utf8")).toBe("conflict=true\n");
  });
}

test("what npm gets is the built file, without provenance outside of a workflow", async () => {
  const { out } = await publish("npm");
  expect(out).toContain("without provenance");
  expect(place.npm.published).toEqual(["1.2.3"]);
  const { versions } = (await (await fetch(`${place.npm.url}pulumi-modelplatform`)).json()) as {
    versions: Record<string, { dist: { tarball: string } }>;
  };
  const sent = Buffer.from(await (await fetch(versions["1.2.3"]!.dist.tarball)).arrayBuffer());
  expect(sent.equals(readFileSync(join(publisher.folder, ".release/pulumi-modelplatform-1.2.3.tgz")))).toBe(true);
});

test("a version that npm refuses and does not show is named, and nothing else is tried", async () => {
  place.npm.removed.add("1.2.3");
  expect(await publish("npm")).toMatchObject({
    code: 3,
    err: expect.stringMatching(/conflict +npm: pulumi-modelplatform 1\.2\.3[^]*it refuses the version[^]*E409/),
  });
});

test("a Python package that is listed already needs no tool", async () => {
  const name = "pulumi_modelplatform-1.2.3-py3-none-any.whl";
  place.pypi.files.set(name, wheel("1.2.3"));
  place.command("python3", "exit 1");
  expect(await publish("pypi")).toMatchObject({ code: 0, out: expect.stringMatching(/^unchanged/) });
  place.pypi.files.set(name, wheel("1.2.3", "other = 1\n"));
  expect(await publish("pypi")).toMatchObject({ code: 3 });
});

test("a signature that the registry adds to a .NET package is no difference", async () => {
  await publish("nuget");
  const [path] = place.nuget.packages.keys();
  place.nuget.packages.set(path!, nupkg("1.2.3", { ".signature.p7s": "signed" }));
  expect(await publish("nuget")).toMatchObject({ code: 0, out: expect.stringMatching(/^unchanged/) });
});

test("the Go SDK is one commit of a branch for each version, with its tag", async () => {
  await publish("go");
  rmSync(join(publisher.folder, ".release"), { recursive: true });
  publisher.write(releaseFiles("1.2.4"));
  expect(await publish("go")).toMatchObject({ code: 0 });
  expect(place.git("tag").split("\n")).toEqual(["sdk/go/v1.2.3", "sdk/go/v1.2.4"]);
  expect(place.git("rev-list", "--count", "sdk-go")).toBe("2");
  expect(place.git("show", "sdk/go/v1.2.3:sdk/go/modelplatform/user.go")).toBe("package modelplatform // 1.2.3");
  expect(place.git("ls-tree", "-r", "--name-only", "sdk-go").split("\n")).toEqual([
    "sdk/go/go.mod",
    "sdk/go/modelplatform/user.go",
  ]);
});

test("a draft is replaced, and an announced release is not", async () => {
  await publish("archives");
  publisher.write(otherContent["archives"]!);
  expect(await publish("archives")).toMatchObject({ code: 0, out: expect.stringContaining("published") });
  expect(state().calls.filter((call) => call.startsWith("gh release create"))).toHaveLength(1);
  const sums = readFileSync(join(place.folder, "gh/assets/v1.2.3/SHA256SUMS"), "utf8").trimEnd().split("\n");
  expect(sums.map((line) => line.slice(66)).sort()).toEqual([
    "Pulumi.ModelPlatform.1.2.3.nupkg",
    "pulumi-modelplatform-1.2.3.tgz",
    "pulumi-resource-modelplatform-v1.2.3-linux-amd64.tar.gz",
    "pulumi_modelplatform-1.2.3-py3-none-any.whl",
    "sbom.cdx.json",
  ]);
});

test("a folder gets the same files, and keeps what it has of a version", async () => {
  const address = `file://${join(place.folder, "mirror")}`;
  for (const word of ["published", "unchanged"])
    expect(await publisher.publish("archives", address)).toMatchObject({ code: 0, out: expect.stringContaining(word) });
  expect(existsSync(join(place.folder, "mirror/SHA256SUMS"))).toBe(true);
  publisher.write(otherContent["archives"]!);
  expect(await publisher.publish("archives", address)).toMatchObject({ code: 3 });
});

describe("what fails names the step, what is published, and the command that goes on:", () => {
  /** A registry of each kind that is not there. */
  const nowhere = "http://127.0.0.1:9/";

  async function expectFailure(ended: Promise<Ended>, registry: string, step: string, cause: RegExp): Promise<Ended> {
    const { code, out, err } = await ended;
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`Step: ${step}.`) });
    expect(err).toMatch(cause);
    expect(err).toContain(`To go on: node dist/tools/release.js publish ${registry} --to `);
    return { code, out, err };
  }

  test.each([
    ["npm", /ECONNREFUSED/],
    ["pypi", /fetch failed/],
    ["nuget", /fetch failed/],
    ["go", /unable to access|Failed to connect/],
  ])("no network for %s", async (registry, cause) => {
    await expectFailure(publisher.publish(registry, nowhere), registry, "look up the version", cause);
  });

  test("nothing and something published before", async () => {
    const first = await expectFailure(publisher.publish("npm", nowhere), "npm", "look up the version", /npm view/);
    expect(first.err).toContain("Published before it: nothing from this machine.");
    await publish("archives");
    await publish("npm");
    const { err } = await expectFailure(publisher.publish("nuget", nowhere), "nuget", "look up the version", /fetch/);
    expect(err).toContain(`Published before it: archives (${place.addresses["archives"]}), npm (${place.npm.url}).`);
    expect(err).toContain(`publish nuget --to ${nowhere}, and the same for go`);
  });

  test("in a workflow, the jobs before it", async () => {
    const env = { GITHUB_ACTIONS: "true", GITHUB_RUN_ID: "42" };
    const { code, err } = await publisher.publish("nuget", nowhere, env);
    expect(code).toBe(1);
    expect(err).toContain("Published before it: archives, npm, pypi, by the jobs before this one.");
    expect(err).toContain("To go on: gh run rerun 42 --failed");
  });

  test.each([
    ["npm", "look up the version", "npm"],
    ["archives", "look up the version", "gh"],
    ["nuget", "send the files", "dotnet"],
    ["go", "look up the version", "git"],
    ["pypi", "send the files", "python3"],
  ])("no tool for %s", async (registry, step, command) => {
    const { folder } = publisher;
    const ended = publisher.publish(registry, place.addresses[registry]!, { PATH: folder });
    await expectFailure(ended, registry, step, new RegExp(`\`${command}\` is not on the PATH`));
  });

  test("a wrong token of npm", async () => {
    writeFileSync(join(place.folder, "home/.npmrc"), `//${new URL(place.npm.url).host}/:_authToken=wrong-token\n`);
    await expectFailure(publish("npm"), "npm", "send the files", /E401/);
    expect(place.npm.published).toEqual([]);
  });

  test("a wrong key of NuGet, which no message shows", async () => {
    const ended = publish("nuget", { NUGET_API_KEY: "a-wrong-key" });
    const { err } = await expectFailure(ended, "nuget", "send the files", /403/);
    expect(err).not.toContain("a-wrong-key");
  });

  test("no key of NuGet", async () => {
    await expectFailure(publish("nuget", { NUGET_API_KEY: "" }), "nuget", "send the files", /NUGET_API_KEY is not set/);
  });

  (hasTwine ? test : test.skip)(`a wrong token of PyPI${twineReason}`, async () => {
    await expectFailure(publish("pypi", { TWINE_PASSWORD: "wrong" }), "pypi", "send the files", /403/);
  });

  test("credentials in an address, which no message shows", async () => {
    const address = "http://someone:a-secret-word@127.0.0.1:9/sdk";
    const { err } = await expectFailure(publisher.publish("go", address), "go", "look up the version", /unable to/);
    expect(err).not.toContain("a-secret-word");
  });

  test("a temporary folder that is missing", async () => {
    const ended = publish("go", { TMPDIR: join(place.folder, "no-such-folder") });
    await expectFailure(ended, "go", "look up the version", /ENOENT.*no-such-folder/);
  });

  describe(`a full disk${fullReason}`, () => {
    /** A file of the release whose writer is on a full disk. */
    const fill = (path: string): void => {
      rmSync(join(publisher.folder, path), { force: true });
      symlinkSync(full, join(publisher.folder, path));
    };

    onFull("before anything is sent", async () => {
      fill(".release/archives/SHA256SUMS");
      const ended = publisher.publish("archives", `file://${join(place.folder, "mirror")}`);
      await expectFailure(ended, "archives", "look up the version", /ENOSPC/);
      expect(existsSync(join(place.folder, "mirror"))).toBe(false);
    });

    onFull("after the version is sent, which the next run sees", async () => {
      fill(".release/published.json.part");
      await expectFailure(publish("npm"), "npm", "record the publication, which has succeeded", /ENOSPC/);
      expect(place.npm.published).toEqual(["1.2.3"]);
      rmSync(join(publisher.folder, ".release/published.json.part"));
      expect(await publish("npm")).toMatchObject({ code: 0, out: expect.stringMatching(/^unchanged/) });
    });
  });

  test("no build", async () => {
    rmSync(join(publisher.folder, ".release"), { recursive: true });
    await expectFailure(publish("npm"), "npm", "read the release", /no package; run `npm run release -- --dry-run`/);
  });

  test("builds of two versions", async () => {
    publisher.write({ ".release/pulumi-modelplatform-1.2.2.tgz": "" });
    await expectFailure(publish("npm"), "npm", "read the release", /1\.2\.2, 1\.2\.3/);
  });
});

test.each([
  [["publish"], "name one registry"],
  [["publish", "cargo", "--to", "http://127.0.0.1/"], "not `cargo`"],
  [["publish", "npm", "pypi", "--to", "http://127.0.0.1/"], "name one registry"],
  [["publish", "npm"], "`--to` is missing"],
  [["publish", "npm", "--to", ""], "`--to` is missing"],
  [["publish", "npm", "--to", "registry"], "is not an address"],
  [["publish", "npm", "--too", "http://127.0.0.1/"], "--too"],
])("%j is a usage error", async (args, message) => {
  expect(await publisher.run(args)).toMatchObject({ code: 64, out: "", err: expect.stringContaining(message) });
});

test("the help of the command names every registry", async () => {
  const { code, out } = await publisher.run(["publish", "--help"]);
  expect(code).toBe(0);
  for (const registry of ["archives", "npm", "pypi", "nuget", "go"]) expect(out).toContain(`publish ${registry} --to`);
});
