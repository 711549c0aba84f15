import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { ActionContext } from "./actions/action";
import { type Contexts, filled, filledAll, filledText, isDue } from "./expressions";
import type { GitHubJob, PipelineStep, Workflow } from "./files";
import type { Forge } from "./forge";
import { Actions } from "./github-actions";
import { git, type Ran, type RunnerMachine } from "./machine";
import type { Settings } from "./settings-tables";

export interface Event {
  name: "push" | "pull_request" | "schedule";
  branch: string;
}

export interface GitHubSetting {
  machine: RunnerMachine;
  /** The repository, bare. */
  origin: string;
  variables: Settings;
  secrets: Settings;
  /** Whether somebody lets a job into an environment. */
  approves?(environment: string, job: string): boolean;
  /** What a cloud gives a job that shows its token. */
  logIn?(identity: string, environment: string): Record<string, string>;
}

/** How a job of a workflow went; a job of a matrix is there once for each of its rows. */
export interface JobRun {
  job: string;
  matrix: Readonly<Record<string, unknown>>;
  environment: string;
  result: "success" | "failure" | "skipped";
  steps: Ran[];
}

type Outputs = Record<string, string>;

/** A job that runs, and what it has so far. */
interface Course extends ActionContext {
  contexts: Contexts;
  steps: Record<string, { outputs: Outputs }>;
  ran: Ran[];
}

/** Runs the workflows that a repository has, as GitHub would with these settings. */
export class GitHub {
  private readonly forgeFile: string;
  private readonly actions: Actions;
  private runs = 0;

  constructor(private readonly given: GitHubSetting) {
    this.actions = new Actions(given, (alerts) => {
      this.forge = { ...this.forge, alerts };
    });
    this.forgeFile = join(given.machine.site.folder, "forge.json");
    this.forge = { comments: [], issues: [], pulls: [], alerts: [] };
  }

  get forge(): Forge {
    return JSON.parse(readFileSync(this.forgeFile, "utf8")) as Forge;
  }

  set forge(forge: Forge) {
    writeFileSync(this.forgeFile, JSON.stringify(forge));
  }

  /** Runs a workflow as it stands on the branch of the event. */
  async run(file: string, event: Event): Promise<JobRun[]> {
    const { origin, variables } = this.given;
    const workflow = parse(git(origin, "show", `${event.branch}:.github/workflows/${file}`)) as Workflow;
    if (!JSON.stringify(workflow.on).includes(event.name)) throw new Error(`${file} does not run on ${event.name}`);
    this.runs += 1;
    this.actions.begin();
    const commitOf = (branch: string): string => git(origin, "rev-parse", branch).trim();
    const github = {
      ...{
        repository: "acme/platform",
        server_url: "https://github.com",
        run_id: String(this.runs),
        run_attempt: "1",
        ref: `refs/heads/${event.branch}`,
      },
      event: {
        repository: { default_branch: "main" },
        pull_request: {
          number: 7,
          base: { sha: commitOf("main") },
          head: { repo: { full_name: "acme/platform" }, sha: commitOf(event.branch) },
        },
      },
    };
    const needs: Record<string, { result: string; outputs: Outputs }> = {};
    const all: JobRun[] = [];
    for (const [name, job] of Object.entries(workflow.jobs)) {
      const before = [job.needs ?? []].flat().map((each) => needs[each]!);
      const status = {
        hasFailed: before.some(({ result }) => result === "failure"),
        isSkipped: before.some(({ result }) => result === "skipped"),
      };
      const contexts = { github, needs, vars: variables.repository };
      const ended = { result: "skipped", outputs: {} as Outputs };
      needs[name] = ended;
      if (!isDue(job.if, contexts, status)) continue;
      const stops = job.strategy?.["fail-fast"] !== false;
      for (const matrix of this.rowsOf(job, contexts)) {
        if (stops && ended.result === "failure") break;
        const { run, outputs } = await this.job(name, workflow, job, { ...contexts, matrix }, event);
        all.push(run);
        Object.assign(ended.outputs, outputs);
        if (ended.result !== "failure") ended.result = run.result;
      }
    }
    return all;
  }

  private rowsOf({ strategy }: GitHubJob, contexts: Contexts): Record<string, unknown>[] {
    return Object.entries(strategy?.matrix ?? {}).reduce<Record<string, unknown>[]>(
      (rows, [name, values]) =>
        rows.flatMap((row) => (filled(values, contexts) as unknown[]).map((value) => ({ ...row, [name]: value }))),
      [{}],
    );
  }

