import type { ResourceSpec } from "../../provider/core/declaration/resource";
import {
  baseModelOf,
  type ModelFacts,
  modelFacts,
  modelPaths,
  retirementOf,
  retirementText,
  undatedOf,
  urgencyOf,
} from "../../provider/core/declaration/retirement";
import { isTerminal } from "../../provider/core/declaration/states";
import { settingDefaults, settingVariable } from "../../provider/core/settings";
import { isObject, type Values, valueAt } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { managedSpecs, specOf } from "../../provider/resources/index";
import { isUnjudged, onceKnown, textIn, Unjudged } from "./read-values";
import { type Declared, type Guardrail, type Objection, objectionTo, type PolicyContext, unjudged } from "./rule";

const Notice = z.object({
  days: z
    .int()
    .min(0)
    .optional()
    .describe(
      `Days before the date from which on it objects. Absent: \`${settingVariable("retirementDays")}\`, or 90.`,
    ),
  errorDays: z
    .int()
    .min(0)
    .optional()
    .describe(
      `Days before the date from which on the objection is mandatory, and advisory until then. Absent: \`${settingVariable("retirementErrorDays")}\`, or the rule's level throughout.`,
    ),
  dates: z
    .record(z.string(), z.iso.date())
    .default({})
    .describe("Dates, `YYYY-MM-DD`, of models that the stack does not declare, by resource name."),
});

export const retiringModel: Guardrail<typeof Notice> = {
  name: "retiring-model",
  description: "Nothing is made from a model that is soon taken down.",
  live: "by the dates that models have at the service",
  level: "advisory",
  get config() {
    return Notice;
  },
  ofStack: true,
  kinds: managedSpecs.filter((spec) => modelPaths(spec).length > 0).map(({ kind }) => kind),
  objections: (declared, { dates, ...noticeDays }, context) => {
    const notice = {
      days: noticeDays.days ?? daysIn(context, "retirementDays") ?? settingDefaults.retirementDays,
      errorDays: noticeDays.errorDays ?? daysIn(context, "retirementErrorDays"),
    };
    const models = context.modelOf ?? modelsAmong(declared);
    const modelOf = (name: string): ModelFacts | undefined =>
      Object.hasOwn(dates, name) ? { ...models(name), day: dates[name]!, unknownDay: undefined } : models(name);
    return declared
      .filter(({ kind }) => retiringModel.kinds.includes(kind))
      .flatMap((resource) => objectionsTo(resource, modelOf, notice, context.day));
  },
};

function daysIn({ env }: PolicyContext, setting: string): number | undefined {
  const text = env[settingVariable(setting)] ?? "";
  if (text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`${settingVariable(setting)} is not a number of days.`);
}

function objectionsTo(
  resource: Declared,
  modelOf: (name: string) => ModelFacts | undefined,
  notice: { days: number; errorDays: number | undefined },
  today: string,
): Objection[] {
  const spec = specOf(resource.kind)!;
  const values = knownOf(resource.inputs);
  const unread = isTerminal(spec, values) ? undefined : unreadModel(spec, values);
  if (unread) return [unjudged(resource, unread)];
  const model = isTerminal(spec, values) ? undefined : baseModelOf(spec, values);
  const retirement = model === undefined ? undefined : retirementOf(model, modelOf);
  const urgency = retirement && urgencyOf(retirement.day, today, notice);
  if (!retirement || !urgency) {
    const undated = model === undefined ? undefined : undatedOf(model, modelOf);
    return undated ? [unjudged(resource, undatedText(undated))] : [];
  }
  const says = `${retirementText(retirement, today)}. Move it to another model, or accept it until then.`;
  const ownLevel = urgency === "error" ? "mandatory" : "advisory";
  return [{ ...objectionTo(resource, says), level: notice.errorDays === undefined ? undefined : ownLevel }];
}

const undatedText = ({ model, why }: { model: string; why: string }): Unjudged =>
  new Unjudged(
    `is made from ${model}, and whether that is taken down is not known: ${why.replace(/\.$/, "")}. Name its day in the rule's \`dates\`.`,
  );

/** A model that is not text: nothing is known of it. */
function unreadModel(spec: ResourceSpec, values: Values): Unjudged | undefined {
  return onceKnown(() =>
    modelPaths(spec)
      .map((path) => textIn(path, valueAt(values, path)))
      .find(isUnjudged),
  );
}

/** The models that the program itself declares, by resource name. */
function modelsAmong(declared: readonly Declared[]): (name: string) => ModelFacts | undefined {
  const models = new Map<string, ModelFacts>();
  for (const { kind, inputs } of declared) {
    const spec = specOf(kind);
    if (spec?.retires === undefined) continue;
    const values = knownOf(inputs);
    const [account, id] = [values["accountId"], values[spec.fields.resourceId!.name]];
    const isNamed = typeof account === "string" && typeof id === "string";
    const name = values["name"] ?? (isNamed ? `accounts/${account}/${spec.collection}/${id}` : undefined);
    if (typeof name === "string") models.set(name, modelFacts(spec, values));
  }
  return (name) => models.get(name);
}

/** Without what a preview does not know yet: reading that throws. */
function knownOf(values: Values): Values {
  const names = Object.keys(values).filter((name) => !name.startsWith("__"));
  return Object.fromEntries(
    names.flatMap((name) => {
      try {
        const value = values[name];
        return [[name, isObject(value) ? knownOf(value) : value]];
      } catch {
        return [];
      }
    }),
  );
}
