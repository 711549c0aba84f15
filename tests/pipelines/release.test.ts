import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { filledText } from "./expressions";
import { OwnForge, ownWorkflow } from "./own-workflow";

let folder: string;
let forge: OwnForge;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "release-"));
  forge = new OwnForge(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A folder of an artifact with these files. */
function artifactWith(files: Readonly<Record<string, string>>): string {
  const artifact = mkdtempSync(join(folder, "artifact-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(artifact, path)), { recursive: true });
    writeFileSync(join(artifact, path), text);
  }
  return artifact;
}

const git = (...args: string[]): string => execFileSync("git", args, { cwd: forge.origin, encoding: "utf8" }).trim();

const archive = "pulumi-resource-modelplatform-v1.2.3-linux-amd64.tar.gz";
const built = () =>
  artifactWith({
    [`archives/${archive}`]: "archive",
    "archives/sbom.cdx.json": "{}",
    "pulumi-modelplatform-1.2.3.tgz": "package",
    "sdks/pypi/pulumi_modelplatform-1.2.3-py3-none-any.whl": "wheel",
    "sdks/nuget/Pulumi.ModelPlatform.1.2.3.nupkg": "package",
    "sdks/go/go.mod": "module sdk\n",
    "sdks/go/modelplatform/user.go": "package modelplatform\n",
  });
const writing = ["publish", "python", "dotnet", "go", "announce"];

const published = (jobs: readonly string[], tag = "v1.2.3"): string[] =>
  jobs.map((job) => forge.run("release.yml", job, { artifact: built(), contexts: { github: { ref_name: tag } } }));

describe("a release", () => {
  test("is in every registry, and announced when it is", () => {
    expect(published(writing)).toEqual(["", "", "", "", ""]);
    const { release, npm, calls } = forge.outside;
    expect(release).toEqual({ draft: false, files: [archive, "SHA256SUMS", "sbom.cdx.json"].sort() });
    expect(npm).toEqual(["1.2.3"]);
    expect(calls.filter((call) => /^(pypa|dotnet|NuGet|actions\/attest)/.test(call))).toEqual([
      "actions/attest-build-provenance files/*",
      "pypa/gh-action-pypi-publish artifact/sdks/pypi true",
      "NuGet/login acme",
      "dotnet nuget push key nuget",
    ]);
    expect(git("show", "sdk/go/v1.2.3:sdk/go/modelplatform/user.go")).toBe("package modelplatform");
    expect(git("rev-parse", "sdk-go")).toBe(git("rev-parse", "sdk/go/v1.2.3"));
  });

  test.each(writing.slice(1))("that broke off before its job %s is ended by the next run", (job) => {
    const before = writing.slice(0, writing.indexOf(job));
    expect(published(before).join("")).toBe("");
    expect(published(writing).join("")).toBe("");
    const { release, npm, calls } = forge.outside;
    expect([release?.draft, npm]).toEqual([false, ["1.2.3"]]);
    expect(calls.filter((call) => call.startsWith("gh release create"))).toHaveLength(1);
    expect(git("rev-list", "--count", "sdk-go")).toBe("1");
  });

  test("after another one adds to the branch of the Go SDK", () => {
    published(["go"]);
    expect(published(["go"], "v1.2.4")).toEqual([""]);
    expect(git("rev-list", "--count", "sdk-go")).toBe("2");
    expect(git("tag").split("\n")).toEqual(["sdk/go/v1.2.3", "sdk/go/v1.2.4"]);
  });

  test("is not announced before every registry has its package", () => {
    const { jobs } = ownWorkflow("release.yml");
    expect(jobs["announce"]!.needs).toEqual(["publish", "python", "dotnet", "go"]);
    for (const job of writing.slice(0, -1)) expect(jobs[job]!.needs).toBe("smoke");
  });
});

describe("a version", () => {
  const manifest = (version: string, more = ""): string =>
    `{\n  "name": "pulumi-modelplatform",\n  "version": "${version}",\n  "scripts": {${more}}\n}\n`;
  let clone: string;
  beforeEach(() => {
    clone = join(folder, "clone");
    execFileSync("git", ["clone", "--quiet", forge.origin, clone], { stdio: "ignore" });
    write({ "package.json": manifest("1.2.2"), "CHANGELOG.md": "## [Unreleased]\n", "index.ts": "1;\n" });
    const as = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    for (const args of [
      ["add", "."],
      [...as, "commit", "--quiet", "-m", "first"],
      ["push", "--quiet", "origin", "HEAD:main"],
    ])
      execFileSync("git", args, { cwd: clone });
  });

  function write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(clone, path), text);
  }

  /** Proposes what the clone has changed. */
  function proposed(changed: Readonly<Record<string, string>>): string {
    write(changed);
    const artifact = artifactWith({ "version.patch": execFileSync("git", ["diff"], { cwd: clone, encoding: "utf8" }) });
    const github = { event: { repository: { default_branch: "main" } } };
    return forge.run("version.yml", "propose", { artifact, contexts: { github, inputs: { version: "1.2.3" } } });
  }
  const next = { "package.json": manifest("1.2.3"), "CHANGELOG.md": "## [Unreleased]\n\n## [1.2.3] - 2026-11-26\n" };

  test("becomes one pull request, however often it is made", () => {
    for (const _ of ["once", "again"]) expect(proposed(next)).toBe("");
    expect(forge.outside.pulls).toEqual(["build: release 1.2.3"]);
    expect(git("show", "release/v1.2.3:CHANGELOG.md")).toBe(next["CHANGELOG.md"].trim());
  });

  test.each([
    ["a program", { "index.ts": "2;\n" }, "more than a version"],
    ["a script of the manifest", { "package.json": manifest("1.2.3", '"postinstall": "true"') }, "than the version"],
  ])("whose patch changes %s is not proposed", (_, changed, says) => {
    expect(proposed({ ...next, ...changed })).toContain(says);
    expect(git("branch", "--list", "release/*")).toBe("");
  });
});

test.each(["ci.yml", "nightly.yml", "release.yml", "version.yml"])(
  "each expression of %s is one that has a value",
  (name) => {
    const text = readFileSync(join(__dirname, "../../.github/workflows", name), "utf8");
    const contexts = {
      github: {
        ref: "refs/tags/v1.2.3",
        ref_name: "v1.2.3",
        token: "t",
        repository: "a/b",
        server_url: "file://",
        event_name: "push",
        event: { repository: { default_branch: "main" } },
      },
      matrix: { node: "24", runner: "ubuntu", artifact: "built", platform: "linux-amd64", part: "1" },
      vars: { NUGET_USER: "acme", NUGET_SOURCE: "nuget" },
      steps: { login: { outputs: { NUGET_API_KEY: "key" } } },
      inputs: { version: "1.2.3" },
    };
    const expressions = [...text.matchAll(/\$\{\{.*?\}\}/g)].map(([each]) => each);
    expect(expressions.filter((each) => filledText(each, contexts) === "")).toEqual([]);
  },
);
