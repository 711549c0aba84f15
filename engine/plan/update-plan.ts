import type { Step } from "./steps";

type StepOp = Step["op"];

/** The steps of a preview, by URN and in order. An update that is held to a plan does nothing beyond it. */
export type UpdatePlan = Readonly<Record<string, readonly StepOp[]>>;

/** Steps that may replace a planned one: the same, or less. */
const instead: Partial<Record<StepOp, readonly StepOp[]>> = {
  create: ["same"],
  update: ["same"],
  replace: ["same", "update"],
  "create-replacement": ["same", "update"],
  "delete-replaced": ["same", "update"],
};

/** Records the steps of an operation, and enforces a plan if there is one. */
export class PlanKeeper {
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
    return next === op || instead[next]?.includes(op) === true ? undefined : `it says ${next}`;
  }

  /** Planned steps that were not carried out, by URN. */
  get missed(): [urn: string, ops: readonly StepOp[]][] {
    return [...(this.left ?? [])].filter(([, ops]) => ops.length > 0);
  }
}
