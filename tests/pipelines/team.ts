import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { builtIn, type Engine } from "../e2e/engines";
import { Site } from "../e2e/site";
import { InlineSite } from "../inline/site";
import { isNightly } from "../nightly";
import type { Values } from "../values";
import { examples, gitLabFile, textOf } from "./files";
import { copyGitHubFiles } from "./github-actions";
import { git, RunnerMachine } from "./machine";
import { type ForgeName, type Given, settingsOf } from "./settings-tables";

export const stacks = ["staging", "prod"] as const;
export type TeamStack = (typeof stacks)[number];
export const passphrase = "correct horse battery staple";

export const accountOf = (stack: string): string => `acme-${stack}`;
/** Keys as a secret holds them. */
const keysFor = (role: string, some: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(some.map((stack) => [accountOf(stack), { apiKey: `${role}-${stack}` }])));

const ofGitHub: Given = {
  STACKS: JSON.stringify(stacks),
  MODELPLATFORM_READ_ACCOUNTS: keysFor("read", stacks),
  MODELPLATFORM_ACCOUNTS: (stack) => keysFor("write", [stack]),
};
const ofGitLab: Given = {
  GITLAB_TOKEN: "gitlab-token",
  MODELPLATFORM_ACCOUNTS_FILE: (environment) =>
    (stacks as readonly string[]).includes(environment) ? keysFor("write", [environment]) : keysFor("read", stacks),
};

/** A program with Ada, whose name each stack's config has, and others, whose names all stacks share. */
export const program = (...others: readonly string[]): string =>
  [
    'import { Config } from "@pulumi/pulumi";',
    'import { User } from "pulumi-modelplatform";',
    "",
    "const config = new Config();",
    'new User("ada", { userId: "ada", email: "ada@example.com", role: "user", displayName: config.require("title") });',
    ...others.map(
      (id) =>
        `new User("${id}", { userId: "${id}", email: "${id}@example.com", role: "user", displayName: "Nobody" });`,
    ),
    "",
  ].join("\n");

/** How the comment of a review begins. */
export const marker = "<!-- modelplatform review default -->";

/** A comment with a section for each stack, in which that many are created, one of them this. */
export const reviewOf = (resource: string, created: number): RegExp =>
  new RegExp(
    `^${marker}\\n${[...stacks]
      .sort()
      .map((stack) => `[^]*### ${stack}: ${created} created[^]*create \\| <code>${resource}</code>`)
      .join("")}`,
  );

/** A name that must not mention, link, close an issue, end a block of code or hide in the text of a pull request. */
export const hostile = "@everyone fixes #1 </details> ``` [x](y) \u202e<img src=x>";

/** The text of a pull request that accepts `hostile` as Ada's name. */
export function expectAccepted(body: string): void {
  expect(body).toContain("### Accepted: the program matches the live state (1)");
  expect(body).toContain("<code>displayName</code> of <code>User ada</code>");
  for (const trick of ["@everyone", "#1 ", "</details> ```", "[x](", "<img", "\u202e"])
    expect(body).not.toContain(trick);
}

export interface TeamOptions {
  engine?: Engine;
  backend?: string;
  plays?: boolean;
}

/** What people of a team do by hand, from an empty repository on: nothing but what the README of the pipelines says. */
export class Team {
  readonly origin: string;
  private readonly work: string;

  private constructor(
    readonly site: Site,
    readonly machine: RunnerMachine,
    /** Where the state is. */
    readonly backend: string,
  ) {
    this.origin = join(site.folder, "platform.git");
    this.work = machine.folder("work");
    git(site.folder, "init", "--quiet", "--bare", "--initial-branch", "main", this.origin);
    git(this.work, "clone", "--quiet", this.origin, ".");
  }

  /** `plays`: whether commands run in this process in a normal run. Those of processes that are killed do not. */
  static async open({ engine = builtIn, backend, plays = true }: TeamOptions = {}): Promise<Team> {
    const accounts = Object.fromEntries(stacks.map((stack) => [accountOf(stack), `write-${stack}`]));
    const isInline = engine.isBuiltIn && !isNightly;
    const site = await (isInline
      ? InlineSite.start({ accounts }, plays ? undefined : Date.now())
      : Site.open(engine, { accounts }));
    for (const stack of stacks) site.emulator.world.setKey(`read-${stack}`, accountOf(stack), "inference-user");
    const machine = new RunnerMachine(site, engine);
    if (plays) await machine.play();
    const folder = join(site.folder, "states");
    mkdirSync(folder);
    return new Team(site, machine, backend ?? `file://${folder}`);
  }

  async close(): Promise<void> {
    this.machine.close();
    await this.site.close();
  }

