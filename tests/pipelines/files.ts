import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repository } from "../e2e/engines";

export interface PipelineStep {
  name?: string;
  id?: string;
  if?: string;
  uses?: string;
  shell?: string;
  with?: Readonly<Record<string, unknown>>;
  run?: string;
  env?: Readonly<Record<string, string>>;
}

export interface GitHubJob {
  if?: string;
  needs?: string | readonly string[];
  strategy?: { matrix: Readonly<Record<string, unknown>>; "fail-fast"?: boolean; "max-parallel"?: number };
  environment?: string;
  env?: Readonly<Record<string, string>>;
  outputs?: Readonly<Record<string, string>>;
  permissions: Readonly<Record<string, string>>;
  "timeout-minutes": number;
  steps: readonly PipelineStep[];
}

export interface Workflow {
  on: unknown;
  permissions: unknown;
  env: Readonly<Record<string, string>>;
  jobs: Readonly<Record<string, GitHubJob>>;
}

export interface GitLabJob {
  extends?: string;
  script: readonly string[];
  before_script?: readonly string[];
  variables?: Readonly<Record<string, string>>;
  environment?: string | { name: string };
  id_tokens?: Readonly<Record<string, { aud: string }>>;
  needs?: readonly string[];
  parallel?: { matrix: readonly Readonly<Record<string, readonly string[]>>[] };
  timeout: string;
  rules?: readonly { if: string; when?: string }[];
  allow_failure?: { exit_codes: number };
  cache?: { key: string; paths: readonly string[]; when: string };
  artifacts?: { paths: readonly string[]; when?: string; reports?: Readonly<Record<string, string>> };
}

export interface GitLabFile {
  variables: Readonly<Record<string, string>>;
  /** Every job with what it extends. */
  jobs: Readonly<Record<string, GitLabJob>>;
}

export const examples = join(repository, "examples/ci");
export const textOf = (file: string): string => readFileSync(join(examples, file), "utf8");

export const workflows = {
  preview: "github/preview.yml",
  up: "github/up.yml",
  drift: "github/drift.yml",
  shards: "github/drift-shards.yml",
  accept: "github/accept.yml",
} as const;
export const workflow = (name: keyof typeof workflows): Workflow => parse(textOf(workflows[name])) as Workflow;

export const gitLabFile = "gitlab/gitlab-ci.yml";
export const gitLab = (text = textOf(gitLabFile)): GitLabFile => {
  const { variables, ...rest } = parse(text) as { variables: GitLabFile["variables"] } & Record<string, GitLabJob>;
  const whole = (job: GitLabJob): GitLabJob =>
    job.extends === undefined ? job : { ...whole(rest[job.extends]!), ...job };
  const jobs = Object.entries(rest).filter(([name, job]) => !name.startsWith(".") && job.script !== undefined);
  return { variables, jobs: Object.fromEntries(jobs.map(([name, job]) => [name, whole(job)])) };
};
