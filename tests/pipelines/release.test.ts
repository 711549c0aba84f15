import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publisherFiles } from "../../tools/publish/bundle";
import { repository } from "../e2e/engines";
import { nightly } from "../nightly";
import { archiveName, npmPackage, releaseFiles } from "../publish/packages";
import { hasTwine, Place, twineReason } from "../publish/place";
import { filledText } from "./expressions";
import { type JobEnd, OwnForge, ownWorkflow } from "./own-workflow";

let place: Place;
let forge: OwnForge;
beforeEach(async () => {
  place = await Place.open();
  forge = new OwnForge(place);
});
afterEach(() => place.close());

const git = (...args: string[]): string => place.git(...args);

/** Installs `twine` into an environment of its own, as the workflow does, in place of what the network has. */
function standInForPip(): void {
  const python = execFileSync("sh", ["-c", "command -v python3"], { encoding: "utf8" }).trim();
  const pip = `[ -f "$7" ] && grep -q -- --hash=sha256: "$7"`;
  const script = (name: string, text: string): string =>
    `printf '#!/bin/sh\\n%s\\n' '${text}' > "$3/bin/${name}" && chmod +x "$3/bin/${name}"`;
  const make = `mkdir -p "$3/bin" && ${script("pip", pip)} && ${script("python3", `exec ${python} "$@"`)}`;
  place.command("python3", `[ "$1 $2" = "-m venv" ] && { ${make}; exit; }\nexec ${python} "$@"`);
}

/** What the jobs that only read have left. */
function build(version = "1.2.3"): void {
  const files = Object.entries(releaseFiles(version)).map(([path, content]) => [
    path.replace(".release/", ""),
    content,
  ]);
  forge.artifactWith("built", Object.fromEntries(files));
  forge.artifactWith("macos", {
    [archiveName(version).replace("linux-amd64", "darwin-arm64")]: "archive",
    "sbom-darwin.cdx.json": "{}",
  });
  forge.artifactWith("publisher", publisherFiles(repository));
  standInForPip();
}

const registries = ["npm", "pypi", "nuget", "go"];
const writing = ["draft", "smoke", "attest", ...registries, "announce"];

/** Runs jobs of the release. The forge's own address is that of its release; the Go SDK goes to a bare repository. */
const release = (jobs = writing): Promise<Record<string, JobEnd>> =>
  forge.runAll("release.yml", jobs, (job) => ({
    github: {
      ref_name: "v1.2.3",
      ...(job === "go" && { server_url: place.folder, repository: "repository.git" }),
    },
  }));

const results = (ends: Readonly<Record<string, JobEnd>>): string[] =>
  Object.entries(ends).map(([job, { result, output }]) => `${job} ${result} ${output}`.trim());

describe("a release", () => {
  (hasTwine ? test : test.skip)(`is in every registry, and announced when it is${twineReason}`, async () => {
    build();
    expect(results(await release())).toEqual(writing.map((job) => `${job} success`));
    expect(forge.state.releases).toEqual({ "v1.2.3": { isDraft: false } });
    expect(readdirSync(forge.assets("v1.2.3"))).toEqual([
      "Pulumi.ModelPlatform.1.2.3.nupkg",
      "SHA256SUMS",
      "pulumi-modelplatform-1.2.3.tgz",
      archiveName("1.2.3").replace("linux-amd64", "darwin-arm64"),
      archiveName("1.2.3"),
      "pulumi_modelplatform-1.2.3-py3-none-any.whl",
      "sbom-darwin.cdx.json",
      "sbom.cdx.json",
    ]);
    expect(place.npm.published).toEqual(["1.2.3"]);
    expect([...place.pypi.files.keys()]).toEqual(["pulumi_modelplatform-1.2.3-py3-none-any.whl"]);
    expect([...place.nuget.packages.keys()]).toHaveLength(1);
    expect(git("rev-parse", "sdk-go")).toBe(git("rev-parse", "sdk/go/v1.2.3"));
    expect(forge.actions.filter((each) => /attest|login/.test(each))).toEqual([
      "actions/attest-build-provenance draft/*",
      "NuGet/login acme",
    ]);
  });

  /** The jobs that need nothing which a machine may lack. */
  const here = writing.filter((job) => job !== "pypi" || hasTwine);

  test("that ended is not changed by a second run of it", async () => {
    build();
    await release(here);
    const calls = forge.state.calls.length;
    expect(results(await release(here))).toEqual(here.map((job) => `${job} success`));
    expect(forge.state.calls.slice(calls).filter((call) => /create|upload/.test(call))).toEqual([]);
    expect([place.npm.published, git("rev-list", "--count", "sdk-go")]).toEqual([["1.2.3"], "1"]);
  });

  nightly("a normal run repeats a release that ended", () => {
    test.each(["smoke", "nuget", "announce"])("that broke off before %s is ended by the next run", async (job) => {
      build();
      await release(here.slice(0, here.indexOf(job)));
      expect(results(await release(here))).toEqual(here.map((each) => `${each} success`));
      expect(forge.state.releases).toEqual({ "v1.2.3": { isDraft: false } });
      expect(forge.state.calls.filter((call) => call.startsWith("gh release create"))).toHaveLength(1);
      expect([place.npm.published, git("rev-list", "--count", "sdk-go")]).toEqual([["1.2.3"], "1"]);
    });
  });

  test("goes on after a conflict, and is not announced", async () => {
    build();
    place.npm.removed.add("1.2.3");
    const jobs = ["draft", "smoke", "attest", "npm", ...(hasTwine ? ["pypi"] : []), "announce"];
    const ends = await release(jobs);
    expect(ends["npm"]).toMatchObject({ result: "failure", conflict: "true" });
    expect(ends["npm"]!.output).toContain("conflict   npm: pulumi-modelplatform 1.2.3");
    if (hasTwine) expect(ends["pypi"]!.result).toBe("success");
    expect(ends["announce"]!.result).toBe("skipped");
    expect(forge.state.releases).toEqual({ "v1.2.3": { isDraft: true } });
  });

  test("whose token is wrong reaches no further registry", async () => {
    build();
    writeFileSync(join(place.folder, "home/.npmrc"), "");
    const ends = await release(["draft", "smoke", "attest", ...registries, "announce"]);
    expect(ends["npm"]!.output).toContain("npm failed. Step: send the files.");
    expect([...registries, "announce"].map((job) => ends[job]!.result)).toEqual([
      ...["failure", "skipped", "skipped", "skipped", "skipped"],
    ]);
  });

  test("whose draft does not install is published nowhere", async () => {
    build();
    const broken = { ...releaseFiles("1.2.3"), [`.release/archives/${archiveName("1.2.3")}`]: npmPackage("1.2.3") };
    for (const [path, content] of Object.entries(broken))
      writeFileSync(join(forge.artifacts["built"]!, path.replace(".release/", "")), content);
    const ends = await release();
    expect(writing.map((job) => ends[job]!.result)).toEqual([
      ...["success", "failure"],
      ...writing.slice(2).map(() => "skipped"),
    ]);
    expect([place.npm.published, git("tag")]).toEqual([[], ""]);
  });

  test("is published by nothing but the file that the workflow names by its checksum", async () => {
    build();
    writeFileSync(join(forge.artifacts["publisher"]!, "dist/tools/release.js"), "console.log('published')");
    const ends = await release();
    expect(ends["draft"]!.output).toContain("dist/tools/release.js: FAILED");
    expect(forge.state.calls).toEqual([]);
  });
});

