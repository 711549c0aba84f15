import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { type FileSystem, nodeFiles, readIfExists, replacePublic } from "../../io/files/durable";
import { isOpenToAll } from "../../io/files/folders";
import { yamlValue } from "../../io/text/parse-problem";
import { emptySnapshot, type Purpose } from "./deployment";
import { isName, layoutOf, locate, parseAside } from "./layout";
import { type Acquisition, type BrokenLock, type LockDeps, StackLock } from "./lock";
import type { Project } from "./project";
import { isObject, type JsonObject, type Snapshot, type StateValue } from "./resource-state";
import { StackFiles } from "./stack-files";
import { CutOffError, movingOf, type Undertaking } from "./undertaking";

export interface BackendOptions {
  /** What a relative `file://` path is relative to. Default: the process's folder. */
  cwd?: string;
  home?: string;
  env?: { readonly [name: string]: string | undefined };
  files?: FileSystem;
  clock?: () => Date;
  lock?: Partial<Omit<LockDeps, "files" | "clock">>;
}

/** What belongs to a stack outside of the backend, changed under the same lock. */
interface Surroundings {
  prepare?: () => Promise<void>;
  finish?: () => Promise<void>;
}

interface StackReference {
  project: string;
  name: string;
}

/** A state of the backend, read when it is asked for. */
export interface RecordedState extends StackReference {
  load(purpose?: Purpose): Promise<Snapshot | undefined>;
}

/**
 * Pulumi's file backend at a `file://` URL. Throws for another scheme, naming the
 * Pulumi CLI; touches nothing before it is used.
 */
export function openBackend(url: string, options: BackendOptions = {}): FileBackend {
  return new FileBackend(url, options);
}

export class FileBackend {
  /** Absolute folder that holds `.pulumi`. */
  readonly folder: string;
  private readonly files: FileSystem;
  private readonly clock: () => Date;
  private readonly env: { readonly [name: string]: string | undefined };
  private readonly home: string;
  private checked: Promise<void> | undefined;

  /** Its name in errors: the configured URL, plus the resolved folder. */
  get label(): string {
    const { url, folder } = this;
    return url.endsWith(folder) ? url : `${folder} (the backend ${url})`;
  }

  constructor(
    /** As configured: the key under which the Pulumi CLI remembers the selected stack. */
    readonly url: string,
    private readonly options: BackendOptions,
  ) {
    this.home = options.home ?? homedir();
    this.folder = locate(url, options.cwd ?? process.cwd(), this.home);
    this.files = options.files ?? nodeFiles;
    this.clock = options.clock ?? (() => new Date());
    this.env = options.env ?? process.env;
  }

  /** Checks the folder's format without creating anything. The methods below call it. */
  ready(): Promise<void> {
    return (this.checked ??= this.check());
  }

