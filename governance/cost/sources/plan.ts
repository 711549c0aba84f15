import { memberOf } from "../../../provider/core/fields/tokens";
import { isObject, type Values } from "../../../provider/core/values/values";
import { specOf } from "../../../provider/resources/index";
import type { EngineStep, State } from "./changes";
import { requireOurs, typeIn, UnreadableDocument } from "./preview-json";

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
  const type = old?.type ?? (isObject(goal) ? String(goal["type"]) : typeIn(urn));
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
