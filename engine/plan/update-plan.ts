import { ceilings, readText, UnreadableFileError } from "../../io/files/read";
import { replaceFile } from "../../io/files/write";
import { isObject } from "../state/resource-state";
import type { Step } from "./steps";

type StepOp = Step["op"];

/** The steps of a preview, by URN and in order. An update that is held to a plan does nothing beyond it. */
export type UpdatePlan = Readonly<Record<string, readonly StepOp[]>>;

/** Steps allowed instead of a planned one. */
const alternatives: Partial<Record<StepOp, readonly StepOp[]>> = {
  create: ["same"],
  update: ["same"],
  replace: ["same", "update"],
  "create-replacement": ["same", "update"],
  "delete-replaced": ["same", "update"],
};

/** Records the steps of an operation, and enforces a plan if there is one. */
export class PlanEnforcer {
  private readonly proposed = new Map<string, StepOp[]>();
  private readonly left: Map<string, StepOp[]> | undefined;

  constructor(plan: UpdatePlan | undefined) {
    this.left = plan && new Map(Object.entries(plan).map(([urn, ops]) => [urn, [...ops]]));
  }

  /** Every step so far. */
  get plan(): UpdatePlan {
    return Object.fromEntries(this.proposed);
  }

  /** Records a step that is about to start. Returns why the plan forbids it, if it does. */
  objectionTo(op: StepOp, urn: string): string | undefined {
    const before = this.proposed.get(urn);
    if (before) before.push(op);
    else this.proposed.set(urn, [op]);
    if (this.left === undefined) return undefined;
    const expected = this.left.get(urn);
    if (expected === undefined) return op === "same" ? undefined : "it has no step for this resource";
    const next = expected.shift();
    if (next === undefined) return "it has no further step for this resource";
    return next === op || alternatives[next]?.includes(op) === true ? undefined : `it says ${next}`;
  }

  /** Planned steps that were not carried out, by URN. */
  get missed(): [urn: string, ops: readonly StepOp[]][] {
    return [...(this.left ?? [])].filter(([, ops]) => ops.length > 0);
  }
}

/** Steps that the Pulumi CLI's plans distinguish and this engine does not. */
const synonyms: Readonly<Record<string, string>> = {
  "read-discard": "discard",
  "discard-replaced": "discard",
  "read-replacement": "read",
};

/** Writes the plan in the format of Pulumi's plan file, with the steps of each resource and no values. */
export async function writePlan(path: string, plan: UpdatePlan, time: Date): Promise<void> {
  const resourcePlans = Object.fromEntries(Object.entries(plan).map(([urn, steps]) => [urn, { steps }]));
  const document = { manifest: { time: time.toISOString(), magic: "", version: "" }, resourcePlans };
  replaceFile(path, `${JSON.stringify(document, null, 4)}\n`);
}

/** Reads the steps of a plan, from a file of this engine or of the Pulumi CLI. */
export async function readPlan(path: string): Promise<UpdatePlan> {
  const text = await readText(path, ceilings.document, { fromUser: true }).catch((cause: unknown) => {
    if (cause instanceof UnreadableFileError) throw cause;
    throw new Error(`The plan ${path} cannot be read. Make it with \`preview --save-plan\`.`, { cause });
  });
  const plans = resourcePlansIn(text);
  if (plans === undefined) throw new Error(`${path} is not a plan as \`preview --save-plan\` writes it.`);
  return Object.fromEntries(
    Object.entries(plans).map(([urn, plan]) => {
      const steps = isObject(plan) && Array.isArray(plan["steps"]) ? plan["steps"].map(String) : [];
      return [urn, steps.map((step) => synonyms[step] ?? step)];
    }),
  ) as UpdatePlan;
}

function resourcePlansIn(text: string): { [urn: string]: unknown } | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const plans = isObject(document) ? document["resourcePlans"] : undefined;
    return isObject(plans) ? plans : undefined;
  } catch {
    return undefined;
  }
}