  /** Marks an unused folder as Pulumi's before the first write. */
  private async claim(): Promise<void> {
    await this.ready();
    if ((await readIfExists(this.files, this.meta)) !== undefined) return;
    await replacePublic(this.files, this.meta, Buffer.from("version: 1\n")).catch((error: unknown) => {
      throw new Error(
        `The backend ${this.url} cannot be written to: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    });
  }

  private get meta(): string {
    return join(this.folder, ".pulumi", "meta.yaml");
  }

  /** The folders of states in which every user of the machine may replace what is there. */
  async openFolders(): Promise<string[]> {
    const root = join(this.folder, ".pulumi");
    const stacks = join(root, "stacks");
    const projects = (await this.files.list(stacks)).filter(({ isFolder }) => isFolder);
    return [this.folder, root, stacks, ...projects.map(({ name }) => join(stacks, name))].filter(isOpenToAll);
  }

  /** In order of project and name. */
  async listStacks(project?: string): Promise<StackReference[]> {
    await this.ready();
    const root = join(this.folder, ".pulumi", "stacks");
    const projects = (await this.files.list(root)).filter(
      ({ name, isFolder }) => isFolder && isName(name) && (project ?? name) === name,
    );
    const stacks = projects.map(async ({ name }) => {
      const names = (await this.files.list(join(root, name))).flatMap((entry) =>
        entry.isFolder ? [] : stackNameOf(entry.name),
      );
      return [...new Set(names)].map((stack) => ({ project: name, name: stack }));
    });
    return (await Promise.all(stacks)).flat();
  }

  /** The stacks, and beside them the states of those that a rename which was cut off has left without a name. */
  async listStates(project?: string): Promise<RecordedState[]> {
    const stacks = await this.listStacks(project);
    const isThere = (named: string, owner: string) =>
      stacks.some((each) => each.name === named && each.project === owner);
    const states = stacks.map(
      (each): RecordedState => ({ ...each, load: (purpose) => this.stack(each.project, each.name).load(purpose) }),
    );
    const root = join(this.folder, ".pulumi", "stacks");
    const owners =
      project === undefined ? (await this.files.list(root)).filter(({ isFolder }) => isFolder) : [{ name: project }];
    for (const { name: owner } of owners)
      for (const { from, to = "", projects } of isName(owner) ? await this.renamesFrom(owner) : []) {
        if (isThere(from, owner) || isThere(to, projects?.to ?? owner)) continue;
        const files = this.stack(owner, from);
        states.push({ project: owner, name: from, load: (purpose) => files.loadAside(purpose) });
      }
    return states;
  }

  /** The stack's files, whether it exists or not. Code that changes them uses `locked`. */
  stack(project: string, name: string, lock?: StackLock): StackFiles {
    const confirm = lock && (() => lock.confirm());
    const layout = layoutOf(this.folder, project, name);
    return new StackFiles({ project, name, layout, files: this.files, clock: this.clock, confirm });
  }

  /** Runs `work` on a stack, existing or not, under its lock. The state is written only while the lock is held. */
  async locked<Result>(
    project: string,
    name: string,
    work: (stack: StackFiles, broken: BrokenLock[]) => Promise<Result>,
    acquisition?: Acquisition,
  ): Promise<Result> {
    const lock = this.lock(project, name);
    const broken = await lock.acquire(acquisition);
    try {
      return await work(this.stack(project, name, lock), broken);
    } finally {
      await lock.release();
    }
  }

  lock(project: string, name: string): StackLock {
    return new StackLock(layoutOf(this.folder, project, name), {
      isUnfinished: (undertaking) => this.isUnfinished(project, undertaking),
      ...this.options.lock,
      files: this.files,
      clock: this.clock,
    });
  }

  /** Whether what was cut off has changed something, and not all. The files say it, and outlast the locks. */
  private async isUnfinished(project: string, { operation, from, to, projects }: Undertaking): Promise<boolean> {
    const stack = this.stack(projects?.from ?? project, from);
    if (operation === "stack rename") {
      const aside = await stack.aside();
      return aside?.to === to && aside?.project === projects?.to;
    }
    if (operation === "stack rm") return !(await stack.exists());
    if (operation !== "state move") return false;
    return (await stack.load("inspect"))?.resources.some((entry) => movingOf(entry)?.stack === to) ?? false;
  }

  /** The renames of the project, from it or to it, that were cut off while the state had neither name. */
  async unfinishedRenames(project: string): Promise<Undertaking[]> {
    const owners = await this.files.list(join(this.folder, ".pulumi", "stacks"));
    const others = owners.filter(({ name, isFolder }) => isFolder && isName(name) && name !== project);
    const renames = await Promise.all(
      [project, ...others.map(({ name }) => name)].map((owner) => this.renamesFrom(owner)),
    );
    return renames.flat().filter(({ projects }, index) => index < renames[0]!.length || projects?.to === project);
  }

  private async renamesFrom(project: string): Promise<Undertaking[]> {
    const files = await this.files.list(join(this.folder, ".pulumi", "stacks", project));
    return files.flatMap(({ name }) => {
      const aside = parseAside(name);
      if (aside === undefined) return [];
      const projects = aside.project === undefined ? {} : { projects: { from: project, to: aside.project } };
      return [{ operation: "stack rename" as const, from: aside.from, to: aside.to, ...projects }];
    });
  }

  /** The one of them that has a name as its old or its new one. */
  async renameAt(project: string, name: string): Promise<Undertaking | undefined> {
    const renames = await this.unfinishedRenames(project);
    return renames.find(({ from, to, projects = { from: project, to: project } }) =>
      [`${projects.from}/${from}`, `${projects.to}/${to}`].includes(`${project}/${name}`),
    );
  }

  /** What was cut off at a stack, whether it is there or not. */
  async cutOff(project: string, name: string): Promise<Undertaking | undefined> {
    const renamed = await this.renameAt(project, name);
    if (renamed) return renamed;
    for (const { fate, undertaking } of await this.lock(project, name).holders())
      if (undertaking && fate !== "runs" && (await this.isUnfinished(project, undertaking))) return undertaking;
    return undefined;
  }

  /** The move to this stack that was cut off and left its mark in another state of the project. */
  async moveTo(project: string, to: string): Promise<Undertaking | undefined> {
    for (const { name: from } of await this.listStacks(project)) {
      const move: Undertaking = { operation: "state move", from, to };
      const state = from === to ? undefined : await this.stack(project, from).loadIfNamed("stack", new Set([to]));
      if (state?.resources.some((entry) => movingOf(entry)?.stack === to)) return move;
    }
    return undefined;
  }

  /**
   * Makes a stack of `snapshot` (secrets as ciphertext), by default without resources. Throws if it exists, unless its
   * making was cut off. `prepare` comes before the state, `finish` after it; the same call continues what was cut off.
   */
  async createStack(
    project: string,
    name: string,
    snapshot: Snapshot = emptySnapshot(this.clock()),
    { prepare, finish }: Surroundings = {},
  ): Promise<StackFiles> {
    await this.claim();
    const undertaking: Undertaking = { operation: "stack init", from: name };
    const begin = async (stack: StackFiles, broken: readonly BrokenLock[]): Promise<void> => {
      const isBegun = broken.some((lock) => lock.undertaking?.operation === undertaking.operation);
      await this.assertNotRenamed(project, name);
      const exists = (await stack.load()) !== undefined;
      if (exists && !isBegun)
        throw new Error(
          `The stack ${name} of project ${project} already exists in ${this.label}. Choose another name.`,
        );
      await prepare?.();
      if (!exists) await stack.save(snapshot);
      await finish?.();
    };
    await this.locked(project, name, begin, { undertaking });
    return this.stack(project, name);
  }

  /** Throws in the middle of a rename from or to a name. */
  async assertNotRenamed(project: string, name: string): Promise<void> {
    const rename = await this.renameAt(project, name);
    if (rename) throw new CutOffError(name, rename);
  }

  /**
   * Throws for a stack that still has resources, unless `force`. Its last state stays as `.bak`. `finish` comes last;
   * the same call continues what was cut off.
   */
  async removeStack(
    project: string,
    name: string,
    { force = false, finish }: Pick<Surroundings, "finish"> & { force?: boolean } = {},
  ): Promise<void> {
    await this.ready();
    const undertaking: Undertaking = { operation: "stack rm", from: name };
    const remove = async (stack: StackFiles, broken: readonly BrokenLock[]): Promise<void> => {
      const isBegun = broken.some((lock) => lock.undertaking?.operation === undertaking.operation);
      const exists = await stack.exists();
      if (!exists && !isBegun) throw new Error(`There is no stack ${name} of project ${project} in ${this.label}.`);
      await this.assertNotRenamed(project, name);
      if (exists && !force) assertEmpty(name, await stack.load());
      await stack.remove();
      await finish?.();
    };
    await this.locked(project, name, remove, { undertaking });
  }

  /**
   * The stack that `PULUMI_STACK` names, otherwise the one selected here or with the Pulumi CLI; undefined if none is,
   * or it no longer exists. Throws if `PULUMI_STACK` names a missing stack.
   */
  async selectedStack(project: Project): Promise<string | undefined> {
    const fromEnvironment = this.env["PULUMI_STACK"];
    const selected = await this.stackNamed(
      fromEnvironment ?? (await this.selection(project).get(this.url)) ?? "",
      project.name,
    );
    if (fromEnvironment !== undefined && selected === undefined) {
      throw new Error(
        `PULUMI_STACK names the stack ${fromEnvironment}, which project ${project.name} does not have in ${this.label}. Correct it, or make the stack first.`,
      );
    }
    return selected;
  }

  /** The name of the stack that is selected, whether it exists or not. */
  async rememberedStack(project: Project): Promise<string | undefined> {
    const name = this.env["PULUMI_STACK"] ?? (await this.selection(project).get(this.url));
    return name?.split("/").at(-1);
  }

  async selectStack(project: Project, name: string | undefined): Promise<void> {
    await this.selection(project).set(this.url, name && layoutOf(this.folder, project.name, name).fullName);
  }

  /** `name` is the stack's own or its full one. */
  private async stackNamed(name: string, project: string): Promise<string | undefined> {
    const stacks = await this.listStacks(project);
    return stacks.find((stack) =>
      [stack.name, `organization/${stack.name}`, `organization/${project}/${stack.name}`].includes(name),
    )?.name;
  }

  private selection(project: Project): StackSelection {
    return new StackSelection(this.files, this.env["PULUMI_HOME"] || join(this.home, ".pulumi"), project);
  }

  private async check(): Promise<void> {
    const bytes = await readIfExists(this.files, this.meta);
    if (bytes !== undefined) return checkVersion(bytes.toString("utf8"), this.meta);
    const stacks = await this.files.list(join(this.folder, ".pulumi", "stacks"));
    if (stacks.some(({ name, isFolder }) => !isFolder && stackNameOf(name).length > 0)) {
      throw new Error(
        `The backend ${this.url} has the layout from before projects. Upgrade it with \`pulumi state upgrade\`.`,
      );
    }
  }
}

function checkVersion(text: string, path: string): void {
  const meta = yamlValue(text, path);
  const version = isObject(meta) ? meta["version"] : undefined;
  if (version === 1) return;
  throw new Error(
    `${path} says that the state has layout version ${String(version)}; version 1 is supported here. Use the Pulumi CLI for this backend.`,
  );
}

function assertEmpty(name: string, snapshot: Snapshot | undefined): void {
  const resources = (snapshot?.resources ?? []).filter(({ type }) => type !== "pulumi:pulumi:Stack");
  if (resources.length === 0) return;
  throw new Error(
    `The stack ${name} still has ${resources.length === 1 ? "1 resource" : `${resources.length} resources`}, such as ${resources[0]?.urn}. Destroy it first, or forget them with \`stack rm --force\`.`,
  );
}

function stackNameOf(file: string): string[] {
  const name = /^(.+)\.json(\.gz|\.zst)?$/.exec(file)?.[1];
  return name !== undefined && isName(name) ? [name] : [];
}

/**
 * Where the Pulumi CLI remembers which stack of a project is selected: one small file per project file, by backend URL.
 */
class StackSelection {
  private readonly path: string;

