import { randomUUID } from "node:crypto";
import type { CurrentUrn, RecordedUrn } from "../../io/text/urns";
import type { Naming } from "../../protocol/autonaming";
import type { Deletion } from "../../protocol/engine-state";
import {
  formatReference,
  type PropertyMap,
  packageOf,
  parseReference,
  parseUrn,
  type ResourceState,
} from "../state/resource-state";
import type { PropertyDifference } from "../values/differences";
import { unknown, valuesEqual } from "../values/values";

/** Fields of every call about a resource. */
export interface ResourceCall {
  urn: string;
  /** Nothing may be changed: create and update return what is known before they run. */
  preview: boolean;
}

export interface CheckCall extends ResourceCall {
  /** The recorded inputs; empty for a new object. */
  olds: PropertyMap;
  news: PropertyMap;
  /** How the stack names it; undefined where the provider decides. */
  naming?: Naming | undefined;
}

export interface DiffCall extends ResourceCall {
  id: string;
  oldInputs: PropertyMap;
  oldOutputs: PropertyMap;
  newInputs: PropertyMap;
  ignoreChanges: readonly string[];
}

/** `timeout` here and below is in seconds; 0 leaves it to the provider. */
export interface CreateCall extends ResourceCall {
  inputs: PropertyMap;
  timeout: number;
}

export interface UpdateCall extends DiffCall {
  timeout: number;
}

export interface DeleteCall extends ResourceCall {
  id: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  timeout: number;
}

export interface ReadCall extends ResourceCall {
  id: string;
  inputs: PropertyMap;
  /** The recorded outputs; of an object that is only read, the inputs; absent for an import. */
  state?: PropertyMap;
}

export interface InvokeCall {
  token: string;
  args: PropertyMap;
  preview: boolean;
}

interface ProviderCheckFailure {
  /** Empty when the failure is about the resource as a whole. */
  property: string;
  reason: string;
}

export interface ProviderCheckResult {
  inputs: PropertyMap;
  failures: ProviderCheckFailure[];
}

export interface ProviderDiffResult {
  changes: "none" | "some" | "unknown";
  /** Top-level names (or paths) whose change cannot be made in place. */
  replaces: string[];
  /** Top-level names that differ; empty if the provider did not report them. */
  changed: string[];
  deleteBeforeReplace: boolean;
  /** Filled by the engine when it had to compare itself. */
  differences?: PropertyDifference[];
  /** The provider cannot be called yet: the message for the user. */
  unavailable?: string;
}

/** An object as a provider reported it. */
export interface ReportedState {
  id: string;
  outputs: PropertyMap;
  /** It exists but did not become ready. */
  initErrors?: readonly string[];
  /** What kind of failure that is, where the provider has a list of them. */
  failure?: string | undefined;
}

export interface ProviderReadResult extends ReportedState {
  /** Absent when the provider does not report them. */
  inputs?: PropertyMap | undefined;
}

/**
 * Manages resources of a package. Properties are in memory form both ways, with secrets marked. An implementation that
 * cannot send secrets MUST mark its results like the same-named values that it received.
 */
export interface ResourceProvider {
  check(call: CheckCall): Promise<ProviderCheckResult>;
  diff(call: DiffCall): Promise<ProviderDiffResult>;
  create(call: CreateCall): Promise<ReportedState>;
  update(call: UpdateCall): Promise<ReportedState>;
  delete(call: DeleteCall): Promise<Deletion>;
  /** Why `delete` would fail; undefined if that is not known ahead. Absent: it never is. */
  refusal?(call: DeleteCall): Promise<string | undefined>;
  /** Undefined when there is no such object. */
  read(call: ReadCall): Promise<ProviderReadResult | undefined>;
  /** Validates the configuration of a future instance. Absent: every one is valid. */
  checkConfig?(call: CheckCall): Promise<ProviderCheckResult>;
  /** The effect of a changed configuration on the instance's objects. Undefined or absent: none. */
  diffConfig?(call: DiffCall): Promise<ProviderDiffResult | undefined>;
  /** Sets the configuration of an instance that has not been used yet. */
  configure?(config: PropertyMap): void;
  /** Calls a function of the package. Absent: it has none. */
  invoke?(call: InvokeCall): Promise<PropertyMap>;
}

export const noDiff: ProviderDiffResult = { changes: "none", replaces: [], changed: [], deleteBeforeReplace: false };
export const someDiff = (replaces: string[] = []): ProviderDiffResult => ({
  changes: "some",
  replaces,
  changed: [],
  deleteBeforeReplace: false,
});

/** Config that only concerns the engine. */
const withoutInternals = (inputs: PropertyMap): PropertyMap =>
  Object.fromEntries(Object.entries(inputs).filter(([key]) => key !== "__internal"));

