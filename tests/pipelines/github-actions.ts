import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { GitHubSetting } from "./github";
import { git } from "./machine";

type Given = Readonly<Record<string, string>>;

/** Where an action runs, and what it may do. */
export interface ActionContext {
  cwd: string;
  permissions: Readonly<Record<string, string>>;
  environment: string;
  /** What the job's next steps have in their environment. */
  env: Record<string, string>;
  hasFailed: boolean;
}

/** Stands in for the actions that the workflows use. */
export class Actions {
  private readonly artifacts = new Map<string, string>();
  /** What caches hold, by key, the newest last. */
  private readonly cached = new Map<string, string>();

  constructor(
    private readonly given: GitHubSetting,
    private readonly keepAlerts: (alerts: unknown[]) => void,
  ) {}

  /** Another run begins: it has no artifacts yet. */
  begin(): void {
    this.artifacts.clear();
  }

  run(uses: string, given: Given, place: ActionContext, branch: string): void {
    const [name] = uses.split("@");
    switch (name) {
      case "actions/checkout":
        git(place.cwd, "clone", "--quiet", "--branch", branch, this.given.origin, ".");
        return;
      case "actions/setup-node":
      case "pulumi/actions":
        return;
      case "aws-actions/configure-aws-credentials":
        return this.logIn(given, place);
      case "actions/cache/restore":
        return this.restore(given, place.cwd);
      case "actions/cache/save":
        return this.save(given, place.cwd);
      case "actions/upload-artifact":
        return this.upload(given, place.cwd);
      case "actions/download-artifact":
        return this.download(given, place);
      case "github/codeql-action/upload-sarif":
        return this.alert(given, place);
      default:
        throw new Error(`nobody stands in for ${uses}`);
    }
  }

  private logIn({ "role-to-assume": role, "aws-region": region }: Given, place: ActionContext): void {
    if (place.permissions["id-token"] !== "write") throw new Error("there is no token without `id-token: write`");
    Object.assign(place.env, this.given.logIn!(role!, place.environment), { AWS_REGION: region });
  }

  private restore({ path, "restore-keys": prefix }: Given, cwd: string): void {
    const key = [...this.cached.keys()].findLast((each) => each.startsWith(prefix!));
    if (key !== undefined) cpSync(this.cached.get(key)!, join(cwd, path!), { recursive: true });
  }

  private save({ path, key }: Given, cwd: string): void {
    if (!existsSync(join(cwd, path!))) return;
    const kept = this.given.machine.folder("cache");
    cpSync(join(cwd, path!), kept, { recursive: true });
    this.cached.set(key!, kept);
  }

  private upload({ name, path }: Given, cwd: string): void {
    const from = join(cwd, path!);
    if (!existsSync(from)) return;
    if (this.artifacts.has(name!)) throw new Error(`the artifact ${name} is there already`);
    const kept = this.given.machine.folder("artifact");
    cpSync(from, statSync(from).isDirectory() ? kept : join(kept, basename(from)), { recursive: true });
    this.artifacts.set(name!, kept);
  }

  private download({ name, pattern, path = ".", "merge-multiple": merges }: Given, place: ActionContext): void {
    const to = join(place.cwd, path);
    mkdirSync(to, { recursive: true });
    if (name !== undefined) {
      const kept = this.artifacts.get(name);
      if (kept === undefined) place.hasFailed = true;
      else cpSync(kept, to, { recursive: true });
      return;
    }
    const [start = ""] = pattern!.split("*");
    for (const [each, kept] of this.artifacts)
      if (each.startsWith(start)) cpSync(kept, merges === "true" ? to : join(to, each), { recursive: true });
  }

  private alert({ sarif_file: file }: Given, { permissions, cwd }: ActionContext): void {
    if (permissions["security-events"] !== "write") throw new Error("no alerts without `security-events: write`");
    const { runs } = JSON.parse(readFileSync(join(cwd, file!), "utf8")) as { runs: { results: unknown[] }[] };
    this.keepAlerts(runs.flatMap(({ results }) => results));
  }
}

/** Puts the files of the examples where GitHub looks for them. */
export function copyGitHubFiles(examples: string, repository: string): void {
  const to = (path: string): string => join(repository, ".github", path);
  for (const folder of ["workflows", "actions/setup"]) mkdirSync(to(folder), { recursive: true });
  for (const name of readdirSync(join(examples, "github")).filter((each) => each.endsWith(".yml")))
    cpSync(join(examples, "github", name), to(`workflows/${name}`));
  cpSync(join(examples, "github/setup"), to("actions/setup"), { recursive: true });
}
