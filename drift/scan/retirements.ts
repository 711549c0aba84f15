import type { Client } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import {
  baseModelOf,
  type ModelEnd,
  type ModelFacts,
  modelFacts,
  type RetirementNotice,
  retirementOf,
  urgencyOf,
} from "../../provider/core/declaration/retirement";
import { isTerminal } from "../../provider/core/declaration/states";
import { isModelPlatformError, isNotFound, messageOf } from "../../provider/core/errors";
import { fieldsOnPath } from "../../provider/core/fields/fields";
import { accountOf, matchTemplate } from "../../provider/core/values/names";
import { omitUndefined, parsePath, type Values } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import type { DeprecatedField, DriftReport, Retirement } from "./document";
import type { RecordedObject } from "./recorded-object";

const DerivedObject = z.object({
  name: z.string(),
  type: z.string(),
  urn: z.string().nullable(),
  stacks: z.array(z.string()),
  model: z.string().describe("That it is made from."),
});

/** What a list shows of models and of what is made from them. Plain JSON: an interrupted scan keeps it on disk. */
export const Lineage = z.object({
  models: z.record(z.string(), z.object({ base: z.string().optional(), day: z.string().optional() })) as z.ZodType<
    Record<string, ModelFacts>
  >,
  derived: z.array(DerivedObject),
});

export type Lineage = z.infer<typeof Lineage>;

/** An object that is made from a model that is taken down, itself or in the line of what it is made from. */
interface RetiringObject extends Omit<z.infer<typeof DerivedObject>, "model">, ModelEnd {}

/** A model that could not be read, so that it is unknown whether it is taken down. */
interface UnreadModel {
  model: string;
  reason: string;
}

/** Notes an object of a list. `records`: the resources that record it; undefined if it is not reported. */
export function noteLineage(
  { models, derived }: Lineage,
  spec: ResourceSpec,
  live: Values,
  records: readonly RecordedObject[] | undefined,
): void {
  const name = String(live["name"]);
  if (spec.retires !== undefined) models[name] = modelFacts(spec, live);
  const model = baseModelOf(spec, live);
  if (!records || model === undefined || isTerminal(spec, live)) return;
  const stacks = [...new Set(records.map(({ stack }) => stack))];
  derived.push({ name, type: spec.kind, urn: records[0]?.urn ?? null, stacks, model });
}

/** Whose key reads models, and where. */
interface ModelReader {
  client: Client;
  account: string;
  origin: string;
  as: string;
  deadline: number;
  signal: AbortSignal;
}

interface ForeignModel extends ModelFacts {
  /** It could not be read, and why. */
  unread?: UnreadModel;
}

/** Models that no list contains: each is read once in a scan, on first use. */
export class ForeignModels {
  private readonly pending = new Map<string, Promise<ForeignModel>>();

  constructor(private readonly spec: ResourceSpec) {}

  /** `onSend` runs for each request that this call causes. What an account's own list does not show is not there. */
  async find(model: string, reader: ModelReader, onSend: () => void): Promise<ForeignModel> {
    if (accountOf(model) === reader.account || !matchTemplate(this.spec.name, model)) return {};
    const key = JSON.stringify([reader.origin, model]);
    const facts = this.pending.get(key) ?? this.read(model, reader, onSend);
    this.pending.set(key, facts);
    return facts;
  }

  private async read(model: string, reader: ModelReader, onSend: () => void): Promise<ForeignModel> {
    const { client, as, deadline, signal } = reader;
    try {
      const operation = client.catalogue.require(this.spec.kind, "get").name;
      const { value } = await client.call(operation, { as, deadline, signal, parameters: { name: model }, onSend });
      return modelFacts(this.spec, value);
    } catch (error) {
      if (signal.aborted || !isModelPlatformError(error)) throw error;
      if (isNotFound(error)) return {};
      const reason = client.redactor.text(messageOf(error));
      // What the service refuses is known to be unread; an answer that cannot be read may have had a day.
      const isRefused = error.status !== undefined && error.status >= 400;
      return { unread: { model, reason }, unknownDay: isRefused ? undefined : reason };
    }
  }
}

/** What the lists of one account, and models of others, say of what is taken down. */
export interface ModelDates {
  retiring: RetiringObject[];
  unread: UnreadModel[];
  /** Requests that were sent for models of others. */
  requests: number;
  factsOf(model: string): ModelFacts | undefined;
}

