import * as pulumi from "@pulumi/pulumi";
import { createSources } from "../api/settings/sources";
import type { ResourceSpec } from "../core/declaration/resource";
import { outputFields, valueFollowing } from "../core/declaration/surface";
import type { Derivation } from "../core/fields/markers";
import { dynamicToken, dynamicUrn, memberOf, pluginToken, resourceTypeIn } from "../core/pulumi-names";
import { accountOf, lastSegment } from "../core/values/names";
import { topLevel } from "../core/values/values";
import type { OwnershipJournal } from "../lifecycle/memory/history";
import { journalFolder, journalIn } from "../lifecycle/memory/journal-files";
import { recordHeld } from "../lifecycle/ownership/journal";
import { specOf } from "../resources/index";
import { isMocked } from "./mocks";
import { outputOnDemand, valueOf } from "./outputs-on-demand";
import { isProvider, type ProviderSettings, providerSettings } from "./provider";

type Outputs = Record<string, pulumi.Output<unknown>>;

/** What the SDK's types leave out of an output. */
interface Insight {
  isKnown: Promise<boolean>;
  isSecret: Promise<boolean>;
  /** The value; what is not known is the SDK's mark for it, and what is not there is undefined. */
  promise(withUnknowns: true): Promise<unknown>;
}

const insight = (output: pulumi.Output<unknown>): Insight => output as unknown as Insight;

/**
 * Lets a preview know the outputs of a resource that follow from its id. An engine asks no dynamic provider what an
 * update will answer: every output is unknown then, and any dependent seems to change (decision 003). The id
 * is known, and with it these. They stay as secret as the program says (`secret` has the names of its options).
 */
export function followId(resource: pulumi.CustomResource, spec: ResourceSpec, secret: readonly string[] = []): void {
  if (!pulumi.runtime.isDryRun()) return;
  const outputs = resource as unknown as Outputs;
  for (const { name, markers } of outputFields(spec)) {
    const answered = outputs[name];
    if (!markers.follows || !answered) continue;
    const rule = markers.follows;
    outputs[name] = outputOnDemand(() => {
      const derived = derivedOutput(resource, answered, rule);
      return secret.includes(name) ? pulumi.secret(derived) : derived;
    });
  }
}

function derivedOutput(resource: pulumi.CustomResource, answered: pulumi.Output<unknown>, rule: Derivation) {
  if (rule.from === undefined && rule.template === "{name}") return resource.id;
  const [output, settle] = pulumi.deferredOutput<unknown>();
  resolveDerived(resource, answered, rule).then(settle, () => settle(answered));
  return output;
}

async function resolveDerived(resource: pulumi.CustomResource, answered: pulumi.Output<unknown>, rule: Derivation) {
  if (await insight(answered).isKnown) return answered;
  const outputs = resource as unknown as Outputs;
  const paths = (rule.from ?? []).map(topLevel).filter((name) => name !== "id");
  const values = await Promise.all(paths.map((name) => insight(outputs[name]!).promise(true)));
  // An input that the program leaves out is not there; one that it takes from elsewhere may be unknown.
  const knownPaths = paths.filter((_, place) => values[place] !== undefined);
  const derived = pulumi.all([resource.id, ...knownPaths.map((name) => outputs[name]!)]).apply(([name, ...known]) => {
    const own = { name: String(name), account: accountOf(String(name)) ?? "", id: lastSegment(String(name)) };
    return valueFollowing(rule, own, Object.fromEntries(knownPaths.map((path, place) => [path, known[place]])));
  });
  return (await insight(answered).isSecret) ? pulumi.secret(derived) : derived;
}

/** What a program says of a resource, and its URN once that is known. */
interface DeclaredResource {
  name: string;
  type: string;
  aliases: pulumi.ResourceOptions["aliases"];
  urn: Promise<string>;
}

/**
 * The URNs that a resource had before by its own aliases and by those of what it is in; undefined where it has
 * none.
 */
export function formerUrns(
  resource: pulumi.Resource,
  { name, type, aliases: own = [], urn: current }: DeclaredResource,
): Promise<string[] | undefined> {
  const { __parentResource: parent, __aliases: alone = [] } = resource as unknown as {
    __parentResource?: pulumi.Resource & { __name?: string };
    __aliases?: pulumi.Input<string>[];
  };
  const aliases = parent ? pulumi.allAliases(own, name, type, parent, parent.__name ?? "") : alone;
  // Its name under the other host is the same resource's, and is not a former one.
  const resolveFormerUrns = async (): Promise<string[] | undefined> => {
    const now = dynamicUrn(await current);
    const urns = (await knownValues(aliases)) as (string | undefined)[];
    if (urns.includes(undefined)) return undefined;
    const before = (urns as string[]).map((urn) => dynamicUrn(asRecorded(urn))).filter((urn) => urn !== now);
    return before.length === 0 ? undefined : before;
  };
  return aliases.length === 0 ? Promise.resolve(undefined) : resolveFormerUrns().catch(() => undefined);
}

/** Known only once the resource's constructor has run, which needs it. */
export function createDeferred<T>(): { promise: Promise<T>; resolve(value: T | Promise<T>): void } {
  let resolve!: (value: T | Promise<T>) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

/** The URN of a resource without the stack above it, as engines record it. */
export const asRecorded = (urn: string): string => urn.replace("::pulumi:pulumi:Stack$", "::");

/** Values of outputs and others; undefined for what is not known. `pulumi.all` makes ten times as many promises. */
const knownValues = (inputs: readonly unknown[]): Promise<unknown[]> =>
  Promise.all(inputs.map((input) => (pulumi.Output.isInstance(input) ? valueOf(input) : input)));

/** By folder. */
const journals = new Map<string, OwnershipJournal>();

/**
 * Writes into the journal that a state holds a resource, once its registration has come back. The engine
 * answers that only when the state holds the object; a provider process never learns it, and a later
 * run that replaces the object without a diff could not tell it from what an interrupted create has
 * begun.
 */
export function writeHeldOnceRegistered(resource: pulumi.CustomResource, urn: Promise<string>): void {
  if (pulumi.runtime.isDryRun() || isMocked()) return;
  const provider = [dynamicToken(""), pluginToken("")].map((token) => resource.getProvider(token)).find(isProvider);
  const { id, accountId, endpoint, createTime } = resource as pulumi.CustomResource &
    Record<string, pulumi.Output<unknown>>;
  const write = async (): Promise<void> => {
    const settings = provider ? providerSettings(provider) : {};
    const [name, account, origin, created, known] = await knownValues([id, accountId, endpoint, createTime, settings]);
    if (typeof name !== "string" || typeof origin !== "string" || known === undefined) return;
    const of = await urn;
    const kind = memberOf(resourceTypeIn(of)) ?? "";
    const outputs = { accountId: account, endpoint: origin, createTime: created };
    const recorded = { kind, urn: of, spec: specOf(kind), id: name, outputs, at: Date.now() };
    await recordHeld(journalOf(known as ProviderSettings), { ...recorded, isUnaccepted: true });
  };
  // A program does not end before that is written. What is not looks like an interrupted run: nothing fails for it.
  const done = pulumi.runtime.rpcKeepAlive();
  write().then(done, done);
}

function journalOf(provider: ProviderSettings): OwnershipJournal {
  const { find } = createSources({
    provider,
    config: { get: (key) => pulumi.runtime.getConfig(key) },
    env: process.env,
  });
  const folder = String(find("intents")?.value ?? journalFolder(process.env));
  const journal = journals.get(folder) ?? journalIn(folder, Date.now);
  journals.set(folder, journal);
  return journal;
}
