import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { repository } from "../e2e/engines";
import type { Place } from "../publish/place";
import { type Contexts, filledAll, isDue } from "./expressions";
import type { GitHubJob, PipelineStep, Workflow } from "./files";

export const ownWorkflow = (name: string): Workflow =>
  parse(readFileSync(join(repository, ".github/workflows", name), "utf8")) as Workflow;

/** What the stand-in of `gh` has seen and made. */
interface Forge {
  calls: string[];
  releases: Readonly<Record<string, { isDraft: boolean }>>;
  pulls: string[];
}

/** How a job ended: its conflict, if it names one, and what its failed step printed. */
export interface JobEnd {
  result: "success" | "failure" | "skipped";
  conflict: string;
  output: string;
}

interface Course {
  cwd: string;
  contexts: Contexts;
  env: Record<string, string>;
  steps: Record<string, { outputs: Record<string, string> }>;
}

/** A forge that runs jobs of this repository's workflows, with the registries of a place behind it. */
export class OwnForge {
  /** Folders of artifacts, by name. */
  readonly artifacts: Record<string, string> = {};
  /** Actions that a job has used, with their inputs. */
  readonly actions: string[] = [];

  constructor(private readonly place: Place) {}

  get state(): Forge {
    return JSON.parse(readFileSync(join(this.place.folder, "gh/state.json"), "utf8")) as Forge;
  }

  assets(tag: string): string {
    return join(this.place.folder, "gh/assets", tag);
  }

  private folder(name: string): string {
    return mkdtempSync(join(this.place.folder, `${name}-`));
  }

  artifactWith(name: string, files: Readonly<Record<string, string | Buffer>>): void {
    const folder = (this.artifacts[name] = this.folder("artifact"));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  }

  /** Runs jobs in their order, each if its needs and its condition let it. */
  async runAll(
    name: string,
    jobs: readonly string[],
    contextsOf: (job: string) => Contexts,
  ): Promise<Record<string, JobEnd>> {
    const ends: Record<string, JobEnd> = {};
    for (const job of jobs) {
      const needed = [ownWorkflow(name).jobs[job]!.needs ?? []].flat();
      const resultOf = (each: string): string => ends[each]?.result ?? "success";
      const needs = Object.fromEntries(
        needed.map((each) => [each, { result: resultOf(each), outputs: { conflict: ends[each]?.conflict ?? "" } }]),
      );
      const isWell = needed.every((each) => resultOf(each) === "success");
      const isRun = isDue(ownWorkflow(name).jobs[job]!.if, { needs }, { hasFailed: !isWell });
      ends[job] = isRun
        ? await this.run(name, job, { ...contextsOf(job), needs })
        : { result: "skipped", conflict: "", output: "" };
    }
    return ends;
  }

  /** Runs a job as the forge evaluates its expressions. */
  async run(name: string, job: string, contexts: Contexts): Promise<JobEnd> {
    const { env, jobs } = ownWorkflow(name);
    const { addresses } = this.place;
    const github = {
      ...{ token: "token", repository: "acme/platform", server_url: "https://forge.example" },
      ...(contexts["github"] as object),
    };
    const vars = {
      ...{ NUGET_USER: "acme", NUGET_SOURCE: addresses["nuget"] },
      ...{ NPM_REGISTRY: addresses["npm"], PYPI_REPOSITORY: addresses["pypi"] },
    };
    const known = { matrix: { platform: "linux-amd64" }, ...contexts, github, vars };
    const course = { cwd: this.folder(job), contexts: known, env: filledAll(env, known), steps: {} };
    const output = await this.steps(jobs[job]!, course);
    const outputs = filledAll(jobs[job]!.outputs, { ...known, steps: course.steps });
    return {
      ...{ result: output === undefined ? "success" : "failure", conflict: outputs["conflict"] ?? "" },
      output: output ?? "",
    };
  }

  private async steps({ steps }: GitHubJob, course: Course): Promise<string | undefined> {
    for (const step of steps) {
      const known = { ...course.contexts, steps: course.steps };
      if (step.uses !== undefined) {
        this.action(step, filledAll(step.with, known), course.cwd);
        if (step.uses.startsWith("NuGet/login"))
          course.steps[step.id!] = { outputs: { NUGET_API_KEY: this.place.env["NUGET_API_KEY"]! } };
        continue;
      }
      const failed = await this.bash(step, filledAll(step.env, known), course);
      if (failed !== undefined) return failed;
    }
    return undefined;
  }

  /** What each action lays down; that of a registry is recorded. */
  private action({ uses }: PipelineStep, inputs: Record<string, string>, cwd: string): void {
    const [action] = uses!.split("@");
    if (action === "actions/download-artifact") {
      const artifact = this.artifacts[inputs["name"]!];
      if (artifact === undefined) throw new Error(`there is no artifact ${inputs["name"]}`);
      cpSync(artifact, join(cwd, inputs["path"]!), { recursive: true });
    } else if (action === "actions/upload-artifact")
      cpSync(join(cwd, inputs["path"]!), (this.artifacts[inputs["name"]!] = this.folder("artifact")), {
        recursive: true,
      });
    else if (action === "actions/checkout")
      spawnSync("git", ["clone", "--quiet", `file://${this.place.repository}`, "."], { cwd });
    else this.actions.push(`${action} ${Object.values(inputs).join(" ")}`.trim());
  }

  private async bash(
    { id, run, shell }: PipelineStep,
    env: Record<string, string>,
    course: Course,
  ): Promise<string | undefined> {
    const options = shell === "bash" ? ["-eo", "pipefail", "-c"] : ["-e", "-c"];
    const files = { GITHUB_OUTPUT: join(this.folder("output"), "output"), GITHUB_PATH: join(course.cwd, ".path") };
    const paths = existsSync(files.GITHUB_PATH) ? readFileSync(files.GITHUB_PATH, "utf8").trim().split("\n") : [];
    const own = this.place.env;
    const child = spawn("bash", [...options, run!], {
      cwd: course.cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...own, ...course.env, ...env, ...files, PATH: [...paths, own["PATH"]].join(delimiter) },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    const text = existsSync(files.GITHUB_OUTPUT) ? readFileSync(files.GITHUB_OUTPUT, "utf8") : "";
    const outputs = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]);
    if (id !== undefined) course.steps[id] = { outputs: Object.fromEntries(outputs) as Record<string, string> };
    return code === 0 ? undefined : output;
  }
}