describe("the order of a release", () => {
  const { jobs } = ownWorkflow("release.yml");

  test("begins with what can be undone, and goes from one registry to the next", () => {
    expect(Object.fromEntries(Object.entries(jobs).map(([job, { needs }]) => [job, needs]))).toEqual({
      build: undefined,
      macos: undefined,
      draft: ["build", "macos"],
      smoke: "draft",
      attest: "smoke",
      npm: "attest",
      pypi: "npm",
      nuget: "pypi",
      go: "nuget",
      announce: registries,
    });
  });

  test("has one publishing command, and no other", () => {
    const run = Object.entries(jobs).flatMap(([job, { steps }]) => steps.map((step) => ({ job, run: step.run ?? "" })));
    const publishing = run.filter((each) => / publish \w+ --to /.test(each.run));
    expect(publishing.map((each) => [each.job, each.run])).toEqual([
      ["draft", 'node dist/tools/release.js publish archives --to "$SERVER/$REPOSITORY"'],
      ...["npm", "pypi", "nuget"].map((job) => [job, `node dist/tools/release.js publish ${job} --to "$ADDRESS"`]),
      ["go", 'node dist/tools/release.js publish go --to "$SERVER/$REPOSITORY"'],
    ]);
    const text = run.map((each) => each.run).join("\n");
    expect(text).not.toMatch(/npm (publish|stage)|twine upload|nuget push|git push|gh release (create|upload)|gh api/);
    const uses = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses: action }) => action ?? []));
    expect(uses.filter((action) => /publish|release/.test(action))).toEqual([]);
  });
});

describe("a version", () => {
  const manifest = (version: string, more = ""): string =>
    `{\n  "name": "pulumi-modelplatform",\n  "version": "${version}",\n  "scripts": {${more}}\n}\n`;
  let clone: string;
  beforeEach(() => {
    clone = join(place.folder, "clone");
    execFileSync("git", ["clone", "--quiet", place.repository, clone], { stdio: "ignore" });
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
  async function proposed(changed: Readonly<Record<string, string>>): Promise<string> {
    write(changed);
    const patch = execFileSync("git", ["diff"], { cwd: clone, encoding: "utf8" });
    forge.artifactWith("version", { "version.patch": patch });
    const github = { event: { repository: { default_branch: "main" } } };
    return (await forge.run("version.yml", "propose", { github, inputs: { version: "1.2.3" } })).output;
  }
  const next = { "package.json": manifest("1.2.3"), "CHANGELOG.md": "## [Unreleased]\n\n## [1.2.3] - 2026-11-26\n" };

  test("becomes one pull request, however often it is made", async () => {
    for (const _ of ["once", "again"]) expect(await proposed(next)).toBe("");
    expect(forge.state.pulls).toEqual(["build: release 1.2.3"]);
    expect(git("show", "release/v1.2.3:CHANGELOG.md")).toBe(next["CHANGELOG.md"].trim());
  });

  test.each([
    ["a program", { "index.ts": "2;\n" }, "more than a version"],
    ["a script of the manifest", { "package.json": manifest("1.2.3", '"postinstall": "true"') }, "than the version"],
  ])("whose patch changes %s is not proposed", async (_, changed, says) => {
    expect(await proposed({ ...next, ...changed })).toContain(says);
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
      vars: { NUGET_USER: "acme", NUGET_SOURCE: "nuget", NPM_REGISTRY: "npm", PYPI_REPOSITORY: "pypi" },
      steps: { login: { outputs: { NUGET_API_KEY: "key" } }, publish: { outputs: { conflict: "true" } } },
      needs: Object.fromEntries(registries.map((job) => [job, { result: "success", outputs: { conflict: "" } }])),
      inputs: { version: "1.2.3" },
    };
    const expressions = [...text.matchAll(/\$\{\{.*?\}\}/g)].map(([each]) => each);
    expect(expressions.filter((each) => filledText(each, contexts) === "")).toEqual([]);
  },
);
