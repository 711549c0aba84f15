import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dotnetPackage, repository } from "../../tools/publisher";
import { addPages, requireLeast, type SdkLanguage, sdkReadme } from "../../tools/sdk-packages";
import { missing, unless } from "../e2e/hosts";
import { nightly } from "../nightly";
import { root } from "../rooms";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  description: string;
  license: string;
  peerDependencies: Record<string, string>;
};

/** What a page of each language shows, and what marks one of another. */
const languages: readonly [SdkLanguage, install: string, example: string][] = [
  ["nodejs", "pulumi package add modelplatform", 'import { User } from "pulumi-modelplatform-sdk";'],
  ["python", "pip install pulumi-modelplatform", "import pulumi_modelplatform as modelplatform"],
  ["go", `go get ${repository.replace("https://", "")}/sdk/go`, "modelplatform.NewUser(ctx,"],
  ["dotnet", `dotnet add package ${dotnetPackage}`, `using ModelPlatform = ${dotnetPackage};`],
];

test.each(languages)("the page of the SDK for %s is in its own language alone", (language, install, example) => {
  const page = sdkReadme(language, manifest);
  expect(page).toContain(`\`\`\`sh\n${install}\n\`\`\``);
  expect(page).toContain(example);
  expect(page).toContain(`License: ${manifest.license}`);
  const foreign = languages.filter(([other]) => other !== language).map(([, , text]) => text);
  expect(foreign.filter((text) => page.includes(text))).toEqual([]);
  const relative = [...page.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link]) => link);
  expect(relative).toEqual([]);
});

describe("beside generated sources", () => {
  let sources: string;
  beforeEach(() => void (sources = mkdtempSync(join(realpathSync(tmpdir()), "sdk-"))));
  afterEach(() => rmSync(sources, { recursive: true, force: true }));

  test("are the language's page and the license", () => {
    addPages("go", sources);
    expect(readFileSync(join(sources, "README.md"), "utf8")).toBe(sdkReadme("go", manifest));
    expect(readFileSync(join(sources, "LICENSE"), "utf8")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
  });
});

nightly("pip and Go fetch what they build with, and Go compiles for minutes", () => {
  let sources: string;
  beforeEach(() => void (sources = mkdtempSync(join(realpathSync(tmpdir()), "sdk-"))));
  afterEach(() => rmSync(sources, { recursive: true, force: true }));

  unless(missing("pulumi", "pulumi-language-python", "python3"), "a wheel", () => {
    test("has them in what the registry shows", () => {
      execFileSync(
        "pulumi",
        ["package", "gen-sdk", join(root, "schema.json"), "--language", "python", "--out", sources],
        {
          env: { ...process.env, PULUMI_HOME: join(sources, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" },
          stdio: "ignore",
        },
      );
      const folder = join(sources, "python");
      expect(readFileSync(join(folder, "pulumi_modelplatform", "README.md"), "utf8")).toBe(
        sdkReadme("python", manifest),
      );
      addPages("python", folder);
      execFileSync("python3", ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", sources, "."], {
        cwd: folder,
      });
      const list =
        "import glob, sys, zipfile; print(zipfile.ZipFile(glob.glob(sys.argv[1])[0]).read(sys.argv[2]).decode())";
      const info = readFileSync(join(folder, "pulumi_modelplatform.egg-info", "PKG-INFO"), "utf8");
      expect(info).toContain("# Model Platform for Python");
      const version = /^Version: (.*)$/m.exec(info)![1]!;
      const path = `pulumi_modelplatform-${version}.dist-info/licenses/LICENSE`;
      const { stdout } = spawnSync("python3", ["-c", list, join(sources, "*.whl"), path], { encoding: "utf8" });
      expect(stdout.trim()).toBe(readFileSync(join(root, "LICENSE"), "utf8").trim());
    });
  });

  unless(missing("go"), "a Go module", () => {
    test("names the least SDK and the Go of that, not those of this machine", () => {
      mkdirSync(join(sources, "modelplatform"));
      writeFileSync(
        join(sources, "modelplatform", "sdk.go"),
        'package modelplatform\n\nimport "github.com/pulumi/pulumi/sdk/v3/go/pulumi"\n\nvar _ pulumi.String\n',
      );
      requireLeast(sources);
      const text = readFileSync(join(sources, "go.mod"), "utf8");
      const least = manifest.peerDependencies["@pulumi/pulumi"]!.slice(1);
      expect(text).toContain(`github.com/pulumi/pulumi/sdk/v3 v${least}\n`);
      const module = execFileSync("go", ["mod", "download", "-json", `github.com/pulumi/pulumi/sdk/v3@v${least}`], {
        cwd: sources,
        encoding: "utf8",
      });
      const { GoMod } = JSON.parse(module) as { GoMod: string };
      const goLine = (file: string): string | undefined => /^go .*$/m.exec(file)?.[0];
      expect(goLine(text)).toBe(goLine(readFileSync(GoMod, "utf8")));
      expect(text).not.toMatch(/^toolchain/m);
    });
  });

  unless(missing("pulumi", "pulumi-language-go", "go"), "the SDK for Go", () => {
    test("compiles with the least SDK that it names", () => {
      execFileSync("pulumi", ["package", "gen-sdk", join(root, "schema.json"), "--language", "go", "--out", sources], {
        env: { ...process.env, PULUMI_HOME: join(sources, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" },
        stdio: "ignore",
      });
      requireLeast(join(sources, "go"));
      expect(spawnSync("go", ["build", "./..."], { cwd: join(sources, "go"), encoding: "utf8" })).toMatchObject({
        status: 0,
        stderr: "",
      });
    });
  });
});
