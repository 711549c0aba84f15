import { ListValue, NullValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";

/**
 * A value as Pulumi's protocol carries it: plain JSON, with signature objects for secrets, assets, references and
 * outputs.
 */
export type PropertyJson = null | boolean | number | string | PropertyJson[] | { [key: string]: PropertyJson };

/**
 * Reads a message's properties; undefined is an empty map. Keys such as `__proto__` become ordinary members. Throws
 * for more than `most` values, at any depth.
 */
export function fromStruct(
  struct: Struct | undefined,
  most = Number.POSITIVE_INFINITY,
): { [key: string]: PropertyJson } {
  return membersOf(struct, { most, left: most });
}

interface Budget {
  readonly most: number;
  left: number;
}

function membersOf(struct: Struct | undefined, budget: Budget): { [key: string]: PropertyJson } {
  const entries: [string, PropertyJson][] = [];
  struct?.getFieldsMap().forEach((value: Value, key: string) => entries.push([key, fromValue(value, budget)]));
  return Object.fromEntries(entries);
}

function fromValue(value: Value, budget: Budget): PropertyJson {
  budget.left -= 1;
  if (budget.left < 0)
    throw new Error(
      `the call has more than ${budget.most.toLocaleString("en-US")} values, and is not judged. Look for a list or a map that the program fills without end`,
    );
  switch (value.getKindCase()) {
    case Value.KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case Value.KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case Value.KindCase.STRING_VALUE:
      return value.getStringValue();
    case Value.KindCase.LIST_VALUE:
      return (value.getListValue()?.getValuesList() ?? []).map((item) => fromValue(item, budget));
    case Value.KindCase.STRUCT_VALUE:
      return membersOf(value.getStructValue(), budget);
    default:
      return null;
  }
}

export function toStruct(properties: { readonly [key: string]: PropertyJson }): Struct {
  const struct = new Struct();
  const fields = struct.getFieldsMap();
  for (const [key, value] of Object.entries(properties)) fields.set(key, toValue(value));
  return struct;
}

function toValue(json: PropertyJson): Value {
  const value = new Value();
  if (json === null) value.setNullValue(NullValue.NULL_VALUE);
  else if (typeof json === "boolean") value.setBoolValue(json);
  else if (typeof json === "number") value.setNumberValue(json);
  else if (typeof json === "string") value.setStringValue(json);
  else if (Array.isArray(json)) value.setListValue(new ListValue().setValuesList(json.map(toValue)));
  else value.setStructValue(toStruct(json));
  return value;
}
