import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { defined } from "../../provider/core/values/defined";
import { accountOf } from "../../provider/core/values/names";
import { hasOutlived } from "../../provider/lifecycle/reading/read";
import type { RecordedObject } from "./recorded-object";

/**
 * What finished objects of an account have made of a kind, such as the output models of jobs (A073): it is expected to
 * be there, and to be as private as the service makes it. What a stack manages itself is judged by that.
 */
export function producedObjects(
  objects: readonly RecordedObject[],
  spec: ResourceSpec,
  account: string,
): RecordedObject[] {
  const managed = new Set(objects.map(({ name }) => name));
  return objects.flatMap((maker) => {
    const { produces } = maker.spec;
    const name = produces?.kind === spec.kind ? maker.outputs[produces.name] : undefined;
    const isExpected =
      typeof name === "string" &&
      accountOf(name) === account &&
      !managed.has(name) &&
      maker.pending === undefined &&
      hasOutlived(maker, maker.outputs);
    if (!isExpected) return [];
    const { accountId, endpoint } = maker.outputs;
    const outputs = { name, accepted: {}, ...defined({ accountId, endpoint }) };
    const { failure: _, referredBy: __, ...about } = maker;
    return [{ ...about, spec, name, inputs: {}, outputs, ignoreChanges: [], isProduced: true }];
  });
}
