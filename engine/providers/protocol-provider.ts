import type { Deletion } from "../../protocol/engine-state";
import {
  type CheckedInputs,
  type DeleteArguments,
  type Features,
  type ProtocolDiff,
  type ProviderCalls,
  ProviderFailure,
  type ReportedObject,
} from "../../protocol/provider-calls";
import { type PropertyMap, parseUrn } from "../state/resource-state";
import { restoreAssetContents, withoutAssetContents } from "../values/assets";
import { tolerantPath } from "../values/differences";
import { containsUnknowns, forReceiver, fromProvider, markSecretsLike } from "../values/values";
import type {
  CheckCall,
  CreateCall,
  DeleteCall,
  DiffCall,
  InvokeCall,
  ProviderCheckResult,
  ProviderDiffResult,
  ProviderReadResult,
  ReadCall,
  ReportedState,
  ResourceCall,
  ResourceProvider,
  UpdateCall,
} from "./providers";

interface Connection {
  calls: ProviderCalls;
  capabilities: Capabilities;
}

/** Where types and functions of a package are served: this process, or one of the package's own. */
export interface ProviderPlace {
  open(): Promise<ProviderCalls>;
  /** It answers calls that Pulumi's protocol lacks. */
  isExtended?: true;
}

interface Opened {
  calls: Promise<ProviderCalls>;
  /** Absent until it is configured. */
  connection?: Promise<Connection>;
}

/** One instance of a provider that speaks Pulumi's protocol: in a process of its own, in this one, or in both. */
export class ProtocolProvider implements ResourceProvider {
  private readonly opened = new Map<ProviderPlace, Opened>();

  /**
   * `placeOf`: where a type or function is served. If `config` contains unknowns, the provider cannot be configured,
   * and results are incomplete. `capabilities`: if known; other providers report theirs.
   */
  constructor(
    private readonly placeOf: (token: string) => ProviderPlace,
    private config: PropertyMap,
    private readonly capabilities?: Capabilities,
  ) {}

  configure(config: PropertyMap): void {
    this.config = config;
  }

  private get configured(): boolean {
    return !containsUnknowns(this.config);
  }

  /** What serves a type or function, opened at its first use. */
  private at(token: string): Opened {
    const place = this.placeOf(token);
    const opened = this.opened.get(place) ?? { calls: place.open() };
    this.opened.set(place, opened);
    return opened;
  }

  private connect(token: string): Promise<Connection> {
    const opened = this.at(token);
    opened.connection ??= opened.calls.then(async (calls) => {
      const sent = forReceiver(this.config, { secrets: this.capabilities === undefined, references: false });
      const features = await calls.configure(sent);
      return { calls, capabilities: this.capabilities ?? { ...features, imports: true } };
    });
    return opened.connection;
  }

  /** The SDK's dynamic provider accepts every configuration. */
  async checkConfig({ urn, news, preview }: CheckCall): Promise<ProviderCheckResult> {
    if (this.capabilities) return { inputs: news, failures: [] };
    const checked = await (await this.at(typeOf(urn)).calls).checkConfig({ urn, news });
    return checked ? toCheckResult(checked, preview) : { inputs: news, failures: [] };
  }

  /** Undefined: the provider does not say. */
  async diffConfig({ urn, id, oldInputs, oldOutputs, newInputs }: DiffCall): Promise<ProviderDiffResult | undefined> {
    if (this.capabilities) return undefined;
    const calls = await this.at(typeOf(urn)).calls;
    const compared = await calls.diffConfig({ urn, id, oldInputs, olds: oldOutputs, news: newInputs });
    return compared && toDiffResult(compared);
  }

  async check({ urn, preview, olds, news, naming }: CheckCall): Promise<ProviderCheckResult> {
    if (!this.configured) return { inputs: news, failures: [] };
    const { calls, capabilities } = await this.connect(typeOf(urn));
    const send = sender(capabilities);
    const checked = toCheckResult(await calls.check({ urn, olds: send(olds), news: send(news), naming }), preview);
    return { ...checked, inputs: capabilities.secrets ? checked.inputs : markSecretsLike(checked.inputs, news) };
  }

