import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FileBackend, openBackend } from "../../engine/state/backend";
import { isExecutable, placesOf } from "../executables";
import { temporaryFolder } from "./temporary-folder";

const pulumi = placesOf(["pulumi"]).find(isExecutable);

/** Runs its tests with the Pulumi CLI on PATH; without one they are skipped, and the reason is printed. */
export function describeWithPulumi(name: string, tests: () => void): void {
  if (pulumi !== undefined) return describe(name, tests);
  process.stderr.write(`skipped, for there is no \`pulumi\` on PATH: ${name}\n`);
  describe.skip(name, tests);
}

/** A project folder, a backend and a Pulumi home of their own. */
export class Sandbox {
  readonly root = temporaryFolder();
  readonly project = join(this.root, "project");
  readonly env = {
    PATH: process.env["PATH"] ?? "",
    HOME: this.root,
    PULUMI_HOME: join(this.root, "home"),
    PULUMI_BACKEND_URL: `file://${join(this.root, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "correct-horse",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };

  constructor(projectFile = "name: demo\nruntime: nodejs\n") {
    for (const folder of ["project", "state", "home"]) mkdirSync(join(this.root, folder));
    writeFileSync(join(this.project, "Pulumi.yaml"), projectFile);
  }

  /** What the CLI prints on stdout; throws with what it prints on stderr when it fails. */
  pulumi(args: string[], env: { [name: string]: string } = {}): string {
    return execFileSync(pulumi ?? "pulumi", [...args, "--non-interactive"], {
      cwd: this.project,
      env: { ...this.env, ...env },
      encoding: "utf8",
      stdio: "pipe",
    });
  }

  backend(): FileBackend {
    return openBackend(this.env.PULUMI_BACKEND_URL, { cwd: this.project, home: this.root, env: this.env });
  }
}
