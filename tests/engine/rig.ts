import { AlreadyReportedError, StoppedError } from "../../engine/errors";
import type { ChangeSummary, EngineEvent, OperationKind } from "../../engine/events";
import { type Assembly, type AssemblyOptions, assemble } from "../../engine/operation";
import { type Goal, plainGoal } from "../../engine/plan/goal";
import { type ImportRequest, importResources } from "../../engine/program/import-resources";
import type { ProviderDiffResult, ResourceProvider } from "../../engine/providers/providers";
import { deleteRest } from "../../engine/run/deletions";
import { refreshResources } from "../../engine/run/refresh";
import type { Choices } from "../../engine/settings";
import type { PropertyMap, ResourceState, Snapshot } from "../../engine/state/resource-state";
import { formatUrn } from "../../engine/state/resource-state";
import { errorsIn, stepsIn } from "./events-in";

export type Box = Partial<Goal> & { name: string; providers?: Map<string, string> };

export const boxType = "pulumi-nodejs:dynamic:Box";
export const urnOf = (name: string, parentType?: string, type = boxType): string =>
  formatUrn({ stack: "dev", project: "rig", parentType, type, name });

/** A provider in memory. `zone` cannot be changed in place; `fail` names the call that fails. */
export class Cloud {
  readonly calls: string[] = [];
  readonly live = new Map<string, PropertyMap>();
  private made = 0;
  /** What each call waits for, by `create a`. */
  readonly gates = new Map<string, Promise<void>>();

  /** `config` tells instances apart. */
  serve(config: PropertyMap): ResourceProvider {
    const where = typeof config["region"] === "string" ? `@${config["region"]}` : "";
    const call = async (method: string, props: PropertyMap) => {
      const label = `${method} ${String(props["label"])}${where}`;
      this.calls.push(label);
      await this.gates.get(label);
      if (props["fail"] === method) throw new Error(`refused to ${method}`);
    };
    return {
      check: async ({ olds, news, naming }) => {
        await call(Object.keys(olds).length === 0 ? "check-new" : "check", news);
        if (naming) this.calls.push(`named ${naming.mode} ${naming.proposedName}`);
        return {
          inputs: { size: 1, ...news },
          failures: news["label"] === "bad" ? [{ property: "label", reason: "must not be bad" }] : [],
        };
      },
      diff: async ({ oldOutputs, newInputs }) => {
        await call("diff", newInputs);
        return answer(oldOutputs, newInputs);
      },
      create: async ({ preview, inputs }) => {
        if (preview) return { id: "", outputs: inputs };
        await call("create", inputs);
        const id = `${String(inputs["label"])}-${(this.made += 1)}`;
        this.live.set(id, inputs);
        return {
          id,
          outputs: { ...inputs, serial: this.made },
          ...(inputs["fail"] === "init" ? { initErrors: ["not ready"], failure: "unsettled" } : {}),
        };
      },
      update: async ({ preview, id, newInputs, oldOutputs }) => {
        if (preview) return { id, outputs: newInputs };
        await call("update", newInputs);
        this.live.set(id, newInputs);
        return { id, outputs: { ...newInputs, serial: oldOutputs["serial"] ?? 0 } };
      },
      delete: async ({ id, outputs }) => {
        await call("delete", outputs);
        if (outputs["stays"] === true) return "left";
        this.live.delete(id);
        return "deleted";
      },
      read: async ({ id, state }) => {
        await call("read", state ?? {});
        const inputs = this.live.get(id);
        return inputs && { id, inputs, outputs: { ...state, ...inputs } };
      },
    };
  }
}

function answer(olds: PropertyMap, news: PropertyMap): ProviderDiffResult {
  if (news["diff"] === "unknown") return { changes: "unknown", replaces: [], changed: [], deleteBeforeReplace: false };
  const keys = ["label", "size", "zone", "ref", "color"].filter(
    (key) => JSON.stringify(olds[key]) !== JSON.stringify(news[key]),
  );
  const replaces = keys.filter((key) => key === "zone" || key === "ref");
  return {
    changes: keys.length > 0 ? "some" : "none",
    replaces,
    changed: [],
    deleteBeforeReplace: news["dbr"] === true,
  };
}

export type RigOptions = Partial<Pick<AssemblyOptions, "preview" | "parallel" | "asksAhead" | "namingOf">> &
  Choices & {
    together?: boolean;
  };

/**
 * Drives the planning and executing parts without processes: the program is a list of goals, the world is in memory.
 */
export class Rig {
  readonly cloud = new Cloud();
  /** The stack's config by namespace. */
  config: Record<string, PropertyMap> = {};
  events: EngineEvent[] = [];
  private readonly waiters: { test: (event: EngineEvent) => boolean; resolve: () => void }[] = [];
  snapshots: Snapshot[] = [];
  /** What a write of this state waits for. */
  writing = async (_: Snapshot): Promise<void> => undefined;
  assembly: Assembly | undefined;
  snapshot: Snapshot = { manifest: { time: "", magic: "", version: "" }, resources: [], pendingOperations: [] };

