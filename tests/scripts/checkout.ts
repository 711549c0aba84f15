import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "../rooms";

/** How a command line ended. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** What no checkout starts with, and `node_modules`, which is linked. */
const leftOut = new Set([".git", ".release", ".bench", "node_modules"]);

/** A copy of the checkout in which scripts run as in a clone that is installed and built. */
export class Checkout {
  private readonly base = mkdtempSync(join(realpathSync(tmpdir()), "checkout-"));
  readonly folder = join(this.base, "clone");
  /** Where programs of the copy put what they do not keep. */
  readonly temporary = join(this.base, "tmp");
  /** Seconds that all command lines have taken. */
  private processor = 0;

  constructor() {
    mkdirSync(this.folder);
    mkdirSync(this.temporary);
    // With their times, by which files that scripts change are known.
    for (const entry of readdirSync(root).filter((name) => !leftOut.has(name)))
      cpSync(join(root, entry), join(this.folder, entry), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
  }

  /** Runs a command line through a shell. No registry answers. */
  run(line: string, env: NodeJS.ProcessEnv = {}): Ended {
    const { status, output } = spawnSync("sh", ["-c", `${line}\ncode=$?\ntimes >&3\nexit $code`], {
      cwd: this.folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      timeout: 240_000,
      env: {
        ...{ PATH: process.env["PATH"], HOME: process.env["HOME"], PULUMI_HOME: process.env["PULUMI_HOME"] },
        ...{ TMPDIR: this.temporary, CI: "true" },
        ...{ npm_config_registry: "http://127.0.0.1:1/", npm_config_update_notifier: "false" },
        ...env,
      },
    });
    const [, stdout = "", stderr = "", times = ""] = output as string[];
    this.processor += childrensSeconds(times);
    return { code: status ?? -1, stdout, stderr };
  }

  /** Files of the copy that were written, made or removed since this was last asked; what is linked is of others. */
  changedFiles(): string[] {
    // A newer Node.js follows what is linked, and the installed packages link the examples in turn.
    const entries = readdirSync(this.folder, { withFileTypes: true })
      .flatMap((entry) =>
        entry.isDirectory()
          ? readdirSync(join(this.folder, entry.name), { recursive: true, withFileTypes: true })
          : entry,
      )
      .filter((entry) => entry.isFile());
    const now = new Map(entries.map(({ parentPath, name }) => [join(parentPath, name), ""]));
    for (const file of now.keys()) {
      const { mtimeMs, size, ino } = statSync(file);
      now.set(file, [mtimeMs, size, ino].join(" "));
    }
    const changed = [...new Set([...this.known.keys(), ...now.keys()])].filter(
      (file) => now.get(file) !== this.known.get(file),
    );
    this.known = now;
    return changed.map((file) => relative(this.folder, file));
  }

  private known = new Map<string, string>();

  /** Makes files of the copy what they are in the checkout. */
  restore(files: readonly string[]): void {
    for (const file of files) {
      if (existsSync(join(root, file))) copyFileSync(join(root, file), join(this.folder, file));
      else rmSync(join(this.folder, file));
    }
    this.changedFiles();
  }

  /** Leaves nothing out of date, as the first script would find it. */
  prepare(): void {
    const { code, stderr } = this.run("node tools/bootstrap.mjs");
    if (code !== 0) throw new Error(stderr);
    this.changedFiles();
  }

  /** Removes the copy, and prints what running in it has taken. */
  close(): void {
    const { testPath = "" } = expect.getState();
    process.stderr.write(`${relative(root, testPath)}: ${Math.round(this.processor)} s of processor time in scripts\n`);
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** What `times` says of the processes that a shell has waited for: its second line, as `0m1.25s 0m0.50s`. */
const childrensSeconds = (printed: string): number =>
  [...(printed.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs a script as a person does. */
export const npmLineOf = (script: string, args: readonly string[]): string =>
  ["npm", "run", "--silent", script, "--", ...args].map(quoted).join(" ");

/** What npm starts for that, where starting npm would take longer than the script. */
export const lineOf = (script: string, args: readonly string[]): string =>
  [manifest.scripts[script], ...args.map(quoted)].join(" ");

export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  scripts: Readonly<Record<string, string>>;
  bin: Readonly<Record<string, string>>;
};
