import { ListValue, NullValue, Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import type { Json, PropertyMap } from "../../state/types";
import { containsUnknowns, isUnknown, mapObject, stripSecrets, withoutReferences } from "./values";

/** Reads a message's properties; none at all is an empty map. Keys such as `__proto__` become ordinary members. */
export function fromStruct(struct: Struct | undefined): PropertyMap {
  const entries: [string, Json][] = [];
  struct?.getFieldsMap().forEach((value: Value, key: string) => entries.push([key, fromValue(value)]));
  return Object.fromEntries(entries);
}

export function fromValue(value: Value): Json {
  switch (value.getKindCase()) {
    case Value.KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case Value.KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case Value.KindCase.STRING_VALUE:
      return value.getStringValue();
    case Value.KindCase.LIST_VALUE:
      return (value.getListValue()?.getValuesList() ?? []).map(fromValue);
    case Value.KindCase.STRUCT_VALUE:
      return fromStruct(value.getStructValue());
    default:
      return null;
  }
}

export function toStruct(properties: PropertyMap): Struct {
  const struct = new Struct();
  const fields = struct.getFieldsMap();
  for (const [key, value] of Object.entries(properties)) fields.set(key, toValue(value));
  return struct;
}

function toValue(json: Json): Value {
  const value = new Value();
  if (json === null) value.setNullValue(NullValue.NULL_VALUE);
  else if (typeof json === "boolean") value.setBoolValue(json);
  else if (typeof json === "number") value.setNumberValue(json);
  else if (typeof json === "string") value.setStringValue(json);
  else if (Array.isArray(json)) value.setListValue(new ListValue().setValuesList(json.map(toValue)));
  else value.setStructValue(toStruct(json));
  return value;
}

/** Properties for a receiver that declares what it understands. */
export function forReceiver(properties: PropertyMap, accepts: { secrets: boolean; references: boolean }): PropertyMap {
  return mapObject(properties, (value) => {
    const opened = accepts.secrets ? value : stripSecrets(value);
    return accepts.references ? opened : withoutReferences(opened);
  });
}

/** For a provider that understands neither secrets nor references, as the dynamic one. */
export const forProvider = (properties: PropertyMap): PropertyMap =>
  forReceiver(properties, { secrets: false, references: false });

/** A provider's answer: unknowns are only its business during a preview. */
export function fromProvider(struct: Struct | undefined, what: string, preview: boolean): PropertyMap {
  const properties = fromStruct(struct);
  if (preview) return properties;
  const open = Object.entries(properties).find(([, value]) => isUnknown(value) || containsUnknowns(value));
  if (open)
    throw new Error(`${what} answered an unknown value for the property "${open[0]}"; only a preview may have those`);
  return properties;
}
