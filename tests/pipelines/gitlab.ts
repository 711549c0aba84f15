import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GitLabJob, gitLab } from "./files";
import { git, type Ran, type RunnerMachine } from "./machine";
import { rows, type Settings } from "./settings-tables";

export interface GitLabEvent {
  source: "push" | "merge_request_event" | "schedule";
  branch: string;
}

export interface GitLabSetting {
  machine: RunnerMachine;
  /** The repository, bare. */
  origin: string;
  /** Address of the API. */
  api: string;
  variables: Settings;
  secrets: Settings;
  /** Whether somebody starts a job that waits for it. */
  starts?(job: string): boolean;
}

/** How a job went; one of a matrix is there once for each of its rows. */
export interface GitLabRun extends Ran {
  row: Readonly<Record<string, string>>;
  environment: string;
}

type Variables = Readonly<Record<string, string>>;

/** Runs the pipeline that a repository has, as GitLab would with these settings. */
export class GitLab {
  /** What caches hold, by key. */
  private readonly cached = new Map<string, string>();

  constructor(private readonly given: GitLabSetting) {}

  /** Runs the pipeline as it stands on the branch of the event. */
  async run({ source, branch }: GitLabEvent): Promise<GitLabRun[]> {
    const { origin, api, starts = () => false } = this.given;
    const commitOf = (name: string): string => git(origin, "rev-parse", name).trim();
    const file = gitLab(git(origin, "show", `${branch}:.gitlab-ci.yml`));
    const predefined = {
      ...{ CI_PIPELINE_SOURCE: source, CI_DEFAULT_BRANCH: "main", CI_COMMIT_BRANCH: branch },
      ...{ CI_API_V4_URL: api, CI_PROJECT_ID: "1", CI_PROJECT_URL: `file://${origin.replace(/\.git$/, "")}` },
      ...{ CI_COMMIT_SHA: commitOf(branch), CI_PIPELINE_URL: "https://gitlab.example.com/pipelines/1" },
      ...(source === "merge_request_event" && {
        ...{ CI_COMMIT_BRANCH: "", CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_DIFF_BASE_SHA: commitOf("main") },
      }),
    };
    const artifacts = this.given.machine.folder("artifacts");
    const results: Record<string, boolean> = {};
    const all: GitLabRun[] = [];
    for (const [name, job] of Object.entries(file.jobs)) {
      const rule = (job.rules ?? [{ if: "", when: "on_success" }]).find((each) => holds(each.if, predefined));
      if (!rule || (rule.when === "manual" && !starts(name))) continue;
      const isHeldUp = (job.needs ?? []).some((each) => results[each] === false);
      if (isHeldUp && rule.when !== "always") continue;
      for (const row of rowsOf(job)) {
        const ran = await this.job(name, job, row, { ...predefined, ...file.variables }, branch, artifacts);
        all.push(ran);
        const isWell = ran.code === 0 || job.allow_failure?.exit_codes === ran.code;
        results[name] = (results[name] ?? true) && isWell;
      }
    }
    return all;
  }

  private async job(
    name: string,
    job: GitLabJob,
    row: Variables,
    above: Variables,
    branch: string,
    artifacts: string,
  ): Promise<GitLabRun> {
    const { machine, origin, variables, secrets } = this.given;
    const named = typeof job.environment === "object" ? job.environment.name : (job.environment ?? "");
    const environment = expanded(named, row);
    const tokens = Object.keys(job.id_tokens ?? {}).map((each) => [each, `token of ${environment}`]);
    // A project's variables win over those of the file.
    const env: Variables = {
      ...{ ...above, ...job.variables, ...row, ...Object.fromEntries(tokens) },
      ...{ ...variables.repository, ...variables.environments[environment] },
      ...this.asFiles({ ...secrets.repository, ...secrets.environments[environment] }),
    };
    const cwd = machine.folder(name);
    if (env["GIT_STRATEGY"] !== "empty") git(cwd, "clone", "--quiet", "--branch", branch, origin, ".");
    this.restore(job, env, cwd);
    if (job.needs !== undefined) cpSync(artifacts, cwd, { recursive: true });
    const script = [...(job.before_script ?? []), ...job.script].join("\n");
    const ended = await machine.bash(script, ["-e", "-o", "pipefail", "-c"], cwd, env);
    if (ended.code === 0 || job.cache?.when === "always") this.save(job, env, cwd);
    if (ended.code === 0 || job.artifacts?.when === "always")
      for (const path of job.artifacts?.paths.map((each) => expanded(each, env)) ?? [])
        if (existsSync(join(cwd, path))) cpSync(join(cwd, path), join(artifacts, path), { recursive: true });
    return { name, row, environment, ...ended };
  }

  /** Variables of the type *File* are paths in a job. */
  private asFiles(variables: Variables): Variables {
    const folder = this.given.machine.folder("variables");
    const kept = rows().filter(({ name, isFile }) => isFile && variables[name] !== undefined);
    for (const { name } of kept) writeFileSync(join(folder, name), variables[name]!);
    return { ...variables, ...Object.fromEntries(kept.map(({ name }) => [name, join(folder, name)])) };
  }

  private restore({ cache }: GitLabJob, env: Variables, cwd: string): void {
    const kept = cache && this.cached.get(expanded(cache.key, env));
    if (kept !== undefined) cpSync(kept, cwd, { recursive: true });
  }

  private save({ cache }: GitLabJob, env: Variables, cwd: string): void {
    if (!cache) return;
    const kept = this.given.machine.folder("cache");
    rmSync(kept, { recursive: true });
    for (const path of cache.paths.filter((each) => existsSync(join(cwd, each))))
      cpSync(join(cwd, path), join(kept, path), { recursive: true });
    if (existsSync(kept)) this.cached.set(expanded(cache.key, env), kept);
  }
}

const expanded = (text: string, values: Variables): string =>
  text.replace(/\$(\w+)/g, (_, name: string) => values[name] ?? "");

const rowsOf = ({ parallel }: GitLabJob): Variables[] =>
  parallel === undefined
    ? [{}]
    : parallel.matrix.flatMap((each) =>
        Object.entries(each).flatMap(([name, values]) => values.map((value) => ({ [name]: value }))),
      );

/** Whether a rule applies: comparisons of variables with texts or each other, all of which must hold. */
function holds(rule: string, values: Variables): boolean {
  const side = (text: string): string => (text.startsWith("$") ? (values[text.slice(1)] ?? "") : text.slice(1, -1));
  return rule
    .split("&&")
    .map((each) => /^(\$\w+|".*") (==|!=) (\$\w+|".*")$/.exec(each.trim()))
    .every((parts) => {
      if (rule === "") return true;
      if (parts === null) throw new Error(`the rule ${rule} is not understood here`);
      return (side(parts[1]!) === side(parts[3]!)) === (parts[2] === "==");
    });
}
