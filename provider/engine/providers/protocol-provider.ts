import type { CheckedInputs, Deleting, ProviderCalls, ReportedObject } from "../../protocol/provider-calls";
import type { PropertyMap } from "../../state/types";
import { restoreAssetContents } from "../values/assets";
import { forReceiver, fromProvider } from "../values/properties";
import { containsUnknowns, markSecretsLike } from "../values/values";
import { diffAnswerOf } from "./diff-answer";
import { elidingSender, type Manner, received, sender } from "./manner";
import type {
  CheckCall,
  CreateCall,
  DeleteCall,
  DiffCall,
  InvokeCall,
  Live,
  ProviderCheckAnswer,
  ProviderDiffAnswer,
  ProviderReadAnswer,
  ReadCall,
  ResourceProvider,
  UpdateCall,
} from "./provider";

interface Connection {
  calls: ProviderCalls;
  manner: Manner;
}

/** One instance of a provider that speaks Pulumi's protocol, in a process of its own or in this one. */
export class ProtocolProvider implements ResourceProvider {
  private opened: Promise<ProviderCalls> | undefined;
  private connection: Promise<Connection> | undefined;

  /**
   * `config` with unknowns inside: the provider cannot be configured, and answers as far as that goes. `manner`: where
   * it is known; others tell.
   */
  constructor(
    private readonly open: () => Promise<ProviderCalls>,
    private config: PropertyMap,
    private readonly manner?: Manner,
  ) {}

  configure(config: PropertyMap): void {
    this.config = config;
  }

  protected get configured(): boolean {
    return !containsUnknowns(this.config);
  }

  /** Opens it at its first use. */
  private calls(): Promise<ProviderCalls> {
    this.opened ??= this.open();
    return this.opened;
  }

  protected connect(): Promise<Connection> {
    this.connection ??= this.calls().then(async (calls) => {
      const sent = forReceiver(this.config, { secrets: this.manner === undefined, references: false });
      const features = await calls.configure(sent);
      return { calls, manner: this.manner ?? { ...features, imports: true } };
    });
    return this.connection;
  }

  /** The SDK's dynamic provider accepts every configuration. */
  async checkConfig({ urn, news, preview }: CheckCall): Promise<ProviderCheckAnswer> {
    if (this.manner) return { inputs: news, failures: [] };
    const checked = await (await this.calls()).checkConfig({ urn, news });
    return checked ? checkAnswerOf(checked, preview) : { inputs: news, failures: [] };
  }

  /** Undefined: the provider does not say. */
  async diffConfig({ urn, id, oldInputs, oldOutputs, newInputs }: DiffCall): Promise<ProviderDiffAnswer | undefined> {
    if (this.manner) return undefined;
    const calls = await this.calls();
    const compared = await calls.diffConfig({ urn, id, oldInputs, olds: oldOutputs, news: newInputs });
    return compared && diffAnswerOf(compared);
  }

  async check({ urn, preview, olds, news }: CheckCall): Promise<ProviderCheckAnswer> {
    if (!this.configured) return { inputs: news, failures: [] };
    const { calls, manner } = await this.connect();
    const send = sender(manner);
    const answer = checkAnswerOf(await calls.check({ urn, olds: send(olds), news: send(news) }), preview);
    return { ...answer, inputs: manner.secrets ? answer.inputs : markSecretsLike(answer.inputs, news) };
  }

  async diff({ urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffCall): Promise<ProviderDiffAnswer> {
    if (!this.configured)
      return { changes: "some", replaces: [], changed: [], deleteBeforeReplace: false, unavailable: unknownConfig };
    const { calls, manner } = await this.connect();
    const send = elidingSender(manner);
    const sides = { oldInputs: send(oldInputs), olds: send(oldOutputs), news: send(newInputs) };
    return diffAnswerOf(await calls.diff({ urn, id, ...sides, ignoreChanges }));
  }

  /** Undefined: a preview that the provider is not asked in. */
  private async changing(preview: boolean): Promise<Connection | undefined> {
    if (preview && this.manner?.previews === false) return undefined;
    const connection = await this.connect();
    return preview && !connection.manner.previews ? undefined : connection;
  }

  async create({ urn, preview, inputs, timeout }: CreateCall): Promise<Live> {
    if (preview && !this.configured) return { id: "", outputs: {} };
    const connection = await this.changing(preview);
    if (connection === undefined) return { id: "", outputs: inputs };
    const { calls, manner } = connection;
    const made = await calls.create({ urn, properties: sender(manner)(inputs), timeout, preview });
    if (made.id === "" && !preview)
      throw new Error("the provider answered no id from create, so that the object cannot be recorded");
    return { id: made.id, ...liveOf(made, inputs, "create", manner, preview) };
  }

  async update(request: UpdateCall): Promise<Live> {
    const { urn, preview, id, oldInputs, oldOutputs, newInputs, timeout, ignoreChanges } = request;
    if (preview && !this.configured) return { id, outputs: {} };
    const connection = await this.changing(preview);
    if (connection === undefined) return { id, outputs: newInputs };
    const { calls, manner } = connection;
    const elided = elidingSender(manner);
    const sides = { oldInputs: elided(oldInputs), olds: elided(oldOutputs), news: sender(manner)(newInputs) };
    const made = await calls.update({ urn, id, ...sides, timeout, ignoreChanges, preview });
    return { id, ...liveOf(made, newInputs, "update", manner, preview) };
  }

  async delete(call: DeleteCall): Promise<void> {
    const { calls, manner } = await this.connect();
    await calls.delete(deletingOf(call, manner));
  }

  async read({ urn, id, inputs, state }: ReadCall): Promise<ProviderReadAnswer | undefined> {
    if (!this.configured) return { id, outputs: {} };
    const { calls, manner } = await this.connect();
    const send = elidingSender(manner);
    const isKnown = state !== undefined || !manner.imports;
    const known = isKnown ? { properties: send(state ?? inputs), inputs: send(inputs) } : {};
    const seen = await calls.read({ urn, id, ...known });
    if (seen.id === "") return undefined;
    const { outputs, ...rest } = liveOf(seen, state ?? {}, "read", manner);
    return {
      id: seen.id,
      outputs: restoreAssetContents(outputs, inputs),
      ...(seen.inputs && { inputs: restoreAssetContents(received(seen.inputs, inputs, "read", manner), inputs) }),
      ...rest,
    };
  }

  async invoke({ token, args, preview }: InvokeCall): Promise<PropertyMap> {
    const { calls, manner } = await this.connect();
    return fromProvider(await calls.invoke({ token, args: sender(manner)(args), preview }), "invoke", preview);
  }
}

export function deletingOf({ urn, id, inputs, outputs, timeout }: DeleteCall, manner: Manner): Deleting {
  const send = elidingSender(manner);
  return { urn, id, properties: send(outputs), oldInputs: send(inputs), timeout };
}

const checkAnswerOf = ({ inputs, failures }: CheckedInputs, preview: boolean): ProviderCheckAnswer => ({
  inputs: fromProvider(inputs, "check", preview),
  failures,
});

const unknownConfig =
  "The provider of this resource has inputs that are not known during a preview, so this preview may not show what the update will change.";

function liveOf(
  { properties, reasons }: Omit<ReportedObject, "id">,
  sent: PropertyMap,
  what: string,
  manner: Manner,
  preview = false,
): Omit<Live, "id"> {
  if (reasons === undefined) return { outputs: received(properties, sent, what, manner, preview) };
  return { outputs: received(properties, sent, "the failed operation", manner), initErrors: reasons };
}
