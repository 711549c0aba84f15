import { deflateRawSync, inflateRawSync } from "node:zlib";
import { specOf } from "../../provider/resources/index";
import type { RecordedObject, RecordedStack } from "./recorded-object";

/**
 * The stack in a twentieth of the memory: its objects are made anew whenever they are asked for, so that a scan of many
 * stacks holds those that it is comparing, and no others.
 */
export function packed({ objects, ...stack }: RecordedStack): RecordedStack {
  const bytes = deflateRawSync(JSON.stringify(objects.map(({ spec, ...object }) => [spec.kind, object])), { level: 1 });
  return {
    ...stack,
    get objects() {
      return unpacked(bytes);
    },
  };
}

const unpacked = (bytes: Uint8Array): RecordedObject[] =>
  (JSON.parse(inflateRawSync(bytes).toString("utf8")) as [kind: string, object: Omit<RecordedObject, "spec">][]).map(
    ([kind, object]) => ({ spec: specOf(kind)!, ...object }),
  );