  /** Declares the boxes one after the other (or together) and deletes what is not among them. */
  async up(boxes: readonly Box[], options: RigOptions = {}): Promise<boolean> {
    const { registrar, context, executor, hasFailed } = this.begin("up", options);
    const declare = async ({ providers = new Map(), ...box }: Box) =>
      void (await registrar.register(goal(box), box.provider ?? "", providers));
    const registered = await Promise.allSettled(
      options.together === true ? boxes.map(declare) : [inTurn(boxes, declare)],
    );
    await registrar.whenSettled();
    const [failure] = registered.flatMap((each) =>
      each.status === "rejected" &&
      !(each.reason instanceof AlreadyReportedError) &&
      !(each.reason instanceof StoppedError)
        ? [each.reason]
        : [],
    );
    if (failure !== undefined) throw failure;
    if (registered.every(({ status }) => status === "fulfilled") && (!hasFailed() || options.preview === true)) {
      await deleteRest(context, executor).catch(ignoreReported);
    }
    return this.end();
  }

  async destroy(options: RigOptions = {}): Promise<boolean> {
    const { context, executor } = this.begin("destroy", options);
    await deleteRest(context, executor).catch(ignoreReported);
    return this.end();
  }

  async refresh(options: RigOptions = {}): Promise<boolean> {
    const { context, executor } = this.begin("refresh", options);
    await refreshResources(context, executor, context.ledger.base);
    return this.end();
  }

  async import(request: ImportRequest, options: RigOptions = {}): Promise<boolean> {
    const { context, executor, registrar } = this.begin("import", options);
    await importResources(context, executor, registrar, request).catch((error: unknown) =>
      error instanceof AlreadyReportedError || error instanceof StoppedError ? undefined : Promise.reject(error),
    );
    return this.end();
  }

  private begin(
    operation: OperationKind,
    {
      preview = false,
      parallel = 4,
      asksAhead = () => false,
      namingOf = () => undefined,
      together: _,
      ...choices
    }: RigOptions,
  ): Assembly {
    this.events = [];
    this.snapshots = [];
    this.cloud.calls.length = 0;
    this.assembly = assemble({
      ...{
        operation,
        preview,
        choices,
        parallel,
        project: "rig",
        stack: "dev",
        snapshot: this.snapshot,
        configSecrets: [],
      },
      commit: async (snapshot) => {
        const written = snapshot();
        this.snapshots.push(written);
        await this.writing(written);
      },
      permitted: async () => undefined,
      emit: (event) => this.emit(event),
      clock: () => new Date(0),
      makeProvider: (_, config) => this.cloud.serve(config),
      configOf: (pkg) => this.config[pkg] ?? {},
      asksAhead,
      namingOf,
    });
    return this.assembly;
  }

  private emit(event: EngineEvent): void {
    this.events.push(event);
    for (const { test, resolve } of this.waiters) if (test(event)) resolve();
  }

  /** Resolves at the first event that fits. */
  when(test: (event: EngineEvent) => boolean): Promise<void> {
    return new Promise((resolve) => this.waiters.push({ test, resolve }));
  }

  /** True when everything succeeded. */
  private end(): boolean {
    const { ledger, context, hasFailed } = this.assembly ?? this.begin("up", {});
    if (!context.preview) this.snapshot = ledger.snapshot();
    return !hasFailed();
  }

  /** Without checks and diffs. */
  deeds(): string[] {
    return this.cloud.calls.filter((call) => !call.startsWith("check") && !call.startsWith("diff"));
  }

  /** Ids that the last operation has left live. */
  left = (): readonly string[] => this.assembly!.executor.left;

  changes = (): ChangeSummary => this.assembly!.executor.changes;

  steps = (): string[] => stepsIn(this.events);

  errors = (): string[] => errorsIn(this.events);

  states(name: string): ResourceState[] {
    return this.snapshot.resources.filter(({ urn }) => urn.endsWith(`::${name}`));
  }

  state(name: string): ResourceState {
    const [state] = this.states(name);
    if (state === undefined) throw new Error(`there is no ${name}`);
    return state;
  }

  names(): string[] {
    return this.snapshot.resources
      .filter(({ type }) => !type.startsWith("pulumi:providers:"))
      .map(({ urn }) => urn.split("::").at(-1) ?? "");
  }
}

async function inTurn(boxes: readonly Box[], declare: (box: Box) => Promise<void>): Promise<void> {
  for (const box of boxes) await declare(box);
}

function ignoreReported(error: unknown): void {
  if (!(error instanceof AlreadyReportedError)) throw error;
}

const goal = ({ name, ...given }: Box): Goal =>
  plainGoal({ type: boxType, name, custom: true, properties: { label: name }, ...given });
