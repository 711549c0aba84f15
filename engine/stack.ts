import type { InProcessHost } from "../protocol/provider-calls";
import { plainOutput } from "./display/display";
import type { EngineEvent, OperationKind } from "./events";
import { readPlan, writePlan } from "./plan/update-plan";
import {
  type DestroySettings,
  type ImportSettings,
  OperationFailedError,
  type OperationReport,
  type OperationSettings,
  type OutputMap,
  type PreviewSettings,
  type RefreshSettings,
  type UpdateSettings,
} from "./settings";
import {
  loadState,
  type OpenStack,
  type OperationMode,
  openState,
  outputMap,
  rootOutputs,
  runLocked,
  runOnStack,
  type StackLocation,
} from "./stack-operation";
import { type FileBackend, openBackend } from "./state/backend";
import { type DeploymentDocument, exportDeployment, importDeployment } from "./state/checkpoint";
import type { LockHolder } from "./state/lock";
import { backendLocation, type Project, readOwnProject } from "./state/project";
import { encryptSnapshot, openStack } from "./state/secrets";
import { readStackConfig, writeStackConfig } from "./state/stack-config";

export interface StackOptions {
  /** `dev`, or in full `organization/<project>/dev`. */
  stackName: string;
  /** The project's folder, or one below it. */
  workDir: string;
  /** Overrides the process's environment, for programs and providers as well. */
  env?: { readonly [name: string]: string | undefined };
  /** Default: PULUMI_BACKEND_URL, else the project's `backend.url`, else the project's folder. */
  backendUrl?: string;
  /** Default: PULUMI_CONFIG_PASSPHRASE or the content of PULUMI_CONFIG_PASSPHRASE_FILE. */
  passphrase?: string;
  /** Takes the project file of a folder above `workDir` also if it belongs to another user. */
  trustProject?: boolean;
}

interface HostedOptions extends StackOptions {
  /** Serves some types of resources in this process. */
  host?: InProcessHost;
  /** An operation that does not succeed rejects, in place of saying so in its report. */
  rejects?: boolean;
}

export interface ConfigValue {
  /** Plain text; JSON text for lists and objects. */
  value: string;
  secret?: boolean;
}

/**
 * One stack of a project on Pulumi's file backend, run by the engine of this
 * package. Named as in Pulumi's Automation API.
 */
export class EmbeddedStack {
  /** The stack's own name. */
  readonly name: string;
  readonly project: Project;
  private readonly backend: FileBackend;
  private readonly env: NodeJS.ProcessEnv;
  private readonly host: InProcessHost | undefined;
  private readonly rejects: boolean;

  protected constructor({ name, project, backend, env, host, rejects = false }: StackLocation & { rejects?: boolean }) {
    this.name = name;
    this.project = project;
    this.backend = backend;
    this.env = env;
    this.host = host;
    this.rejects = rejects;
  }

  /** Creates a stack that does not exist yet. */
  static async create(options: HostedOptions): Promise<EmbeddedStack> {
    const stack = await EmbeddedStack.at(options);
    await stack.backend.createStack(stack.project.name, stack.name);
    return stack;
  }

  /** Opens a stack that exists. */
  static async select(options: HostedOptions): Promise<EmbeddedStack> {
    const stack = await EmbeddedStack.at(options);
    if (await stack.exists()) return stack;
    throw new Error(
      `Project ${stack.project.name} has no stack ${stack.name} in ${stack.backend.label}. Create it first.`,
    );
  }

  static async createOrSelect(options: HostedOptions): Promise<EmbeddedStack> {
    const stack = await EmbeddedStack.at(options);
    if (!(await stack.exists())) await stack.backend.createStack(stack.project.name, stack.name);
    return stack;
  }

  private static async at({
    stackName,
    workDir,
    env: overrides = {},
    backendUrl,
    passphrase,
    trustProject: isTrusted = false,
    host,
    rejects = false,
  }: HostedOptions): Promise<EmbeddedStack> {
    const env: NodeJS.ProcessEnv = { ...process.env, ...overrides };
    if (passphrase !== undefined) env["PULUMI_CONFIG_PASSPHRASE"] = passphrase;
    const project = await readOwnProject(workDir, { env, isTrusted });
    const named = backendUrl === undefined ? env : { PULUMI_BACKEND_URL: backendUrl };
    const { url, cwd } = backendLocation(project, { cwd: workDir, env: named });
    const backend = openBackend(url, { cwd, env });
    const [name = stackName, owner = project.name] = stackName.split("/").reverse();
    if (owner !== project.name) throw new Error(`${stackName} is not a stack of project ${project.name}.`);
    return new EmbeddedStack({ name, project, backend, env, host, rejects });
  }

  private exists(): Promise<boolean> {
    return this.backend.stack(this.project.name, this.name).exists();
  }

  /** What an `up` would do. */
  async preview(settings: PreviewSettings = {}): Promise<OperationReport> {
    const constraint = settings.heldTo === undefined ? undefined : await readPlan(settings.heldTo);
    const report = await this.operate("preview", settings, {
      preview: true,
      choices: { ...this.withRefresh(settings), constraint },
    });
    if (settings.plan !== undefined && report.result === "succeeded")
      await writePlan(settings.plan, report.plan, new Date());
    return report;
  }

  /** Runs the program and creates or updates what it declares. Rejects if that does not succeed, as the others do. */
  async up(settings: UpdateSettings = {}): Promise<OperationReport> {
    const constraint = settings.plan === undefined ? undefined : await readPlan(settings.plan);
    return this.operate("up", settings, { preview: false, choices: { ...this.withRefresh(settings), constraint } });
  }