  /** Runs the commands with which the README has people create a stack, and one for a setting of the program's own. */
  async createStacks(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const [, block = ""] = /```sh\n([^]*?)```/.exec(textOf("README.md")) ?? [];
    const lines = block
      .replace("PULUMI_BACKEND_URL=…", `'PULUMI_BACKEND_URL=${this.backend}'`)
      .replace("PULUMI_CONFIG_PASSPHRASE=…", `'PULUMI_CONFIG_PASSPHRASE=${passphrase}'`);
    const own = `${lines}npx pulumi-modelplatform config set title Ada --stack staging\n`;
    const script = this.machine.engine.isBuiltIn ? own : own.replaceAll("npx pulumi-modelplatform", "pulumi");
    for (const stack of stacks) await this.must(script.replaceAll("staging", stack), env);
  }

  /** Runs commands in the team's own clone, with its state and passphrase. */
  run = (script: string): Promise<void> =>
    this.must(script, { PULUMI_BACKEND_URL: this.backend, PULUMI_CONFIG_PASSPHRASE: passphrase });

  private async must(script: string, env: Readonly<Record<string, string>>): Promise<void> {
    const { code, output } = await this.machine.bash(script, ["-e", "-c"], this.work, env);
    if (code !== 0) throw new Error(`${script} ends with ${code}:\n${output}`);
  }

  /** Writes what an empty repository needs, and creates the stacks. */
  async begin(source: string, env?: Readonly<Record<string, string>>): Promise<void> {
    const manifest = { name: "platform", main: "index.ts", dependencies: { "pulumi-modelplatform": "*" } };
    this.write("package.json", JSON.stringify(manifest));
    this.write("package-lock.json", "{}");
    this.write(".gitignore", "node_modules\n.pulumi\n");
    this.write("Pulumi.yaml", "name: platform\nruntime: nodejs\n");
    this.write("index.ts", source);
    copyGitHubFiles(examples, this.work);
    cpSync(join(examples, gitLabFile), join(this.work, ".gitlab-ci.yml"));
    await this.createStacks(env);
    this.push("main");
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.work, name), text);
  }

  /** Commits everything, and pushes it to a branch that begins at main. */
  push(branch: string): void {
    git(this.work, "checkout", "--quiet", "-B", branch);
    git(this.work, "add", "--all");
    git(this.work, "commit", "--quiet", "--message", "Change");
    git(this.work, "push", "--quiet", "--force", "origin", branch);
  }

  /** Merges a branch into main, as a person does on the forge. */
  merge(branch: string): void {
    git(this.work, "fetch", "--quiet", "origin");
    git(this.work, "checkout", "--quiet", "main");
    git(this.work, "merge", "--quiet", "--no-edit", `origin/${branch}`);
    git(this.work, "push", "--quiet", "origin", "main");
  }

  /** The setting that Ada's name is, as a stack's config has it on a branch. */
  titleOn = (branch: string, stack: TeamStack): unknown =>
    (parse(git(this.origin, "show", `${branch}:Pulumi.${stack}.yaml`)) as { config: Values }).config["platform:title"];

  textOn = (branch: string): string => git(this.origin, "show", `${branch}:index.ts`);

  branches = (): string[] => git(this.origin, "branch", "--format", "%(refname:short)").trim().split("\n");

  /** What the team sets on its forge, by the README's tables. */
  settings(forge: ForgeName, more: Given = {}): ReturnType<typeof settingsOf> {
    return settingsOf(
      forge,
      {
        MODELPLATFORM_BASE_URL: this.site.url,
        PULUMI_BACKEND_URL: this.backend,
        ...(this.machine.engine.isBuiltIn && { ENGINE: "npx pulumi-modelplatform" }),
        ...(forge === "GitHub" ? ofGitHub : ofGitLab),
        PULUMI_CONFIG_PASSPHRASE: passphrase,
        ...more,
      },
      stacks,
    );
  }

  /** A user of a stack's account as it is live. */
  live = (stack: TeamStack, id: string): Values | undefined =>
    [...this.site.emulator.world.all()]
      .map(({ fields }) => fields)
      .find(({ name }) => name === `accounts/${accountOf(stack)}/users/${id}`);

  /** Changes a user by hand. */
  tamper = (stack: TeamStack, id: string, change?: Values): Promise<void> =>
    this.site.tamper(`accounts/${accountOf(stack)}/users/${id}`, change);

  /** Adds a user by hand. */
  add = (stack: TeamStack, id: string): Promise<unknown> =>
    this.site.seed({ [`accounts/${accountOf(stack)}/users/${id}`]: { email: `${id}@example.com`, role: "user" } });
}
