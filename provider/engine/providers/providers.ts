import { randomUUID } from "node:crypto";
import type { PropertyMap, ResourceState } from "../../state/types";
import { formatReference, packageOf, parseReference, parseUrn } from "../values/urns";
import { sameValue, unknown } from "../values/values";
import {
  type CheckAnswer,
  type CheckCall,
  type CreateCall,
  type DeleteCall,
  type DiffAnswer,
  type DiffCall,
  type Live,
  noDiff,
  type ResourceProvider,
  someDiff,
  type UpdateCall,
} from "./provider";

/** Config that is the engine's own business. */
const withoutInternals = (inputs: PropertyMap): PropertyMap =>
  Object.fromEntries(Object.entries(inputs).filter(([key]) => key !== "__internal"));

export interface ProvidersOptions {
  /** Makes the instance that serves a package, configured; refuses packages that nobody serves. */
  make: (pkg: string, config: PropertyMap) => ResourceProvider;
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

  constructor(private readonly options: ProvidersOptions) {}

  /** Makes an instance from its recorded state, unless it is there already. */
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
    const instance = this.options.make(packageOf(parseUrn(urn).type), withoutInternals(inputs));
    this.instances.set(formatReference({ urn, id }), instance);
    const former = this.options.formerUrn(urn);
    if (former !== undefined) this.instances.set(formatReference({ urn: former, id }), instance);
  }

  async check({ urn, news }: CheckCall): Promise<CheckAnswer> {
    this.options.make(packageOf(parseUrn(urn).type), {});
    return { inputs: news, failures: [] };
  }

  /** No change of configuration replaces a dynamic provider. */
  async diff({ oldOutputs, newInputs }: DiffCall): Promise<DiffAnswer> {
    return sameValue(oldOutputs, withoutInternals(newInputs)) ? noDiff : someDiff();
  }

  async create({ urn, preview, inputs }: CreateCall): Promise<Live> {
    const id = preview ? unknown : (this.options.newId ?? randomUUID)();
    this.register(urn, id, inputs);
    return { id, outputs: withoutInternals(inputs) };
  }

  async update({ urn, id, newInputs }: UpdateCall): Promise<Live> {
    this.register(urn, id, newInputs);
    return { id, outputs: withoutInternals(newInputs) };
  }

  async delete({ urn, id }: DeleteCall): Promise<void> {
    this.instances.delete(formatReference({ urn, id }));
  }

  read(): Promise<never> {
    return Promise.reject(new Error("a provider cannot be read; declare it with `new`"));
  }
}
