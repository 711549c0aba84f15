import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { repository } from "../e2e/engines";
import { type Contexts, filledAll } from "./expressions";
import type { PipelineStep, Workflow } from "./files";

export const ownWorkflow = (name: string): Workflow =>
  parse(readFileSync(join(repository, ".github/workflows", name), "utf8")) as Workflow;

/** What happens outside of a job: each call of a stand-in is written down, and some change what the next ones see. */
interface Outside {
  calls: string[];
  /** Versions that the npm registry has. */
  npm: string[];
  release?: { draft: boolean; files: string[] };
  pulls: string[];
}

/** Stands in for `gh`, `npm` and `dotnet` in what this repository's workflows use of them. */
const standIn = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const { basename } = require("node:path");
const [command, args] = [basename(process.argv[1]), process.argv.slice(2)];
const outside = JSON.parse(readFileSync(process.env.OUTSIDE, "utf8"));
const line = [command, ...args.filter((each) => !each.startsWith("-") && !each.includes("/"))].join(" ");
outside.calls.push(line);
const fail = () => (process.exitCode = 1);
const is = (...words) => words.every((word, index) => args[index] === word);
if (command === "npm" && is("view")) outside.npm.includes(args[1].split("@")[1]) || fail();
else if (command === "npm" && is("publish")) outside.npm.push(/-(\\d+\\.\\d+\\.\\d+)\\.tgz$/.exec(args.at(-1))[1]);
else if (command === "gh" && is("release", "view")) outside.release || fail();
else if (command === "gh" && is("release", "create")) outside.release = { draft: args.includes("--draft"), files: [] };
else if (command === "gh" && is("release", "upload"))
  outside.release.files = args.slice(args.indexOf("--clobber") + 1).map((file) => basename(file));
else if (command === "gh" && is("release", "edit")) outside.release.draft = !args.includes("--draft=false");
else if (command === "gh" && is("pr", "list")) console.log(outside.pulls.length || "");
else if (command === "gh" && is("pr", "create")) outside.pulls.push(args[args.indexOf("--title") + 1]);
else if (command === "dotnet" && is("nuget", "push")) args.includes("--skip-duplicate") || fail();
else throw new Error("nobody stands in for " + line);
writeFileSync(process.env.OUTSIDE, JSON.stringify(outside));
`;

/** A forge that runs jobs of this repository's workflows, with a bare repository behind it. */
export class OwnForge {
  readonly origin: string;
  private readonly file: string;

  constructor(private readonly folder: string) {
    this.origin = join(folder, "forge/acme/platform");
    mkdirSync(this.origin, { recursive: true });
    spawnSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", this.origin]);
    this.file = join(folder, "outside.json");
    writeFileSync(this.file, JSON.stringify({ calls: [], npm: [], pulls: [] } satisfies Outside));
    mkdirSync(join(folder, "bin"));
    for (const command of ["gh", "npm", "dotnet"]) {
      writeFileSync(join(folder, "bin", command), standIn);
      chmodSync(join(folder, "bin", command), 0o755);
    }
  }

  get outside(): Outside {
    return JSON.parse(readFileSync(this.file, "utf8")) as Outside;
  }

  /** Runs a job with these artifacts, as the forge evaluates its expressions; what its failed step said, or "". */
  run(name: string, job: string, { artifact, contexts }: { artifact: string; contexts: Contexts }): string {
    const cwd = mkdtempSync(join(this.folder, `${job}-`));
    const github = {
      ...{ token: "token", repository: "acme/platform", server_url: `file://${join(this.folder, "forge")}` },
      ...(contexts["github"] as object),
    };
    const known = { ...contexts, github, vars: { NUGET_USER: "acme", NUGET_SOURCE: "nuget" } };
    const steps: Record<string, { outputs: Record<string, string> }> = {};
    for (const step of ownWorkflow(name).jobs[job]!.steps) {
      if (step.uses !== undefined) {
        this.action(step, filledAll(step.with, { ...known, steps }), { cwd, artifact });
        if (step.id !== undefined) steps[step.id] = { outputs: { NUGET_API_KEY: "key" } };
        continue;
      }
      const said = this.bash(step, filledAll(step.env, { ...known, steps }), cwd);
      if (said !== undefined) return said;
    }
    return "";
  }

  /** What each action lays down; that of a registry writes down that it was called. */
  private action({ uses }: PipelineStep, given: Record<string, string>, at: { cwd: string; artifact: string }): void {
    const [action] = uses!.split("@");
    if (action === "actions/download-artifact")
      return cpSync(at.artifact, join(at.cwd, given["path"]!), { recursive: true });
    if (action === "actions/checkout")
      return void spawnSync("git", ["clone", "--quiet", `file://${this.origin}`, "."], { cwd: at.cwd });
    const outside = this.outside;
    outside.calls.push(`${action} ${Object.values(given).join(" ")}`.trim());
    writeFileSync(this.file, JSON.stringify(outside));
  }

  private bash({ run, shell }: PipelineStep, env: Record<string, string>, cwd: string): string | undefined {
    const options = shell === "bash" ? ["-eo", "pipefail", "-c"] : ["-e", "-c"];
    const path = [join(this.folder, "bin"), process.env["PATH"]].join(delimiter);
    const { status, stdout, stderr } = spawnSync("bash", [...options, run!], {
      ...{ cwd, encoding: "utf8" },
      env: { HOME: this.folder, ...env, PATH: path, OUTSIDE: this.file },
    });
    return status === 0 ? undefined : `${stdout}${stderr}`;
  }
}
