import type { Client } from "../api/types";
import { desiredFields, managedFields } from "../core/comparison/desired";
import { isNew } from "../core/declaration/own-fields";
import { modelIn, type NamedModel, type Preflight, shapeFailures, tuningFailures } from "../core/declaration/preflight";
import type { ResourceSpec } from "../core/declaration/resource";
import { modelFacts, retirementOf, retirementText, urgencyOf } from "../core/declaration/retirement";
import type { RuleFailure } from "../core/declaration/rules";
import { dayOf } from "../core/values/grouping";
import { isUnknown, valueAt } from "../core/values/values";
import { hooksOf } from "../kinds/index";
import type { ReadEntries } from "./memory/known-reads";
import type { Ports, PreflightSubject } from "./ports";
import { type AccountCatalogue, createReader, lineageOf, type ShapeRules } from "./preflight-reads";
import type { Values } from "./types";

/**
 * Checks before the first write: reads policy, models and shapes, and judges by them. Rejects if the service cannot be
 * reached.
 */
export function createPreflight(
  client: Client,
  { specs, now, known }: { specs: readonly ResourceSpec[]; now: () => number; known?: ReadEntries | undefined },
): Ports["preflight"] {
  const reader = createReader(client, specs, known);
  const governance = specs.find((spec) => hooksOf(spec).policyViolations)!;
  /** Policies that the program itself declares; resources that depend on one are judged by it. */
  const declared = new Map<string, PreflightSubject>();

  async function judgeNew(
    catalogue: AccountCatalogue,
    { account, inputs }: PreflightSubject,
    rules: Preflight,
  ): Promise<RuleFailure[]> {
    const live = (await catalogue.get(governance.kind, governance.name.replace("{account}", account))) ?? {};
    const own = declared.get(account);
    const policy = own
      ? { ...live, ...desiredFields(governance, own.inputs, managedFields(governance, own.olds)) }
      : live;
    const forbidden = hooksOf(governance).policyViolations!(policy, rules, inputs);
    const model = modelIn(rules, inputs);
    if (!model) return forbidden;
    const { line, whole } = await lineageOf(catalogue, rules, model);
    if (line.length === 0 && (await catalogue.isMissing(rules.model.kind, model.name)))
      catalogue.warnings.push(
        `\`${model.path}\`: preflight finds no model ${model.name}; unless this run makes it, the service refuses it`,
      );
    return [
      ...forbidden,
      ...(whole ? tuningFailures(rules, model, line.at(-1)!, inputs) : []),
      ...retirementFailures(catalogue, model, line),
    ];
  }

  /** By the models that are read anyway. A warning until it is an error. */
  function retirementFailures(
    catalogue: AccountCatalogue,
    { path, name }: NamedModel,
    line: readonly Values[],
  ): RuleFailure[] {
    const spec = specs.find(({ retires }) => retires !== undefined)!;
    const facts = new Map(line.map((model) => [String(model["name"]), modelFacts(spec, model)]));
    const today = dayOf(now());
    const retirement = retirementOf(name, (model) => facts.get(model));
    const urgency = retirement && urgencyOf(retirement.day, today, client.settings.retirementNotice);
    if (!retirement || !urgency) return [];
    const reason = `${retirementText(retirement, today)}. Choose another model`;
    if (urgency === "error") return [{ path, reason }];
    catalogue.warnings.push(`\`${path}\`: ${reason}`);
    return [];
  }

  async function judgeShape(
    catalogue: AccountCatalogue,
    { spec, account, inputs }: PreflightSubject,
    rules: Preflight,
  ): Promise<RuleFailure[]> {
    const { shape } = rules;
    const model = modelIn(rules, inputs);
    const input = shape && inputs[shape.at];
    if (!shape || !model || typeof input !== "string" || input === "" || isUnknown(input)) return [];
    const fields = [...spec.fields.message, ...spec.fields.directives];
    const owned = fields.filter((field) => field.markers.ownedBy?.field === shape.at);
    const isAny = fields.find((field) => field.name === shape.at)?.markers.anyValue === input;
    const named = isAny ? undefined : await catalogue.version(shape, input, account);
    if (!isAny && !named) {
      if (!catalogue.isPartial())
        catalogue.warnings.push(
          `\`${shape.at}\`: preflight finds no validated version of the shape ${input}; the service may refuse it`,
        );
      return [];
    }
    const { line } = await lineageOf(catalogue, rules, model);
    const models = line.length === 0 ? [model.name] : line.map((each) => String(each["name"]));
    if (named) catalogue.warnings.push(...warningsOfForeign(shape, named, models));
    if (named && shapeFailures(shape, owned, inputs, { named, compatible: [] }).length === 0) return [];
    const compatible = await catalogue.compatible(shape, models);
    return shapeFailures(shape, owned, inputs, { compatible, named });
  }

  /** The service rejects such a combination late, and without a reason. */
  async function judgeHardware(
    catalogue: AccountCatalogue,
    { inputs }: PreflightSubject,
    rules: Preflight,
  ): Promise<void> {
    const { shape } = rules;
    const model = modelIn(rules, inputs);
    if (!shape || !model || !shape.hardware.some((name) => inputs[name] !== undefined)) return;
    const { line } = await lineageOf(catalogue, rules, model);
    const models = line.length === 0 ? [model.name] : line.map((each) => String(each["name"]));
    const mismatch = unvalidatedHardware(shape, await catalogue.compatible(shape, models), inputs);
    if (mismatch)
      catalogue.warnings.push(
        `${mismatch.requested}: preflight finds no validated shape for ${models[0]!} that has this, and without one a deployment typically fails. There is ${mismatch.validated}`,
      );
  }

  return async (subject) => {
    const { spec, account, olds, inputs, signal } = subject;
    if (spec === governance) declared.set(account, subject);
    const rules = spec.preflight;
    if (!rules) return { failures: [], warnings: [] };
    const catalogue = reader(account, signal);
    const creates = isNew(olds);
    const isReshaped = rules.shape !== undefined && olds[rules.shape.at] !== inputs[rules.shape.at];
    const failures = [
      ...(creates ? await judgeNew(catalogue, subject, rules) : []),
      ...(creates || isReshaped ? await judgeShape(catalogue, subject, rules) : []),
    ];
    if (creates) await judgeHardware(catalogue, subject, rules);
    return {
      failures: failures.map(({ path, reason }) => ({ property: path, reason: `${reason} (preflight)` })),
      warnings: catalogue.warnings,
    };
  };
}

