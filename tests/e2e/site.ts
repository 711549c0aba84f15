import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createEmulator, type Emulator, type Settings } from "../../emulator/index";
import { openBackend } from "../../engine/state/backend";
import type { ResourceState } from "../../engine/state/resource-state";
import type { Values } from "../values";
import { type Ended, living, type Running, start, uncalled } from "./commands";
import { type Engine, environmentIn, installPlugin, repository } from "./engines";

/**
 * Resources by name: the kind, the inputs, and the resource options in
 * `opts`. `@name.output` refers to a resource above.
 */
export interface DeclaredProgram {
  resources: Readonly<Record<string, { kind: string; opts?: Values } & Values>>;
  outputs?: Values;
  /** Entry of the package that has the classes. Default: the main one. */
  from?: string;
}

export interface Sent {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  status: number;
  body: unknown;
}

export interface RunOptions {
  /** Over the site's own environment. */
  env?: NodeJS.ProcessEnv;
  /** Default: the site's. */
  engine?: Engine;
  /** Options of all Node.js processes. */
  nodeOptions?: string;
}

export interface SiteOptions {
  /** The project of one of `programs`, or of an example. Default: `declared`. */
  program?: string;
  /** How the service behaves. */
  settings?: Partial<Settings>;
  /** Keys of further accounts. */
  accounts?: Readonly<Record<string, string>>;
}

export const account = "demo";
export const apiKey = "demo-key";
export const passphrase = "correct horse battery staple";

/** A deployment takes 120 ms of our time, a training run 650 ms, and a tombstone is kept for five minutes. */
const speed = 2000;

const yes = ["--yes", "--skip-preview"];
const always: Readonly<Record<string, readonly string[]>> = {
  up: yes,
  destroy: yes,
  cancel: ["--yes"],
  preview: [],
  import: ["--yes"],
};

/**
 * A program with a stack of its own, an emulated service, and an engine at work on them; gone when the test is over.
 */
export class Site {
  readonly folder: string;
  readonly program: string;
  stack = "dev";
  protected readonly rollCall: string;

  protected constructor(
    readonly engine: Engine,
    readonly emulator: Emulator,
    readonly url: string,
    readonly project: string,
    place = realpathSync(tmpdir()),
  ) {
    this.folder = mkdtempSync(join(place, "site-"));
    this.program = join(this.folder, "program");
    this.rollCall = join(this.folder, "processes");
    for (const each of ["state", "home", "processes"]) mkdirSync(join(this.folder, each));
    const isExample = project.startsWith("modelplatform-");
    const source = isExample
      ? join(repository, "examples", project.replace("modelplatform-", ""))
      : join(__dirname, "programs", project);
    cpSync(source, this.program, {
      recursive: true,
      filter: (path) => !/(node_modules|\.pulumi|Pulumi\.\w+\.yaml)$/.test(path),
    });
    const shared = isExample ? "tsconfig.json" : "references.js";
    cpSync(join(source, "..", shared), join(this.folder, shared));
    symlinkSync(engine.packages ?? join(repository, "node_modules"), join(this.program, "node_modules"));
    if (engine.packages === undefined) installPlugin(this.folder);
    else symlinkSync(join(engine.packages, "pulumi-modelplatform/plugin"), join(this.folder, "plugins"));
  }

  static async open(
    engine: Engine,
    { program = "declared", settings = {}, accounts = {} }: SiteOptions = {},
  ): Promise<Site> {
    const emulator = createEmulator({
      accounts: { [account]: apiKey, other: "other-key", ...accounts },
      settings: { speed, ...settings },
    });
    const { url } = await emulator.listen({ port: 0 });
    const site = new Site(engine, emulator, url, program);
    await openBackend(site.env["PULUMI_BACKEND_URL"]!, { env: site.env }).createStack(site.project, site.stack);
    return site;
  }

  async close(): Promise<void> {
    for (const pid of living(this.rollCall)) process.kill(pid, "SIGKILL");
    await this.emulator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Folder of notes about creates. */
  get intents(): string {
    return join(this.folder, "intents");
  }

  get env(): Record<string, string> {
    const { folder, url } = this;
    return { ...environmentIn({ folder, url, account, apiKey, passphrase }), PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
  }

  /** What the program declares from now on. */
  declare(declared: { resources: object; from?: string }): void {
    writeFileSync(join(this.program, "declared.json"), JSON.stringify(declared));
  }

  /** Starts a command, such as `up --refresh`; `up` and `destroy` continue without asking. */
  start(line: string, { env = {}, engine = this.engine, nodeOptions = "" }: RunOptions = {}): Running {
    const place = { cwd: this.program, env: { ...this.env, ...env }, rollCall: this.rollCall, nodeOptions };
    return start(engine, this.argsOf(line), place);
  }

  protected argsOf(line: string): string[] {
    const [command = "", ...rest] = line.split(" ");
    if (command === "state") return [command, ...rest, "--yes", "--stack", this.stack];
    if (command === "stack") return [command, ...rest, "--stack", this.stack];
    const looksOnly = rest.includes("--preview-only");
    return [command, ...(looksOnly ? [] : (always[command] ?? yes)), "--stack", this.stack, ...rest];
  }

  /** Runs a command to its end, whatever that is. */
  run(line: string, options: RunOptions = {}): Promise<Ended> {
    return this.start(line, options).ended;
  }

  /** Runs a command that must end with `code`; otherwise shows what it printed. */
  async expect(code: number, line: string, options: RunOptions = {}): Promise<Ended> {
    const ended = await this.run(line, options);
    if (ended.code !== code) throw new Error(`\`${line}\` ended with ${ended.code}, not ${code}:\n${ended.output}`);
    return ended;
  }

  /** Declares and brings up, which must go well. */
  up(declared: DeclaredProgram, options: RunOptions = {}): Promise<Ended> {
    this.declare(declared);
    return this.expect(0, "up", options);
  }

  /** Resolves once `look` finds something; only the test's own time limit ends it otherwise. */
  async until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await pause(10);
    }
  }