interface ProvidersOptions {
  /** Creates the configured instance that serves a package; throws for packages without a provider here. */
  createProvider: (pkg: string, config: PropertyMap) => ResourceProvider;
  /** The provider resource that the state holds under a URN and id. */
  recorded: (urn: string, id: string) => ResourceState | undefined;
  /** The URN that a provider resource of this run had before, if another. */
  formerUrn: (urn: CurrentUrn) => RecordedUrn | undefined;
  newId?: () => string;
}

/**
 * The provider instances of an operation, by reference. Manages their resources as well: registering one makes the
 * instance available.
 */
export class Providers implements ResourceProvider {
  private readonly instances = new Map<string, ResourceProvider>();
  private readonly configs = new Map<string, PropertyMap>();
  /** Instances that have validated a configuration, by the URN of their resource: they will use it. */
  private readonly drafts = new Map<string, ResourceProvider>();

  constructor(private readonly options: ProvidersOptions) {}

  /** Creates an instance from its recorded state, unless it exists already. */
  adopt(state: ResourceState): void {
    const reference = formatReference({ urn: state.urn, id: state.id ?? "" });
    if (!this.instances.has(reference)) this.register(state.urn, state.id ?? "", state.inputs ?? {});
  }

  /** The instance behind a reference, created from the state if the program has not declared it. */
  ensure(reference: string): ResourceProvider {
    const present = this.instances.get(reference);
    if (present) return present;
    const { urn, id } = parseReference(reference);
    const recorded = this.options.recorded(urn, id);
    if (recorded === undefined)
      throw new Error(
        `the state has no provider ${reference}, which other resources refer to: repair it with \`pulumi state repair\``,
      );
    this.adopt(recorded);
    return this.ensure(reference);
  }

  private register(urn: string, id: string, inputs: PropertyMap): void {
    const instance = this.draftOf(urn, withoutInternals(inputs));
    this.instances.set(formatReference({ urn, id }), instance);
    this.configs.set(formatReference({ urn, id }), withoutInternals(inputs));
    const former = this.options.formerUrn(urn);
    if (former !== undefined) this.instances.set(formatReference({ urn: former, id }), instance);
  }

  private draftOf(urn: string, config: PropertyMap): ResourceProvider {
    const draft = this.drafts.get(urn);
    this.drafts.delete(urn);
    draft?.configure?.(config);
    return draft?.configure ? draft : this.options.createProvider(packageOf(parseUrn(urn).type), config);
  }

  async check({ urn, news, olds, preview }: CheckCall): Promise<ProviderCheckResult> {
    const instance = this.options.createProvider(packageOf(parseUrn(urn).type), withoutInternals(news));
    this.drafts.set(urn, instance);
    const call = { urn, preview, olds: withoutInternals(olds), news: withoutInternals(news) };
    return (await instance.checkConfig?.(call)) ?? { inputs: news, failures: [] };
  }

  async diff(call: DiffCall): Promise<ProviderDiffResult> {
    const { urn, oldOutputs, newInputs } = call;
    if (valuesEqual(oldOutputs, withoutInternals(newInputs))) return noDiff;
    return (await this.drafts.get(urn)?.diffConfig?.(call)) ?? someDiff();
  }

  /** Whether objects must be replaced because another instance will manage them: the new one decides. */
  async replaces(old: string, now: string): Promise<boolean> {
    if (old === now) return false;
    const [before, after] = [parseReference(old), parseReference(now)];
    const recorded = this.options.recorded(before.urn, before.id);
    const config = this.configs.get(now);
    if (this.options.formerUrn(after.urn) === before.urn || !recorded || !config) return false;
    const result = await this.ensure(now).diffConfig?.({
      ...{ urn: after.urn, id: after.id, preview: true, ignoreChanges: [], newInputs: config },
      ...{ oldInputs: withoutInternals(recorded.inputs ?? {}), oldOutputs: recorded.outputs ?? {} },
    });
    return (result?.replaces.length ?? 0) > 0;
  }

  async create({ urn, preview, inputs }: CreateCall): Promise<ReportedState> {
    const id = preview ? unknown : (this.options.newId ?? randomUUID)();
    this.register(urn, id, inputs);
    return { id, outputs: withoutInternals(inputs) };
  }

  async update({ urn, id, newInputs }: UpdateCall): Promise<ReportedState> {
    this.register(urn, id, newInputs);
    return { id, outputs: withoutInternals(newInputs) };
  }

  async delete({ urn, id }: DeleteCall): Promise<Deletion> {
    this.instances.delete(formatReference({ urn, id }));
    return "deleted";
  }

  read(): Promise<never> {
    return Promise.reject(new Error("a provider cannot be read; declare it with `new`"));
  }
}
