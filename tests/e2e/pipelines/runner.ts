import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { InlineSite } from "../../matrix/inline-site";
import { type Ended, start } from "../commands";
import { builtIn, type Engine } from "../engines";
import { putPlayedNpx } from "../played-npx";
import type { Site } from "../site";
import { gitLab, type Step, workflow, type workflows } from "./files";
import type { Forge } from "./forge";

/** How a step went that runs a command. */
export interface Ran extends Ended {
  name: string;
}

const script = (text: string): string => `#!/bin/sh\n${text}\n`;

/**
 * Runs the commands of the pipelines in a site's program, as a runner of the forge does,
 * with the forge's own programs stood in for.
 */
export class Runner {
  private readonly bin: string;
  private readonly forgeFile: string;
  private npx?: { close(): void };
  /** Folders that the forge's cache holds, by key, the newest last. */
  private readonly cached = new Map<string, string>();

  constructor(
    private readonly site: Site,
    private readonly engine: Engine,
  ) {
    this.bin = join(site.folder, "bin");
    this.forgeFile = join(site.folder, "forge.json");
    mkdirSync(this.bin);
    this.put("gh", `exec "${process.execPath}" "${join(__dirname, "gh.cjs")}" "$@"`);
    // What `npm ci` installs lies there already, and `npx` finds the program that it would have installed.
    this.put("npm", `[ "$*" = ci ]`);
    this.put(
      "npx",
      `[ "$1" = pulumi-modelplatform ] && shift && exec "${builtIn.command}" "${builtIn.args.join('" "')}" "$@"`,
    );
    this.forge = { comments: [], issues: [] };
  }

  /** From now on this package's commands are played in this process where `site` plays its own. */
  async play(site: Site): Promise<void> {
    if (site instanceof InlineSite) this.npx = await putPlayedNpx(this.bin, site.play);
  }

  close(): void {
    this.npx?.close();
  }

  private put(name: string, text: string): void {
    writeFileSync(join(this.bin, name), script(text));
    chmodSync(join(this.bin, name), 0o755);
  }

  get forge(): Forge {
    return JSON.parse(readFileSync(this.forgeFile, "utf8")) as Forge;
  }

  set forge(forge: Forge) {
    writeFileSync(this.forgeFile, JSON.stringify(forge));
  }

  private get env(): Record<string, string> {
    const { MODELPLATFORM_API_KEY: _, ...env } = this.site.env;
    return {
      ...env,
      PATH: `${this.bin}${delimiter}${env["PATH"]}`,
      FORGE: this.forgeFile,
      STACK: this.site.stack,
      ENGINE: this.engine.isBuiltIn ? "npx pulumi-modelplatform" : "pulumi",
    };
  }

  private run(command: string, shell: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
    const bash: Engine = { title: "a shell", isBuiltIn: false, command: "bash", args: shell };
    return start(bash, [command], {
      cwd: this.site.program,
      env: { ...this.env, ...env },
      rollCall: join(this.site.folder, "processes"),
    }).ended;
  }

  /**
   * Runs the commands of a workflow's job, as far as a failed one lets it; the file of a workflow with one job has its
   * name. `expressions` says what `${{ … }}` stands for.
   */
  async workflow(
    name: keyof typeof workflows,
    expressions: Readonly<Record<string, string>>,
    jobName: string = name,
  ): Promise<Ran[]> {
    const { env, jobs } = workflow(name);
    const plain = Object.fromEntries(Object.entries(env).filter(([, value]) => !value.includes("${{")));
    const outputs: Record<string, string> = {};
    const ran: Ran[] = [];
    for (const step of jobs[jobName]!.steps) {
      const isDue =
        !ran.some(({ code }) => code !== 0) || ["success() || failure()", "always()"].includes(step.if ?? "");
      if (isDue && step.uses?.startsWith("actions/cache/")) this.cacheStep(step, expressions);
      if (!isDue || step.run === undefined) continue;
      ran.push(await this.step({ ...step, env: { ...plain, ...step.env } }, { ...expressions, ...outputs }));
      for (const [, key, value] of this.outputs().matchAll(/^(\w+)=(.*)$/gm))
        outputs[`steps.${step.id}.outputs.${key}`] = value!;
    }
    return ran;
  }

  private cacheStep({ uses = "", with: given = {} }: Step, expressions: Readonly<Record<string, string>>): void {
    const { path, key, "restore-keys": prefix } = given as Record<string, string>;
    if (uses.startsWith("actions/cache/save@")) return this.save(fill(key!, expressions), path!);
    this.restore(
      [...this.cached.keys()].findLast((each) => each.startsWith(fill(prefix!, expressions))),
      path!,
    );
  }

  private save(key: string, path: string): void {
    const kept = join(this.site.folder, "cache", key);
    rmSync(kept, { recursive: true, force: true });
    if (!existsSync(join(this.site.program, path))) return;
    cpSync(join(this.site.program, path), kept, { recursive: true });
    this.cached.set(key, kept);
  }

  private restore(key: string | undefined, path: string): void {
    if (key !== undefined) cpSync(this.cached.get(key)!, join(this.site.program, path), { recursive: true });
  }

  /** From now on another machine runs the jobs: of what earlier ones left in the folder nothing is there. */
  renew(): void {
    rmSync(join(this.site.program, ".modelplatform"), { recursive: true, force: true });
  }

  private async step(
    { name = "", run = "", env = {} }: Step,
    expressions: Readonly<Record<string, string>>,
  ): Promise<Ran> {
    writeFileSync(this.outputFile, "");
    const filled = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value, expressions)]));
    return {
      name,
      ...(await this.run(run, ["-e", "-c"], {
        ...filled,
        GITHUB_OUTPUT: this.outputFile,
        GITHUB_REPOSITORY: "acme/platform",
      })),
    };
  }

  private get outputFile(): string {
    return join(this.site.folder, "outputs");
  }

  private outputs = (): string => readFileSync(this.outputFile, "utf8");

  /** Runs a job of the GitLab pipeline. */
  async gitLabJob(name: string, env: Readonly<Record<string, string>>): Promise<Ended> {
    const file = gitLab();
    const job = file[name]!;
    const lines = [...(job.before_script ?? file.default.before_script), ...job.script].join("\n");
    const key = job.cache?.key.replace("$STACK", this.site.stack);
    for (const path of job.cache?.paths ?? []) this.restore(this.cached.has(key!) ? key : undefined, path);
    const ended = await this.run(lines, ["-e", "-o", "pipefail", "-c"], {
      ...job.variables,
      CI_PROJECT_ID: "1",
      CI_MERGE_REQUEST_IID: "7",
      GITLAB_TOKEN: "gitlab-token",
      ...env,
    });
    if (ended.code === 0 || job.cache?.when === "always")
      for (const path of job.cache?.paths ?? []) this.save(key!, path);
    return ended;
  }
}

/** What stands for `${{ expression }}`; one that no test knows is an error. */
function fill(text: string, expressions: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = expressions[expression];
    if (value === undefined) throw new Error(`nothing says what \${{ ${expression} }} stands for`);
    return value;
  });
}