/** Joins the lists of an account, and reads the models that none of them contains. */
export async function modelDates(
  lineages: readonly Lineage[],
  foreign: ForeignModels,
  reader: ModelReader,
): Promise<ModelDates> {
  const known = new Map<string, ModelFacts>(lineages.flatMap(({ models }) => Object.entries(models)));
  const derived = lineages.flatMap((lineage) => lineage.derived);
  const unread: UnreadModel[] = [];
  let requests = 0;
  const factsOf = async (model: string): Promise<ModelFacts> => {
    const listed = known.get(model);
    if (listed) return listed;
    const foreignModel = await foreign.find(model, reader, () => void requests++);
    const { unread: unreadModel, ...facts } = foreignModel;
    if (unreadModel) unread.push(unreadModel);
    known.set(model, facts);
    return facts;
  };
  const seen = new Set<string>();
  const waiting = derived.map(({ model }) => model);
  for (let model = waiting.pop(); model !== undefined; model = waiting.pop()) {
    if (seen.has(model)) continue;
    seen.add(model);
    const { base } = await factsOf(model);
    if (base !== undefined) waiting.push(base);
  }
  const retiring = derived.flatMap(({ model, ...object }): RetiringObject[] => {
    const retirement = retirementOf(model, (name) => known.get(name));
    return retirement ? [{ ...object, ...retirement }] : [];
  });
  return { retiring, unread, requests, factsOf: (model) => known.get(model) };
}

interface RetirementChoice {
  notice: RetirementNotice;
  /** Today, `YYYY-MM-DD`, UTC. */
  today: string;
  /** Lists those that it is too early to warn of, too. */
  all: boolean;
}

/** What a report says of what will end; members that have nothing to say are absent. */
export type Retirements = Pick<DriftReport, "retirements" | "unreadModels" | "deprecatedFields">;

/** `objects`: what stacks record in the accounts that were scanned. */
export const collectRetirements = (
  accounts: readonly { retiring: readonly RetiringObject[]; unread: readonly UnreadModel[] }[],
  objects: readonly RecordedObject[],
  choice: RetirementChoice,
): Retirements =>
  mergeRetirements([
    {
      retirements: accounts.flatMap(({ retiring }) => retiring).flatMap((each) => retirementsOf(each, choice)),
      unreadModels: accounts.flatMap(({ unread }) => unread),
      deprecatedFields: objects.flatMap(deprecatedFieldsOf),
    },
  ]);

/** The same of several reports, with one entry for each model and field. */
export function mergeRetirements(parts: readonly Retirements[]): Retirements {
  const retirements = joinedBy(
    parts.flatMap((part) => part.retirements ?? []),
    ({ model, day }) => JSON.stringify([day, model]),
  );
  const unreadModels = new Map(parts.flatMap((part) => part.unreadModels ?? []).map((each) => [each.model, each]));
  const deprecatedFields = joinedBy(
    parts.flatMap((part) => part.deprecatedFields ?? []),
    ({ type, path }) => JSON.stringify([type, path]),
  );
  return omitUndefined({
    retirements: retirements.length > 0 ? retirements : undefined,
    unreadModels: unreadModels.size > 0 ? [...unreadModels.values()] : undefined,
    deprecatedFields: deprecatedFields.length > 0 ? deprecatedFields : undefined,
  });
}

function retirementsOf(
  { model, day, ...object }: RetiringObject,
  { notice, today, all }: RetirementChoice,
): Retirement[] {
  const severity = urgencyOf(day, today, notice) ?? "note";
  return severity === "note" && !all ? [] : [{ model, day, severity, objects: [object] }];
}

/** Fields that a program sets and the service has retired. */
function deprecatedFieldsOf({ spec, name, urn, stack, outputs, isProduced }: RecordedObject): DeprecatedField[] {
  if (isProduced) return [];
  return (outputs.managedFields ?? []).flatMap((path) => {
    const [first, ...rest] = parsePath(path);
    const top = spec.fields.message.find((field) => field.name === first);
    const says = top && fieldsOnPath(top, rest).at(-1)?.markers.deprecated;
    if (says === undefined) return [];
    return [{ type: spec.kind, path, says, objects: [{ name, type: spec.kind, urn, stacks: [stack] }] }];
  });
}

/** Entries with one key as one, with the objects of all of them. In the order of their keys. */
function joinedBy<T extends { objects: unknown[] }>(entries: readonly T[], keyOf: (entry: T) => string): T[] {
  const joined = new Map<string, T>();
  for (const entry of entries) {
    const same = joined.get(keyOf(entry));
    if (same) same.objects.push(...entry.objects);
    else joined.set(keyOf(entry), { ...entry, objects: [...entry.objects] });
  }
  return [...joined].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}