  private async job(
    name: string,
    { env }: Workflow,
    job: GitHubJob,
    around: Contexts & { matrix: Record<string, unknown> },
    { branch }: Event,
  ): Promise<{ run: JobRun; outputs: Outputs }> {
    const { machine, variables, secrets, approves = () => true } = this.given;
    const environment = filledText(job.environment, around);
    const { matrix } = around;
    const run: JobRun = { job: name, matrix, environment, result: "failure", steps: [] };
    // Nothing of a job runs before its environment lets it in.
    if (environment !== "" && !approves(environment, name)) return { run, outputs: {} };
    const total = this.rowsOf(job, { ...around }).length;
    const contexts = {
      ...around,
      github: { ...(around["github"] as object), token: tokenFor(job.permissions) },
      vars: { ...variables.repository, ...variables.environments[environment] },
      secrets: { ...secrets.repository, ...secrets.environments[environment] },
      strategy: { "job-total": total },
    };
    const outer = { ...contexts, env: {} };
    const course: Course = {
      ...{ environment, contexts, permissions: job.permissions, cwd: machine.folder(name) },
      env: {
        RUNNER_TEMP: this.given.machine.folder("temp"),
        ...filledAll(env, outer),
        ...filledAll(job.env, outer),
      },
      ...{ steps: {}, ran: run.steps, hasFailed: false },
    };
    for (const step of job.steps) await this.step(step, course, branch);
    run.result = course.hasFailed ? "failure" : "success";
    const outputs = filledAll(job.outputs, { ...contexts, steps: course.steps });
    return { run, outputs };
  }

  private async step(step: PipelineStep, course: Course, branch: string, inputs: object = {}): Promise<void> {
    const { contexts, steps, hasFailed } = course;
    const known = { ...contexts, steps, inputs, env: course.env };
    if (!isDue(step.if, known, { hasFailed })) return;
    const env = { ...course.env, ...filledAll(step.env, known) };
    if (step.uses !== undefined) return this.action(step.uses, filledAll(step.with, known), course, branch);
    const output = join(this.given.machine.folder("output"), "output");
    const environment = join(this.given.machine.folder("environment"), "environment");
    for (const file of [output, environment]) writeFileSync(file, "");
    const shell = step.shell === "bash" ? ["-e", "-o", "pipefail", "-c"] : ["-e", "-c"];
    const summary = join(this.given.machine.folder("summary"), "summary");
    const files = {
      GITHUB_OUTPUT: output,
      GITHUB_ENV: environment,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_REPOSITORY: "acme/platform",
      FORGE: this.forgeFile,
    };
    const ended = await this.given.machine.bash(step.run!, shell, course.cwd, { ...env, ...files });
    course.ran.push({ name: step.name ?? "", ...ended });
    if (ended.code !== 0) course.hasFailed = true;
    Object.assign(course.env, linesIn(environment));
    if (step.id !== undefined) steps[step.id] = { outputs: linesIn(output) };
  }

  /** Stands in for an action of somebody else's, and runs one of the repository's own. */
  private async action(uses: string, given: Record<string, string>, course: Course, branch: string): Promise<void> {
    if (!uses.startsWith("./")) return this.actions.run(uses, given, course, branch);
    const action = parse(readFileSync(join(course.cwd, uses, "action.yml"), "utf8")) as CompositeAction;
    const inputs = Object.fromEntries(Object.entries(action.inputs ?? {}).map(([key, each]) => [key, each.default]));
    // Steps of an action see neither variables nor secrets.
    const { vars: _, secrets: __, ...contexts } = course.contexts;
    const inner: Course = { ...course, contexts, steps: {} };
    for (const step of action.runs.steps) await this.step(step, inner, branch, { ...inputs, ...given });
    course.hasFailed = inner.hasFailed;
  }
}

/** What a step has left for those after it. */
const linesIn = (file: string): Outputs =>
  Object.fromEntries(
    [...readFileSync(file, "utf8").matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key!, value!]),
  );

interface CompositeAction {
  inputs?: Readonly<Record<string, { default: string }>>;
  runs: { steps: readonly PipelineStep[] };
}

/** A token that says what it may do, for the stand-in of `gh`. */
const tokenFor = (permissions: object): string => Buffer.from(JSON.stringify(permissions)).toString("base64url");
