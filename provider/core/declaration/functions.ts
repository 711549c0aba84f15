import { type Field, fieldsOf } from "../fields/fields";
import { z } from "../zod";
import type { ResourceSpec } from "./resource";
import { observedFields, observedSummary } from "./surface";

/** What a function answers: one object of a kind, all of a collection, or a message of its own. */
export type FunctionResult = { one: string } | { all: string; as: string } | { message: z.ZodObject };

/** A function that programs can call. Its arguments are an operation's parameters and body, by name. */
export interface FunctionSpec {
  summary: string;
  /** Catalogue name of the operation, where it is not the function's own. */
  operation?: string;
  inputs: z.ZodObject;
  /** Kind whose inputs are arguments too; they are the message in the body. */
  inputsOfKind?: string;
  /** Query parameters that are always sent. */
  fixed?: Readonly<Record<string, boolean>>;
  answer: FunctionResult;
  /** Arguments of a call that shows what the function is for. */
  example: Readonly<Record<string, unknown>>;
}

/** A function with everything that its declaration refers to. */
interface FunctionShape {
  /** Judges arguments. */
  arguments: z.ZodObject;
  /** Fields of the answer. */
  outputs: readonly Field[];
}

export function functionShape(spec: FunctionSpec, specOf: (kind: string) => ResourceSpec | undefined): FunctionShape {
  const kind = (name: string): ResourceSpec => specOf(name)!;
  return {
    arguments: spec.inputsOfKind === undefined ? spec.inputs : kind(spec.inputsOfKind).inputs.extend(spec.inputs.shape),
    outputs: outputsOf(spec.answer, kind),
  };
}

function outputsOf(answer: FunctionResult, kind: (name: string) => ResourceSpec): readonly Field[] {
  if ("message" in answer) return fieldsOf(answer.message);
  if ("one" in answer) return observedFields(kind(answer.one));
  const [list, totalSize] = fieldsOf(
    z.object({
      [answer.as]: z
        .array(z.looseObject({}).meta({ id: `Observed${answer.all}` }))
        .describe("The objects, of all pages."),
      totalSize: z.int().optional().describe("How many objects there are, as the service counts them."),
    }),
  ) as [Field, Field];
  const spec = kind(answer.all);
  const item = { ...list.item!, description: observedSummary(spec), fields: observedFields(spec) };
  return [{ ...list, item }, totalSize];
}
