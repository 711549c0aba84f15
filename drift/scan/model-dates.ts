import type { Client } from "../../provider/api/types";
import type { ResourceSpec } from "../../provider/core/declaration/resource";
import {
  type ModelEnd,
  type ModelFacts,
  modelFacts,
  modelNamed,
  retirementOf,
} from "../../provider/core/declaration/retirement";
import { isOver } from "../../provider/core/declaration/states";
import { isModelPlatformError, isNotFound, messageOf } from "../../provider/core/errors";
import { accountOf, matchTemplate } from "../../provider/core/values/names";
import type { Values } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import type { RecordedObject } from "./recorded-object";

const Maker = z.object({
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
  made: z.array(Maker),
});

export type Lineage = z.infer<typeof Lineage>;

/** An object that is made from a model that is taken down, itself or in the line of what it is made from. */
export interface Retiring extends Omit<z.infer<typeof Maker>, "model">, ModelEnd {}

/** A model that could not be read, so that it is unknown whether it is taken down. */
export interface UnreadModel {
  model: string;
  reason: string;
}

/** Notes an object of a list. `records`: the resources that record it; undefined where nothing is to be said of it. */
export function noteLineage(
  { models, made }: Lineage,
  spec: ResourceSpec,
  live: Values,
  records: readonly RecordedObject[] | undefined,
): void {
  const name = String(live["name"]);
  if (spec.retires !== undefined) models[name] = modelFacts(spec, live);
  const model = modelNamed(spec, live);
  if (!records || model === undefined || isOver(spec, live)) return;
  const stacks = [...new Set(records.map(({ stack }) => stack))];
  made.push({ name, type: spec.kind, urn: records[0]?.urn ?? null, stacks, model });
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

/** Models that no list has shown: each is read once in a scan, for whoever asks first. */
export class ForeignModels {
  private readonly asked = new Map<string, Promise<ModelFacts | UnreadModel>>();

  constructor(private readonly spec: ResourceSpec) {}

  /** `onSend` runs for each request that this call causes. What an account's own list does not show is not there. */
  async find(model: string, reader: ModelReader, onSend: () => void): Promise<ModelFacts | UnreadModel> {
    if (accountOf(model) === reader.account || !matchTemplate(this.spec.name, model)) return {};
    const key = JSON.stringify([reader.origin, model]);
    const asked = this.asked.get(key) ?? this.ask(model, reader, onSend);
    this.asked.set(key, asked);
    return asked;
  }

  private async ask(model: string, reader: ModelReader, onSend: () => void): Promise<ModelFacts | UnreadModel> {
    const { client, as, deadline, signal } = reader;
    try {
      const operation = client.catalogue.require(this.spec.kind, "get").name;
      const { value } = await client.call(operation, { as, deadline, signal, parameters: { name: model }, onSend });
      return modelFacts(this.spec, value);
    } catch (error) {
      if (signal.aborted || !isModelPlatformError(error)) throw error;
      return isNotFound(error) ? {} : { model, reason: client.redactor.text(messageOf(error)) };
    }
  }
}

/** What the lists of one account, and models of others, say of what is taken down. */
export interface ModelDates {
  retiring: Retiring[];
  unread: UnreadModel[];
  /** Requests that were sent for models of others. */
  requests: number;
  factsOf(model: string): ModelFacts | undefined;
}

/** Puts the lists of an account together, and reads the models that none of them has shown. */
export async function modelDates(
  lineages: readonly Lineage[],
  foreign: ForeignModels,
  reader: ModelReader,
): Promise<ModelDates> {
  const known = new Map<string, ModelFacts>(lineages.flatMap(({ models }) => Object.entries(models)));
  const made = lineages.flatMap((lineage) => lineage.made);
  const unread: UnreadModel[] = [];
  let requests = 0;
  const factsOf = async (model: string): Promise<ModelFacts> => {
    const listed = known.get(model);
    if (listed) return listed;
    const found = await foreign.find(model, reader, () => void requests++);
    if ("reason" in found) unread.push(found);
    const facts = "reason" in found ? {} : found;
    known.set(model, facts);
    return facts;
  };
  const seen = new Set<string>();
  const waiting = made.map(({ model }) => model);
  for (let model = waiting.pop(); model !== undefined; model = waiting.pop()) {
    if (seen.has(model)) continue;
    seen.add(model);
    const { base } = await factsOf(model);
    if (base !== undefined) waiting.push(base);
  }
  const retiring = made.flatMap(({ model, ...object }): Retiring[] => {
    const retirement = retirementOf(model, (name) => known.get(name));
    return retirement ? [{ ...object, ...retirement }] : [];
  });
  return { retiring, unread, requests, factsOf: (model) => known.get(model) };
}
