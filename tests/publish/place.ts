import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { repository } from "../e2e/engines";
import type { Loopback } from "./loopback";
import { NpmRegistry } from "./npm-registry";
import { NugetSource } from "./nuget-source";
import { PythonIndex } from "./python-index";

/** Every registry of a release on this machine, and what programs need to reach them. */
export class Place {
  private constructor(
    readonly folder: string,
    readonly npm: NpmRegistry & Loopback,
    readonly pypi: PythonIndex & Loopback,
    readonly nuget: NugetSource & Loopback,
  ) {
    for (const path of ["home", "bin", "gh", "tmp"]) mkdirSync(join(folder, path));
    for (const [command, script] of Object.entries({ gh: "gh-release", dotnet: "dotnet", pulumi: "pulumi" }))
      this.command(command, `exec "${process.execPath}" "${join(repository, "tests/stand-ins", script)}.cjs" "$@"`);
    const state = { calls: [], tags: ["v1.2.3", "v1.2.4"], releases: {}, pulls: [] };
    writeFileSync(join(folder, "gh/state.json"), JSON.stringify(state));
    writeFileSync(join(folder, "home/.npmrc"), `//${new URL(npm.url).host}/:_authToken=${NpmRegistry.token}\n`);
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", this.repository]);
  }

  static async open(): Promise<Place> {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "publish-"));
    return new Place(folder, await NpmRegistry.open(), await PythonIndex.open(), await NugetSource.open());
  }

  async close(): Promise<void> {
    await Promise.all([this.npm, this.pypi, this.nuget].map((each) => each.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The bare repository of the Go SDK. */
  get repository(): string {
    return join(this.folder, "repository.git");
  }

  /** Where each registry is. */
  get addresses(): Record<string, string> {
    const archives = "https://forge.example/acme/platform";
    return { archives, npm: this.npm.url, pypi: this.pypi.url, nuget: this.nuget.url, go: this.repository };
  }

  /** What programs have in their environment: the credentials of every registry, and no other machine's settings. */
  get env(): Record<string, string> {
    return {
      ...{ PATH: [join(this.folder, "bin"), process.env["PATH"]].join(delimiter), HOME: join(this.folder, "home") },
      ...{
        TMPDIR: join(this.folder, "tmp"),
        GH_STATE: join(this.folder, "gh"),
        PULUMI_HOME: join(this.folder, "plugins"),
      },
      // A registry that cannot be reached is not asked again.
      ...{ npm_config_fetch_retries: "0", npm_config_update_notifier: "false" },
      ...{ TWINE_USERNAME: "__token__", TWINE_PASSWORD: PythonIndex.password, NUGET_API_KEY: NugetSource.key },
    };
  }

  /** Puts a command before those of the machine. */
  command(name: string, script: string): void {
    writeFileSync(join(this.folder, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.folder, "bin", name), 0o755);
  }

  git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: this.repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

const runs = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Whether `twine` can be started here: a release needs it, and a developer's machine seldom has it. */
export const hasTwine: boolean = runs("python3", "-m", "twine", "--version");
export const twineReason = hasTwine ? "" : " (skipped: `python3 -m twine` does not start here)";
