import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { ActionFailure, expectInputs, type Given } from "./action";

/**
 * Artifacts of one run, laid out as by
 * - actions/upload-artifact v7.0.0, commit bbbca2ddaa5d8feaa63e36b76fdaad77386f024f: src/upload/upload-artifact.ts,
 *   src/shared/search.ts; names by actions/toolkit, path-and-artifact-name-validation.ts;
 * - actions/download-artifact v8.0.1, commit 3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c: src/download-artifact.ts.
 */
export class Artifacts {
  private readonly kept = new Map<string, string>();

  /** `folder` makes a new folder. */
  constructor(private readonly folder: () => string) {}

  /** A single file lies at the top of its artifact, and so does what is in a folder. Links are followed. */
  upload(given: Given, cwd: string): void {
    expectInputs(given, "name", "path");
    const [name = "", path = ""] = [given["name"], given["path"]];
    if (/[*?[\]\n]/.test(path)) throw new Error("the stand-in takes one path, without a pattern");
    const from = join(cwd, path);
    const files = filesIn(from);
    // A warning, and no artifact.
    if (files.length === 0) return;
    if (name === "" || /[":<>|*?\r\n\\/]/.test(name))
      throw new ActionFailure(`the artifact name is not valid: ${name}`);
    if (this.kept.has(name)) throw new ActionFailure(`the artifact ${name} is there already`);
    const root = files.length === 1 && files[0] === from ? dirname(from) : from;
    const kept = this.folder();
    for (const file of files) {
      const to = relative(root, file);
      if (/[":<>|*?\r\n]/.test(to)) throw new ActionFailure(`the path is not valid: ${to}`);
      mkdirSync(dirname(join(kept, to)), { recursive: true });
      cpSync(file, join(kept, to), { dereference: true });
      chmodSync(join(kept, to), 0o644);
    }
    this.kept.set(name, kept);
  }

  /** One artifact lies in `path` itself, also where a pattern matches it alone; of several, each in its own folder. */
  download(given: Given, cwd: string): void {
    expectInputs(given, "name", "path", "pattern", "merge-multiple");
    const to = join(cwd, given["path"] ?? ".");
    const names = this.chosen(given);
    for (const name of names) {
      const isApart = given["name"] === undefined && given["merge-multiple"] !== "true" && names.length > 1;
      cpSync(this.kept.get(name)!, isApart ? join(to, name) : to, { recursive: true });
    }
  }

  private chosen({ name, pattern = "*" }: Given): string[] {
    if (name === undefined) return [...this.kept.keys()].filter((each) => matches(each, pattern));
    if (!this.kept.has(name)) throw new ActionFailure(`artifact ${name} is not found`);
    return [name];
  }
}

/** Files of a path, without hidden ones and links that lead nowhere. */
function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => filesIn(join(path, basename(name))));
}

function matches(name: string, pattern: string): boolean {
  if (!/^[\w-]*\*$/.test(pattern)) throw new Error(`the stand-in does not know the pattern ${pattern}`);
  return name.startsWith(pattern.slice(0, -1)) && !name.startsWith(".");
}
