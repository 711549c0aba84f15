import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { putPlayedNpx } from "../docs/played/npx";
import { type Ended, start } from "../e2e/commands";
import { builtIn, type Engine, enginePath, homeIn, repository } from "../e2e/engines";
import type { Site } from "../e2e/site";
import { InlineSite } from "../inline/site";

/** How a script of a job went. */
export interface Ran extends Ended {
  name: string;
}

/**
 * Runs scripts as a machine of a forge does: in a folder of their own, with what every machine has in its environment
 * and nothing else. What comes from the network is stood in for: `npm ci` and `gh`.
 */
export class RunnerMachine {
  private readonly bin: string;
  private npx: { close(): void } | undefined;
  /** What the machine has that no table names: addresses of stand-ins. */
  readonly surroundings: Record<string, string> = {};

  constructor(
    readonly site: Site,
    readonly engine: Engine,
  ) {
    this.bin = join(site.folder, "bin");
    mkdirSync(this.bin);
    this.put(
      "npm",
      `case "$*" in ci | "ci --ignore-scripts") ;; *) exit 1 ;; esac; [ -f package.json ] && ln -s "${join(repository, "node_modules")}" node_modules`,
    );
    this.put("gh", `exec "${process.execPath}" "${join(__dirname, "gh.cjs")}" "$@"`);
    const command = `exec "${builtIn.command}" "${builtIn.args.join('" "')}" "$@"`;
    this.put("npx", `[ "$1" = pulumi-modelplatform ] && shift && ${command}`);
  }

  /** From now on this package's commands run in this process, where the site runs its own there. */
  async play(): Promise<void> {
    const { site } = this;
    if (!(site instanceof InlineSite)) return;
    this.npx = await putPlayedNpx(this.bin, (args, place) => {
      site.playIn(place.cwd);
      return site.play(args, place);
    });
  }

  close(): void {
    this.npx?.close();
  }

  put(name: string, text: string): void {
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(this.bin, name), 0o755);
  }

  /** A folder that nothing has used before. */
  folder(name: string): string {
    return mkdtempSync(join(this.site.folder, `${name}-`));
  }

  /** Runs a script with bash, whose options are `shell`. */
  bash(script: string, shell: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
    const bash: Engine = { title: "a shell", isBuiltIn: false, command: "bash", args: shell };
    const place = { cwd, env: { ...this.env, ...env }, rollCall: join(this.site.folder, "processes") };
    return start(bash, [script], place).ended;
  }

  private get env(): Record<string, string> {
    const path = this.engine.isBuiltIn ? ["/usr/bin", "/bin"] : [enginePath];
    return {
      ...{ PATH: [this.bin, dirname(process.execPath), ...path].join(delimiter), LANG: "C.UTF-8" },
      ...homeIn(this.folder("home")),
      ...{ PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
      ...this.surroundings,
    };
  }
}

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