  /** Updates the state from the live objects. */
  refresh(settings: RefreshSettings = {}): Promise<OperationReport> {
    return this.operate("refresh", settings, { preview: settings.previewOnly === true, choices: settings });
  }

  /** Deletes everything that the stack manages. Runs the program only on request, to configure providers. */
  async destroy(settings: DestroySettings = {}): Promise<OperationReport> {
    const { previewOnly: preview = false, excludeProtected } = settings;
    if (excludeProtected === true && (settings.target ?? []).length > 0)
      throw new Error("`target` and `excludeProtected` exclude each other.");
    return this.operate("destroy", settings, { preview, choices: this.withRefresh(settings), excludeProtected });
  }

  /** Imports existing objects into the state. Does not run the program. */
  importResources({ resources, nameTable, protect, ...settings }: ImportSettings): Promise<OperationReport> {
    const imports = { resources, nameTable, protect };
    return this.operate("import", settings, { preview: settings.previewOnly === true, choices: settings, imports });
  }

  /** Breaks the stack's locks and returns their holders. Does not stop a running operation. */
  cancel(): Promise<LockHolder[]> {
    return this.backend.lock(this.project.name, this.name).breakAll();
  }

  /** The outputs that the last update left. */
  async outputs(): Promise<OutputMap> {
    return outputMap(rootOutputs((await this.open()).snapshot));
  }

  /** As `pulumi stack export`: secrets stay encrypted. */
  async exportStack(): Promise<DeploymentDocument> {
    return exportDeployment(await loadState(this.backend, this.project.name, this.name));
  }

  /**
   * Replaces the state with an exported one of this stack; its secrets may be in the clear. Changes nothing but the
   * state.
   */
  async importStack(document: unknown): Promise<void> {
    const imported = importDeployment(document);
    const foreign = imported.resources.find(
      ({ urn }) => !urn.startsWith(`urn:pulumi:${this.name}::${this.project.name}::`),
    );
    if (foreign) throw new Error(`The document is of another stack: it holds ${foreign.urn}.`);
    await this.backend.locked(this.project.name, this.name, async (files) => {
      const config = await readStackConfig(this.project, this.name);
      const { manager, snapshot = imported } = await openStack(config, imported, this.env);
      await writeStackConfig(config);
      await files.save(encryptSnapshot(snapshot, manager));
    });
  }

  async getConfig(key: string): Promise<ConfigValue | undefined> {
    const config = await readStackConfig(this.project, this.name);
    const secret = config.isSecret(key);
    const value = config.get(key, secret ? (await this.open()).manager : undefined);
    return value === undefined ? undefined : { value, secret };
  }

  async setConfig(key: string, { value, secret = false }: ConfigValue): Promise<void> {
    const set = async ({ config, manager }: OpenStack): Promise<void> => {
      config.set(key, value, secret ? { secret: manager } : {});
      await writeStackConfig(config);
    };
    const opened = await this.open();
    if (!secret || !opened.saltIsNew) return set(opened);
    // The first secret brings a salt into the file, and so does the first operation.
    await this.backend.locked(this.project.name, this.name, async () => set(await this.open()));
  }

  async removeConfig(key: string): Promise<void> {
    const config = await readStackConfig(this.project, this.name);
    config.remove(key);
    await writeStackConfig(config);
  }

  /** The project file says whether to refresh where the caller does not. */
  private withRefresh<Settings extends { refresh?: boolean | undefined }>(settings: Settings): Settings {
    return { ...settings, refresh: settings.refresh ?? this.project.refresh };
  }

  private get location(): StackLocation {
    const { backend, project, name, env, host } = this;
    return { backend, project, name, env, host };
  }

  private open(): Promise<OpenStack> {
    return openState(this.location);
  }

  private async operate(
    operation: OperationKind,
    settings: OperationSettings,
    mode: Omit<OperationMode, "emit" | "broken">,
  ): Promise<OperationReport> {
    if ((settings.target ?? []).length > 0 && (settings.exclude ?? []).length > 0)
      throw new Error("`target` and `exclude` exclude each other.");
    const errors: string[] = [];
    const onEvent = (event: EngineEvent): void => {
      if (event.kind === "diagnostic" && event.severity === "error") errors.push(event.message);
      settings.onEvent?.(event);
    };
    const output = plainOutput({ ...settings, onEvent });
    try {
      const { emit } = output;
      const report = mode.preview
        ? await runOnStack(await openState(this.location), operation, settings, { ...mode, emit, broken: [] })
        : await runLocked(this.location, operation, settings, { ...mode, emit });
      if (!this.rejects || report.result === "succeeded") return report;
      throw new OperationFailedError(
        `The ${operation} of the stack ${this.name} ${report.result === "failed" ? "failed" : "was interrupted"}.`,
        errors,
        report,
      );
    } finally {
      output.close();
    }
  }
}

/**
 * The same class for programs: with a host for some types of resources, methods that work unbound, and operations that
 * reject where Pulumi's Automation API does.
 */
export const stacksWith = (host: InProcessHost): typeof EmbeddedStack =>
  class extends EmbeddedStack {
    static override create(options: StackOptions): Promise<EmbeddedStack> {
      return EmbeddedStack.create({ ...options, host, rejects: true });
    }

    static override select(options: StackOptions): Promise<EmbeddedStack> {
      return EmbeddedStack.select({ ...options, host, rejects: true });
    }

    static override createOrSelect(options: StackOptions): Promise<EmbeddedStack> {
      return EmbeddedStack.createOrSelect({ ...options, host, rejects: true });
    }

    static override [Symbol.hasInstance](value: unknown): boolean {
      return Object.prototype.isPrototypeOf.call(EmbeddedStack.prototype, value as object);
    }
  };
