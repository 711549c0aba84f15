import { randomUUID } from "node:crypto";
import type { Deletion } from "../../protocol/engine-state";
import type { PropertyMap, ResourceState } from "../state/types";
import { formatReference, packageOf, parseReference, parseUrn } from "../state/urns";
import { unknown, valuesEqual } from "../values/values";
import {
  type CheckCall,
  type CreateCall,
  type DeleteCall,
  type DiffCall,
  noDiff,
  type ProviderCheckResult,
  type ProviderDiffResult,
  type ReportedState,
  type ResourceProvider,
  someDiff,
  type UpdateCall,
} from "./provider";

/** Config that only concerns the engine. */
const withoutInternals = (inputs: PropertyMap): PropertyMap =>
  Object.fromEntries(Object.entries(inputs).filter(([key]) => key !== "__internal"));

interface ProvidersOptions {
  /** Creates the configured instance that serves a package; refuses packages without a provider here. */
  createProvider: (pkg: string, config: PropertyMap) => ResourceProvider;
  /** The provider resource that the state holds under a URN and id. */
  recorded: (urn: string, id: string) => ResourceState | undefined;
  /** The URN that a provider resource of this run had before, if another. */
  formerUrn: (urn: string) => string | undefined;
  newId?: () => string;
}

/**
 * The provider instances of an operation, by reference. It manages the resources that stand for them as well:
 * registering one makes the instance available.
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

  /** The instance behind a reference, made from the state when the program has not declared it. */
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

  /** Whether objects must be replaced because another instance will manage them: that one decides. */
  async replaces(old: string, now: string): Promise<boolean> {
    if (old === now) return false;
    const [before, after] = [parseReference(old), parseReference(now)];
    const recorded = this.options.recorded(before.urn, before.id);
    const config = this.configs.get(now);
    if (this.options.formerUrn(after.urn) === before.urn || !recorded || !config) return false;
    const answer = await this.ensure(now).diffConfig?.({
      ...{ urn: after.urn, id: after.id, preview: true, ignoreChanges: [], newInputs: config },
      ...{ oldInputs: withoutInternals(recorded.inputs ?? {}), oldOutputs: recorded.outputs ?? {} },
    });
    return (answer?.replaces.length ?? 0) > 0;
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
