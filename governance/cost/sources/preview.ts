import { messageOf } from "../../../provider/core/errors";
import { memberOf, resourceTypeIn } from "../../../provider/core/fields/tokens";
import { isObject, type Values } from "../../../provider/core/values/values";
import { specOf } from "../../../provider/resources/index";
import type { EngineStep, State } from "./changes";

/** What is wrong with a document that costs are to be read from. */
class UnreadableDocument extends Error {
  override readonly name = "UnreadableDocument";
}

/**
 * The steps of `pulumi preview --json`, in one document or as a stream of events, or of this package's own `preview
 * --json`. Throws `UnreadableDocument` for anything else.
 */
export function previewSteps(text: string): EngineStep[] {
  const steps = isOneDocument(text) ? digestSteps(parsed(text)) : text.split("\n").flatMap(eventSteps);
  requireOurs(steps, "The preview");
  return steps;
}

/** A document that only holds what other providers made says nothing of this one's costs. */
function requireOurs(steps: readonly EngineStep[], what: string): void {
  const types = steps.map((step) => typeOf(step)).filter((type) => !type.startsWith("pulumi:"));
  if (types.length > 0 && types.every((type) => memberOf(type) === undefined))
    throw new UnreadableDocument(
      `${what} has no resource of this package, only of others, such as ${JSON.stringify(types[0])}. Give one of a program that uses pulumi-modelplatform.`,
    );
}

const typeOf = ({ new: fresh, old, urn }: EngineStep): string => (fresh ?? old)?.type ?? resourceTypeIn(urn);

function isOneDocument(text: string): boolean {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "");
  return rest.length === 0 ? !first.includes('"kind"') && !first.includes('"sequence"') : !/^\s*\{.*\}\s*$/.test(first);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableDocument(
      `The preview is not JSON: ${messageOf(cause)}. Write it with \`pulumi preview --json\`.`,
    );
  }
}

const unknownForm = (why: string): UnreadableDocument =>
  new UnreadableDocument(
    `The preview is of a form that this version does not know: ${why}. Write it with \`pulumi preview --json\` of Pulumi 3.`,
  );

const versionKeys = ["version", "schemaVersion", "apiVersion"];
const digestKeys = ["steps", "changeSummary", "duration", "diagnostics", "config"];

function digestSteps(document: unknown): EngineStep[] {
  if (!isObject(document)) throw unknownForm("it is no object");
  const version = versionKeys.find((key) => document[key] !== undefined);
  if (version !== undefined) throw unknownForm(`it has \`${version}\` ${JSON.stringify(document[version])}`);
  if (!digestKeys.some((key) => document[key] !== undefined)) throw unknownForm("it has no `steps`");
  const steps = document["steps"] ?? [];
  if (!Array.isArray(steps)) throw unknownForm("its `steps` are no list");
  return steps.map((step, index) => stepIn(step, `steps[${index}]`, "oldState", "newState"));
}

function stepIn(step: unknown, place: string, old: string, fresh: string): EngineStep {
  if (!isObject(step) || typeof step["op"] !== "string" || typeof step["urn"] !== "string")
    throw unknownForm(`\`${place}\` has no \`op\` and \`urn\``);
  const { op, urn } = step;
  return { op, urn, old: stateIn(step[old], step), new: stateIn(step[fresh], step) };
}

function stateIn(state: unknown, { urn, type }: Values): State | undefined {
  if (!isObject(state)) return undefined;
  const own = state["type"] ?? type;
  const { id, inputs, outputs, external, delete: old } = state;
  return {
    urn: String(urn),
    type: typeof own === "string" ? own : resourceTypeIn(String(urn)),
    id: typeof id === "string" ? id : undefined,
    inputs: isObject(inputs) ? inputs : undefined,
    outputs: isObject(outputs) ? outputs : undefined,
    external: external === true,
    delete: old === true,
  };
}

/** A line of a stream: this package's events have a `kind`, Pulumi's a `sequence`. */
function eventSteps(line: string): EngineStep[] {
  if (line.trim() === "") return [];
  const event = parsed(line);
  if (!isObject(event)) throw unknownForm("a line of it is no object");
  const step = event["step"];
  if (event["kind"] === "stepFinished") return [stepIn(step, "step", "old", "new")];
  const { resourcePreEvent: announced } = event;
  if (isObject(announced)) return [stepIn(announced["metadata"], "resourcePreEvent.metadata", "old", "new")];
  if (event["kind"] === undefined && event["sequence"] === undefined && event["result"] === undefined)
    throw unknownForm("a line of it is no event");
  return [];
}

/**
 * The steps of a plan that `pulumi preview --save-plan` wrote. It holds only what differs, so that `states`, the
 * stack's resources by URN, say the rest. Throws `UnreadableDocument` where they do not.
 */
export function planSteps(text: string, states: ReadonlyMap<string, State>): EngineStep[] {
  const plans = plansIn(text);
  const steps = Object.entries(plans).flatMap(([urn, plan]) => stepsOf(urn, isObject(plan) ? plan : {}, states));
  requireOurs(steps, "The plan");
  return steps;
}

function plansIn(text: string): Values {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new UnreadableDocument("The plan is not JSON. Write it with `pulumi preview --save-plan`.");
  }
  const plans = isObject(document) ? document["resourcePlans"] : undefined;
  if (!isObject(plans) || (document as Values)["version"] !== undefined)
    throw new UnreadableDocument(
      "The plan is of a form that this version does not know. Write it with `pulumi preview --save-plan` of Pulumi 3.",
    );
  return plans;
}

function stepsOf(urn: string, plan: Values, states: ReadonlyMap<string, State>): EngineStep[] {
  const ops = Array.isArray(plan["steps"]) ? plan["steps"].map(String) : [];
  const old = states.get(urn);
  const goal = plan["goal"];
  const type = old?.type ?? (isObject(goal) ? String(goal["type"]) : resourceTypeIn(urn));
  const isPaidFor = specOf(memberOf(type) ?? "")?.billing !== undefined;
  const op = ops.find((each) => each !== "delete-replaced") ?? "same";
  if (!isPaidFor) return [{ op, urn, old: old ?? { urn, type } }];
  if (op === "delete" || op === "same")
    return old ? [{ op, urn, old, new: op === "same" ? old : undefined }] : [needsState(urn, op)];
  if (!isObject(goal))
    throw new UnreadableDocument(
      `The plan does not say what ${urn} will be: the built-in engine writes steps without values. Give --preview-json, or a plan of the Pulumi CLI.`,
    );
  if (op !== "create" && !old) return [needsState(urn, op)];
  const inputs = withDifference(old?.inputs ?? {}, goal["inputDiff"]);
  return [{ op, urn, old, new: { urn, type, inputs } }];
}

function needsState(urn: string, op: string): never {
  throw new UnreadableDocument(
    `The plan has the step ${op} for ${urn}, and says only what differs. Give the stack's state as well, with --stack-file, --backend or --stack.`,
  );
}

function withDifference(inputs: Values, difference: unknown): Values {
  const { adds = {}, updates = {}, deletes = [] } = (isObject(difference) ? difference : {}) as Record<string, unknown>;
  const gone = new Set(Array.isArray(deletes) ? deletes.map(String) : []);
  const kept = Object.fromEntries(Object.entries(inputs).filter(([name]) => !gone.has(name)));
  return Object.assign({}, kept, ...[adds, updates].filter(isObject)) as Values;
}
