import { AlreadyReportedError, StoppedError } from "../errors";
import type { Context } from "../plan/context";
import { type Goal, plainGoal, type ReadGoal } from "../plan/goal";
import type { Planner } from "../plan/planner";
import type { StateRef, Step } from "../plan/steps";
import { Unplanned } from "../plan/unplanned";
import { assertPermitted } from "../run/admission";
import { type Executor, Slots } from "../run/executor";
import {
  formatReference,
  isProviderType,
  type PropertyMap,
  packageOf,
  providerType,
  type ResourceState,
  stackType,
} from "../state/resource-state";
import { valuesEqual } from "../values/values";

export interface RegistrationResult {
  state: ResourceState;
  /** `failed`, and `skipped` because something it depends on has failed: the outputs are unknown. */
  result: "succeeded" | "failed" | "skipped";
}

/** Whether the config disables the package's default provider. The engine's own package has no other. */
function hasNoDefault(pkg: string, { "disable-default-providers": disabled }: PropertyMap): boolean {
  const names: unknown = typeof disabled === "string" ? JSON.parse(disabled) : disabled;
  return pkg !== "pulumi" && Array.isArray(names) && (names.includes("*") || names.includes(pkg));
}

interface RegistrarOptions {
  parallel: number;
  /** Configuration of the default provider of a package. */
  configOf: (pkg: string) => PropertyMap;
  /** Types whose checks ask the service: the first write waits for those under way. */
  asksAhead: (type: string) => boolean;
}

/** Serves a running program's requests: plans, executes, and remembers what later registrations inherit. */
export class Registrar {
  /** The URN of the stack resource, once it is registered. */
  rootUrn: string | undefined;
  private readonly planning: Slots;
  private readonly plans = new Set<Promise<unknown>>();
  /** Of `plans`, with what follows from a failed check, those that ask the service. */
  private readonly asking = new Set<Promise<unknown>>();
  private readonly goals = new Map<string, Goal>();
  private readonly componentProviders = new Map<string, ReadonlyMap<string, string>>();
  private readonly defaults = new Map<string, Promise<string>>();
  /** Registered, and free to report outputs later. */
  private readonly open = new Map<string, StateRef>();
  /** Failed or skipped: what they report later is not recorded. */
  private readonly unfinished = new Set<string>();
  private stackOutputs: { urn: string; outputs: PropertyMap } | undefined;

  constructor(
    private readonly context: Context,
    private readonly planner: Planner,
    private readonly executor: Executor,
    private readonly options: RegistrarOptions,
  ) {
    this.planning = new Slots(options.parallel);
  }

  /**
   * `provider` and `providers`: the instances that the program names for the resource and for its children, by package.
   */
  async register(
    declared: Goal,
    provider: string,
    providers: ReadonlyMap<string, string>,
  ): Promise<RegistrationResult> {
    this.context.secrets.learn(declared.properties);
    const inherited = this.inheritOptions(declared);
    const managed = inherited.custom && !isProviderType(inherited.type);
    const goal = managed
      ? { ...inherited, provider: await this.providerFor(inherited, provider, providers) }
      : inherited;
    const planned = this.plan(() => this.planner.plan(goal));
    if (managed && this.options.asksAhead(goal.type)) this.note(planned);
    const registered = await this.execute(planned).catch((error: unknown) => {
      if (managed && error instanceof StoppedError) this.executor.outcomes.noteNotBegun(this.planner.urnOf(goal));
      throw error;
    });
    const { state } = registered;
    this.goals.set(state.urn, goal);
    const above = this.componentProviders.get(goal.parent ?? "") ?? [];
    if (!goal.custom) this.componentProviders.set(state.urn, new Map([...above, ...providers]));
    if (goal.type === stackType) this.rootUrn = state.urn;
    return registered;
  }

  async read(goal: Omit<ReadGoal, "provider">, provider: string): Promise<ResourceState> {
    const full: ReadGoal = {
      ...goal,
      provider: provider === "" ? await this.defaultProvider(packageOf(goal.type), goal.version) : provider,
    };
    const { state, result } = await this.execute(this.plan(async () => this.planner.planRead(full)));
    // A program cannot learn that a read failed. In a preview, what has no outputs is unknown to it.
    if (result !== "succeeded" && !this.context.preview)
      throw new AlreadyReportedError(`${state.urn} could not be read`);
    return state;
  }

  /** Resolves when nothing is planned or executed any longer. After a stop nothing new begins. */
  async whenSettled(): Promise<void> {
    await Promise.allSettled(this.plans);
    await this.executor.whenSettled();
  }

  /** Resolves when no check that asks the service is under way. */
  async whenAsked(): Promise<void> {
    while (this.asking.size > 0) await Promise.allSettled(this.asking);
  }

  private note(planned: Promise<unknown>): void {
    const asked = planned.catch(() => undefined).finally(() => this.asking.delete(asked));
    this.asking.add(asked);
  }