  /** Living processes that serve resources: the SDK's dynamic provider, and the plugin. */
  providers = (): number[] =>
    ["dynamic-provider", "pulumi-resource-modelplatform"].flatMap((script) => living(this.rollCall, script));

  /** Living processes of the SDK that have nothing of this package yet. */
  uncalled = (): number[] => uncalled(this.rollCall);

  /** Every living process that commands of this site have started. */
  processes = (): number[] => living(this.rollCall);

  /**
   * The service's time stands still, or continues: nothing is made ready, and nothing is gone, as long as it stands.
   */
  freeze = (): void => this.emulator.world.changeSettings({ speed: 1e-6 });
  thaw = (): void => this.emulator.world.changeSettings({ speed });

  /** Objects of the account in a collection, tombstones left out, in order of their names. */
  live(collection: string): Values[] {
    const all = [...this.emulator.world.all()]
      .map(({ fields }) => fields)
      .filter((object) => String(object["name"]).startsWith(`accounts/${account}/${collection}`));
    return all
      .filter((object) => !/(DELETED|DELETING|UNDEPLOYING)$/.test(String(object["state"])))
      .sort((a, b) => String(a["name"]).localeCompare(String(b["name"])));
  }

  /** The one live object of a collection. */
  only(collection: string): Values {
    const found = this.live(collection);
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  /** Changes an object outside every program; without a change it is removed. */
  async tamper(name: unknown, change?: Values): Promise<void> {
    await this.control(change ? "PATCH" : "DELETE", `objects/${String(name)}`, change);
  }

  /** Adds objects, by name, that have long been there. */
  seed = (objects: Values): Promise<unknown> => this.control("POST", "seed", { objects });

  /** How fast objects come about from now on. */
  setSpeed = (speed: number): Promise<unknown> => this.control("PUT", "settings", { speed });

  /** Strikes coming requests: `POST faults` of the emulator's control plane. */
  async fault(match: Values, fault: Values, more: { skip?: number; times?: number | null } = {}): Promise<void> {
    await this.control("POST", "faults", { match, fault, ...more });
  }

  clearFaults = async (): Promise<void> => void (await this.control("DELETE", "faults"));

  /** Requests since the last call; they are kept for another one where `keep` is set. */
  async requests({ keep = false } = {}): Promise<Sent[]> {
    const { requests } = (await this.control("GET", "requests")) as { requests: Sent[] };
    if (!keep) await this.control("DELETE", "requests");
    return requests;
  }

  /** How many requests faults have struck. */
  async faultHits(): Promise<number> {
    const { faults } = (await this.control("GET", "faults")) as { faults: { hits: number }[] };
    return faults.reduce((sum, { hits }) => sum + hits, 0);
  }

  /** Requests since the last look that could have changed something, as `POST /v1/…`. */
  async writes(): Promise<string[]> {
    return (await this.requests())
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path}`);
  }

  protected async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.emulator.fetch(
      new Request(`http://emulator.test/_emulator/${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      }),
    );
    const value: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(value)}`);
    return value;
  }

  get stateFile(): string {
    return join(this.folder, "state", ".pulumi", "stacks", this.project, `${this.stack}.json`);
  }

  /** What the state records, providers and the stack itself left out. */
  resources(): ResourceState[] {
    const { resources = [] } = this.deployment();
    return resources.filter(({ type }) => /modelplatform:/.test(type) && !type.startsWith("pulumi:"));
  }

  /** The recorded resource of that name. */
  resource(name: string): ResourceState {
    const found = this.resources().find(({ urn }) => urn.endsWith(`::${name}`));
    if (!found) throw new Error(`the state has no ${name}`);
    return found;
  }

  /**
   * Takes away what the CLI cannot read its checkpoint for: a kill while it writes leaves the file of attributes beside
   * the checkpoint empty.
   */
  mendCheckpoint(): void {
    const attributes = `${this.stateFile}.attrs`;
    if (existsSync(attributes) && statSync(attributes).size === 0) rmSync(attributes);
  }

  pendingOperations(): { resource: ResourceState; type: string }[] {
    return this.deployment().pending_operations ?? [];
  }

  private deployment(): {
    resources?: ResourceState[];
    pending_operations?: { resource: ResourceState; type: string }[];
  } {
    return existsSync(this.stateFile) ? JSON.parse(readFileSync(this.stateFile, "utf8")).checkpoint.latest : {};
  }

  urn = (kind: string, name: string): string =>
    `urn:pulumi:${this.stack}::${this.project}::pulumi-nodejs:dynamic/modelplatform:${kind}::${name}`;
}
