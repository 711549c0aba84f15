import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ActionContext, ActionFailure, expectInputs, type Given } from "./actions/action";
import { Artifacts } from "./actions/artifacts";
import { Caches } from "./actions/caches";
import { alertsOf } from "./actions/code-scanning";
import type { GitHubSetting } from "./github";
import { git } from "./machine";

/** Stands in for the actions that the workflows use: what each lays down, its outputs and its limits. */
export class Actions {
  private artifacts: Artifacts;
  private readonly caches: Caches;

  constructor(
    private readonly given: GitHubSetting,
    private readonly keepAlerts: (alerts: unknown[]) => void,
  ) {
    this.artifacts = this.noArtifacts();
    this.caches = new Caches(() => given.machine.folder("cache"));
  }

  /** Another run begins: it has no artifacts yet. */
  begin(): void {
    this.artifacts = this.noArtifacts();
  }

  private noArtifacts(): Artifacts {
    return new Artifacts(() => this.given.machine.folder("artifact"));
  }

  /** Runs an action. One that fails has failed the job. */
  run(uses: string, given: Given, place: ActionContext, branch: string): void {
    try {
      this.dispatch(uses, given, place, branch);
    } catch (error) {
      if (!(error instanceof ActionFailure)) throw error;
      place.hasFailed = true;
    }
  }

  private dispatch(uses: string, given: Given, place: ActionContext, branch: string): void {
    const [name] = uses.split("@");
    switch (name) {
      case "actions/checkout":
        return this.checkOut(given, place.cwd, branch);
      case "actions/setup-node":
        return setUpNode(given, place.cwd);
      case "pulumi/actions":
        return;
      case "aws-actions/configure-aws-credentials":
        return this.logIn(given, place);
      case "actions/cache/restore":
        return this.caches.restore(given, place.cwd, branch);
      case "actions/cache/save":
        return this.caches.save(given, place.cwd, branch);
      case "actions/upload-artifact":
        return this.artifacts.upload(given, place.cwd);
      case "actions/download-artifact":
        return this.artifacts.download(given, place.cwd);
      case "github/codeql-action/upload-sarif":
        return this.keepAlerts(alertsOf(given, place));
      default:
        throw new Error(`nobody stands in for ${uses}`);
    }
  }

  /** One commit of the branch alone, as v7.0.1 (commit 3d3c42e5aac5ba805825da76410c181273ba90b1) fetches by default. */
  private checkOut(given: Given, cwd: string, branch: string): void {
    expectInputs(given, "persist-credentials", "ref");
    const from = `file://${this.given.origin}`;
    if (given["ref"] === undefined)
      return void git(cwd, "clone", "--quiet", "--depth", "1", "--branch", branch, from, ".");
    git(cwd, "init", "--quiet", ".");
    git(cwd, "fetch", "--quiet", "--depth", "1", from, given["ref"]);
    git(cwd, "checkout", "--quiet", "FETCH_HEAD");
  }

  private logIn({ "role-to-assume": role, "aws-region": region }: Given, place: ActionContext): void {
    if (place.permissions["id-token"] !== "write")
      throw new ActionFailure("there is no token without `id-token: write`");
    Object.assign(place.env, this.given.logIn!(role!, place.environment), { AWS_REGION: region });
  }
}

/** By src/cache-restore.ts of v7.0.0 (commit 820762786026740c76f36085b0efc47a31fe5020): a cache needs a lock file. */
function setUpNode(given: Given, cwd: string): void {
  expectInputs(given, "node-version", "cache");
  const files = ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock"];
  if (given["cache"] === "npm" && !files.some((file) => existsSync(join(cwd, file))))
    throw new ActionFailure(`dependencies lock file is not found in ${cwd}`);
}

/** Puts the files of the examples where GitHub looks for them. */
export function copyGitHubFiles(examples: string, repository: string): void {
  const to = (path: string): string => join(repository, ".github", path);
  for (const folder of ["workflows", "actions/setup"]) mkdirSync(to(folder), { recursive: true });
  for (const name of readdirSync(join(examples, "github")).filter((each) => each.endsWith(".yml")))
    cpSync(join(examples, "github", name), to(`workflows/${name}`));
  cpSync(join(examples, "github/setup"), to("actions/setup"), { recursive: true });
}