  private async plan(plan: () => Promise<Step[]>): Promise<Step[] | Unplanned> {
    const planning = this.planning.use(() => (this.executor.isStopped ? Promise.reject(new StoppedError()) : plan()));
    this.plans.add(planning);
    try {
      return await planning;
    } catch (error) {
      if (!(error instanceof Unplanned) || this.context.purpose !== "update") throw error;
      this.context.decisions.unplanned.add(error.state.urn);
      this.executor.leaveUnplanned(error);
      return error;
    } finally {
      this.plans.delete(planning);
    }
  }

  private async execute(planned: Promise<Step[] | Unplanned>): Promise<RegistrationResult> {
    const steps = await planned;
    if (steps instanceof Unplanned) {
      const { state, result } = steps;
      this.unfinished.add(state.urn);
      return { state, result };
    }
    const last = steps.findLast(({ next }) => next !== undefined);
    if (last?.next === undefined) throw new Error("a registration produced no step");
    assertPermitted(this.context, steps);
    const result = await this.attempt(steps);
    if (last.skipped !== true && result === "succeeded") this.open.set(last.next.state.urn, last.next);
    if (result !== "succeeded") this.unfinished.add(last.next.state.urn);
    return { state: last.next.state, result };
  }

  private async attempt(steps: Step[]): Promise<RegistrationResult["result"]> {
    if (this.executor.isSkipped(steps)) return "skipped";
    try {
      await this.executor.chain(steps);
      return "succeeded";
    } catch (error) {
      if (error instanceof AlreadyReportedError && this.context.continueOnError) return "failed";
      if (error instanceof StoppedError && !this.executor.isStopped) return "skipped";
      throw error;
    }
  }

  private inheritOptions(goal: Goal): Goal {
    const parent = goal.parent === undefined ? undefined : this.goals.get(goal.parent);
    if (parent === undefined) return goal;
    return {
      ...goal,
      protect: goal.protect ?? parent.protect,
      retainOnDelete: goal.retainOnDelete ?? parent.retainOnDelete,
      deletedWith: goal.deletedWith ?? parent.deletedWith,
    };
  }

  private providerFor(goal: Goal, provider: string, providers: ReadonlyMap<string, string>): Promise<string> {
    const pkg = packageOf(goal.type);
    const parent = this.goals.get(goal.parent ?? "");
    const fromComponent = this.componentProviders.get(goal.parent ?? "")?.get(pkg);
    const fromParent = parent !== undefined && packageOf(parent.type) === pkg ? parent.provider : undefined;
    const named = provider || providers.get(pkg) || fromComponent || fromParent;
    return named ? Promise.resolve(named) : this.defaultProvider(pkg, goal.version);
  }

  /**
   * The reference of a package's default instance, which is a resource like others, registered when it is first needed.
   */
  defaultProvider(pkg: string, version?: string): Promise<string> {
    const name = version === undefined ? "default" : `default_${version.replace(/[.+-]/g, "_")}`;
    const present = this.defaults.get(`${pkg} ${name}`);
    if (present) return present;
    if (hasNoDefault(pkg, this.options.configOf("pulumi")))
      return Promise.reject(
        new Error(
          `\`pulumi:disable-default-providers\` leaves \`${pkg}\` without a default provider: give the resource a \`provider\``,
        ),
      );
    const config = this.options.configOf(pkg);
    const properties = version === undefined ? config : { ...config, version };
    const registered = this.register(
      plainGoal({ type: providerType(pkg), name, custom: true, properties }),
      "",
      new Map(),
    );
    const reference = registered.then(({ state, result }) => {
      if (result !== "succeeded") throw new AlreadyReportedError(`${state.urn} is not there`);
      return formatReference({ urn: state.urn, id: state.id ?? "" });
    });
    this.defaults.set(`${pkg} ${name}`, reference);
    return reference;
  }

  /**
   * Records the outputs of a component. Those of the stack wait for the end: a failed run must not lose the old ones.
   */
  async registerOutputs(urn: string, outputs: PropertyMap): Promise<void> {
    this.context.secrets.learn(outputs);
    if (urn === this.rootUrn) {
      this.stackOutputs = { urn, outputs };
      return;
    }
    if (this.context.decisions.skipped.has(urn) || this.unfinished.has(urn)) return;
    const ref = this.open.get(urn);
    if (ref === undefined) throw new Error(`${urn} reports outputs, but its registration is not pending`);
    this.open.delete(urn);
    await this.setOutputs(ref, outputs);
  }

  /** Records the stack's outputs; after a failure, old ones that were not reported stay. */
  async finishOutputs(failed: boolean): Promise<void> {
    if (this.stackOutputs === undefined) return;
    const { urn, outputs } = this.stackOutputs;
    const ref = this.open.get(urn);
    const before = this.context.ledger.old(urn)?.state.outputs ?? {};
    if (ref) await this.setOutputs(ref, failed ? { ...before, ...outputs } : outputs);
  }

  private async setOutputs(ref: StateRef, outputs: PropertyMap): Promise<void> {
    const { outputs: before = {}, ...rest } = ref.state;
    ref.state = Object.keys(outputs).length === 0 ? rest : { ...rest, outputs };
    if (!valuesEqual(before, outputs) && !this.context.preview) await this.context.ledger.write();
  }
}
