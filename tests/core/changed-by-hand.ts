import type { Field } from "../../provider/core/fields/fields";
import type { Values } from "../values";
import { otherValue } from "./other-values";

/** Another live value of what the program manages; undefined where it manages nothing that could be compared. */
export function changedByHand(field: Field, input: unknown, live: unknown): unknown {
  const { recordedOnly, deprecated, inputOnly, volatile, whole } = field.markers;
  if (input === undefined || input === null || recordedOnly || deprecated !== undefined || inputOnly || volatile)
    return undefined;
  return otherValue(field, whole ? (live ?? input) : managedPart(field, input, live));
}

/** Of a message, the members that the program sets. */
function managedPart(field: Field, input: unknown, live: unknown): unknown {
  if (field.type !== "object") return live ?? input;
  const members = Object.entries(input as Values).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      managedPart(
        field.fields!.find((each) => each.name === name)!,
        member,
        (live as Values | null | undefined)?.[name],
      ),
    ]),
  );
}
