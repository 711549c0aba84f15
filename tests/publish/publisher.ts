import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { publisherFiles } from "../../tools/publish/bundle";
import { repository } from "../e2e/engines";

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the file that the workflow's jobs run, in a folder that has nothing of the checkout. */
export class Publisher {
  constructor(
    readonly folder: string,
    readonly env: Record<string, string>,
  ) {
    this.write(publisherFiles(repository));
  }

  write(files: Readonly<Record<string, string | Buffer>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), content);
    }
  }

  publish(registry: string, address: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.run(["publish", registry, "--to", address], env);
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const child = spawn(process.execPath, ["dist/tools/release.js", ...args], {
      ...{ cwd: this.folder, env: { ...this.env, ...env }, stdio: ["ignore", "pipe", "pipe"] },
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
  }
}