  async diff({ urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffCall): Promise<ProviderDiffResult> {
    if (!this.configured)
      return { changes: "some", replaces: [], changed: [], deleteBeforeReplace: false, unavailable: unknownConfig };
    const { calls, capabilities } = await this.connect(typeOf(urn));
    const send = elidingSender(capabilities);
    const sides = { oldInputs: send(oldInputs), olds: send(oldOutputs), news: send(newInputs) };
    return toDiffResult(await calls.diff({ urn, id, ...sides, ignoreChanges }));
  }

  /** Undefined for a preview that the provider does not support. */
  private async connectionFor({ urn, preview }: ResourceCall): Promise<Connection | undefined> {
    if (preview && this.capabilities?.previews === false) return undefined;
    const connection = await this.connect(typeOf(urn));
    return preview && !connection.capabilities.previews ? undefined : connection;
  }

  async create(call: CreateCall): Promise<ReportedState> {
    const { urn, preview, inputs, timeout } = call;
    if (preview && !this.configured) return { id: "", outputs: {} };
    const connection = await this.connectionFor(call);
    if (connection === undefined) return { id: "", outputs: inputs };
    const { calls, capabilities } = connection;
    const creating = calls.create({ urn, properties: sender(capabilities)(inputs), timeout, preview });
    const created = await liveOf(creating, inputs, { what: "create", capabilities, preview });
    if (created.id === "" && !preview)
      throw new Error("the provider answered no id from create, so that the object cannot be recorded");
    return created;
  }

  async update(call: UpdateCall): Promise<ReportedState> {
    const { urn, preview, id, oldInputs, oldOutputs, newInputs, timeout, ignoreChanges } = call;
    if (preview && !this.configured) return { id, outputs: {} };
    const connection = await this.connectionFor(call);
    if (connection === undefined) return { id, outputs: newInputs };
    const { calls, capabilities } = connection;
    const elided = elidingSender(capabilities);
    const sides = { oldInputs: elided(oldInputs), olds: elided(oldOutputs), news: sender(capabilities)(newInputs) };
    const updating = calls.update({ urn, id, ...sides, timeout, ignoreChanges, preview });
    return { ...(await liveOf(updating, newInputs, { what: "update", capabilities, preview })), id };
  }

  async delete(call: DeleteCall): Promise<Deletion> {
    const { calls, capabilities } = await this.connect(typeOf(call.urn));
    return calls.delete(deleteArguments(call, capabilities));
  }

  async refusal(call: DeleteCall): Promise<string | undefined> {
    if (!this.configured || this.placeOf(typeOf(call.urn)).isExtended !== true) return undefined;
    const { calls, capabilities } = await this.connect(typeOf(call.urn));
    return calls.refusal?.(deleteArguments(call, capabilities));
  }

  async read({ urn, id, inputs, state }: ReadCall): Promise<ProviderReadResult | undefined> {
    if (!this.configured) return { id, outputs: {} };
    const { calls, capabilities } = await this.connect(typeOf(urn));
    const send = elidingSender(capabilities);
    const isKnown = state !== undefined || !capabilities.imports;
    const known = isKnown ? { properties: send(state ?? inputs), inputs: send(inputs) } : {};
    const exchange = { what: "read", capabilities };
    const live = await liveOf(calls.read({ urn, id, ...known }), state ?? {}, exchange);
    if (live.id === "") return undefined;
    return {
      ...live,
      outputs: restoreAssetContents(live.outputs, inputs),
      inputs: live.inputs && restoreAssetContents(withSecretMarks(live.inputs, inputs, exchange), inputs),
    };
  }

  async invoke({ token, args, preview }: InvokeCall): Promise<PropertyMap> {
    const { calls, capabilities } = await this.connect(token);
    return fromProvider(await calls.invoke({ token, args: sender(capabilities)(args), preview }), "invoke", preview);
  }
}

const typeOf = (urn: string): string => parseUrn(urn).type;

function deleteArguments(
  { urn, id, inputs, outputs, timeout }: DeleteCall,
  capabilities: Capabilities,
): DeleteArguments {
  const send = elidingSender(capabilities);
  return { urn, id, properties: send(outputs), oldInputs: send(inputs), timeout };
}

const toCheckResult = ({ inputs, failures }: CheckedInputs, preview: boolean): ProviderCheckResult => ({
  inputs: fromProvider(inputs, "check", preview),
  failures,
});

const unknownConfig =
  "The provider of this resource has inputs that are not known during a preview, so this preview may not show what the update will change.";

/** What a call reports of an object, also of one that did not become ready. */
async function liveOf(
  work: Promise<Omit<ReportedObject, "id"> & { id?: string }>,
  sent: PropertyMap,
  exchange: ProviderExchange,
): Promise<ProviderReadResult> {
  try {
    const { id = "", properties, inputs } = await work;
    return { id, outputs: withSecretMarks(properties, sent, exchange), inputs };
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !error.recorded) throw error;
    const { id, properties, inputs, reasons } = error.recorded;
    const failed = { what: "the failed operation", capabilities: exchange.capabilities };
    return { id, outputs: withSecretMarks(properties, sent, failed), inputs, initErrors: reasons, failure: error.code };
  }
}

/** A provider's diff in the form that plans use. */
function toDiffResult({ changes, replaces, diffs, detailed, deleteBeforeReplace }: ProtocolDiff): ProviderDiffResult {
  const replacing = [...detailed]
    .filter(([, difference]) => difference.replaces)
    .map(([path]) => String(tolerantPath(path)[0]));
  return {
    changes,
    replaces: [...new Set([...replaces, ...replacing])],
    changed: [...new Set([...diffs, ...detailed.keys()])],
    deleteBeforeReplace,
  };
}

/** How values travel to and from a provider. Without secrets, results get the marks of the values that were sent. */
export interface Capabilities extends Features {
  /** A read without recorded outputs is an import; other providers get the inputs instead. */
  imports: boolean;
}

/** The SDK's dynamic provider. */
export const plainCapabilities: Capabilities = { secrets: false, references: false, previews: false, imports: false };

const sender =
  (capabilities: Capabilities) =>
  (properties: PropertyMap): PropertyMap =>
    forReceiver(properties, capabilities);

/** Old values, and values to compare, travel without the contents of assets. */
const elidingSender =
  (capabilities: Capabilities) =>
  (properties: PropertyMap): PropertyMap =>
    forReceiver(withoutAssetContents(properties), capabilities);

/** One call of a provider. */
interface ProviderExchange {
  /** The operation, for errors. */
  what: string;
  capabilities: Capabilities;
  preview?: boolean;
}

/** A provider's result, with secrets marked. */
function withSecretMarks(
  result: PropertyMap,
  sent: PropertyMap,
  { what, capabilities: { secrets }, preview = false }: ProviderExchange,
): PropertyMap {
  const properties = fromProvider(result, what, preview);
  return secrets ? properties : markSecretsLike(properties, sent);
}
