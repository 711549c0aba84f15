import { readFile } from "node:fs/promises";
import { replaceFile } from "../io/files/write";
import type { UpdatePlan } from "./plan/update-plan";
import { isObject } from "./state/types";

/** Steps that the Pulumi CLI's plans distinguish and this engine does not. */
const synonyms: Readonly<Record<string, string>> = {
  "read-discard": "discard",
  "discard-replaced": "discard",
  "read-replacement": "read",
};

/** Writes the plan in the frame of Pulumi's plan file: the steps of each resource, and no values. */
export async function writePlan(path: string, plan: UpdatePlan, time: Date): Promise<void> {
  const resourcePlans = Object.fromEntries(Object.entries(plan).map(([urn, steps]) => [urn, { steps }]));
  const document = { manifest: { time: time.toISOString(), magic: "", version: "" }, resourcePlans };
  replaceFile(path, `${JSON.stringify(document, null, 4)}\n`);
}

/** Reads the steps of a plan, from a file of this engine or of the Pulumi CLI. */
export async function readPlan(path: string): Promise<UpdatePlan> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
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