  constructor(
    private readonly files: FileSystem,
    /** `PULUMI_HOME`, by default `~/.pulumi`. */
    pulumiHome: string,
    project: { name: string; file: string },
  ) {
    const hash = createHash("sha1").update(project.file).digest("hex");
    this.path = join(pulumiHome, "workspaces", `${project.name}-${hash}-workspace.json`);
  }

  /** Full or short name of the stack; undefined when none is selected. */
  async get(backendUrl: string): Promise<string | undefined> {
    const { stack, stacks } = await this.settings();
    const selected = (isObject(stacks) ? stacks[backendUrl] : undefined) ?? stack;
    return typeof selected === "string" && selected !== "" ? selected : undefined;
  }

  /** Also under the key `stack`, the only one that older CLIs know. An empty file is removed, as the CLI does. */
  async set(backendUrl: string, fullName: string | undefined): Promise<void> {
    const { stack: _, stacks, ...others } = await this.settings();
    const { [backendUrl]: __, ...elsewhere } = isObject(stacks) ? stacks : {};
    const settings: JsonObject = others;
    if (fullName !== undefined) {
      settings["stack"] = fullName;
      elsewhere[backendUrl] = fullName;
    }
    if (Object.keys(elsewhere).length > 0) settings["stacks"] = elsewhere;
    if (Object.keys(settings).length === 0) await this.files.remove(this.path);
    else await replacePublic(this.files, this.path, Buffer.from(JSON.stringify(settings, null, 4)));
  }

  private async settings(): Promise<JsonObject> {
    const bytes = await readIfExists(this.files, this.path);
    return bytes === undefined ? {} : parse(bytes.toString("utf8"), this.path);
  }
}

function parse(text: string, path: string): JsonObject {
  try {
    const settings: StateValue = JSON.parse(text);
    return isObject(settings) ? settings : {};
  } catch (cause) {
    throw new Error(
      `The file that remembers the selected stack, ${path}, is damaged. Remove it and select the stack again.`,
      { cause },
    );
  }
}