/** A shape serves the model that it is made for, and addons of that model. */
function warningsOfForeign(shape: ShapeRules, version: Values, models: readonly string[]): string[] {
  const own = valueAt(version, shape.model);
  if (typeof own !== "string" || own === "" || models.includes(own)) return [];
  return [
    `\`${shape.at}\`: ${String(version["name"])} is a shape for ${own}, not for ${models[0]!}; the service may refuse it`,
  ];
}

/**
 * What a program without a shape asks for of the hardware that none of the validated `versions` has together; undefined
 * where one has, or nothing is asked for.
 */
function unvalidatedHardware(
  { at, snapshot, hardware }: NonNullable<Preflight["shape"]>,
  versions: readonly Values[],
  inputs: Values,
): { requested: string; validated: string } | undefined {
  const isProvided = (name: string): boolean => ![undefined, null, "", 0].includes(inputs[name] as never);
  const requested = hardware.filter((name) => isProvided(name) && !isUnknown(inputs[name]));
  if (isProvided(at) || requested.length === 0 || versions.length === 0) return undefined;
  const textOf = (of: Values): string => requested.map((name) => `\`${name}\` ${String(of[name])}`).join(", ");
  const snapshots = versions.map((version) => (version[snapshot] ?? {}) as Values);
  if (snapshots.some((each) => requested.every((name) => each[name] === undefined || each[name] === inputs[name])))
    return undefined;
  return { requested: textOf(inputs), validated: [...new Set(snapshots.map(textOf))].join("; ") };
}
