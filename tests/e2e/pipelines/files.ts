import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repository } from "../engines";

export interface Step {
  name?: string;
  id?: string;
  if?: string;
  uses?: string;
  with?: Readonly<Record<string, unknown>>;
  run?: string;
  env?: Readonly<Record<string, string>>;
}

export interface GitHubJob {
  if?: string;
  environment?: string;
  permissions: Readonly<Record<string, string>>;
  "timeout-minutes": number;
  steps: readonly Step[];
}

export interface Workflow {
  on: unknown;
  permissions: unknown;
  env: Readonly<Record<string, string>>;
  jobs: Readonly<Record<string, GitHubJob>>;
}

export interface GitLabJob {
  script: readonly string[];
  before_script?: readonly string[];
  variables?: Readonly<Record<string, string>>;
  environment?: unknown;
  timeout: string;
  rules?: unknown;
  cache?: { key: string; paths: readonly string[]; when: string };
  artifacts?: { reports?: Readonly<Record<string, string>> };
}

const folder = join(repository, "examples/ci");
export const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");

export const workflows = {
  preview: "github/preview.yml",
  up: "github/up.yml",
  drift: "github/drift.yml",
  shards: "github/drift-shards.yml",
  accept: "github/accept.yml",
} as const;
export const workflow = (name: keyof typeof workflows): Workflow => parse(textOf(workflows[name])) as Workflow;

export const gitLabFile = "gitlab/gitlab-ci.yml";
export const gitLab = (): Readonly<Record<string, GitLabJob>> & {
  variables: Readonly<Record<string, string>>;
  default: { before_script: readonly string[] };
} => parse(textOf(gitLabFile));
