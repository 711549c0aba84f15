import type { Field } from "../../provider/core/fields/fields";
import type { Values } from "../values";

const enumValues = ({ values, item }: Field): readonly string[] => values ?? item?.values ?? [];

/** A value that means something else than `value`; undefined where the field gives no hold to make one. */
export function otherValue(field: Field, value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return otherText(field, value);
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.slice(1);
  if (value === null || value === undefined) return undefined;
  return field.type === "map" ? otherMap(field, value as Values) : otherMessage(field, value as Values);
}

function otherText(field: Field, value: string): string {
  if (field.markers.sameAs === "duration") return value === "77s" ? "78s" : "77s";
  if (field.format === "date-time") return value.startsWith("2032") ? "2033-01-01T00:00:00Z" : "2032-01-01T00:00:00Z";
  return (
    enumValues(field).find(
      (known) => known !== value && !known.endsWith("_UNSPECIFIED") && known !== field.markers.unsetValue,
    ) ?? `${value}9`
  );
}

function otherMap({ markers: { keyPrefix = "" }, item }: Field, value: Values): Values {
  const [key, member] = Object.entries(value).find(([name]) => name.startsWith(keyPrefix)) ?? [
    `${keyPrefix}new`,
    item!.type === "number" ? 0 : "x",
  ];
  return { ...value, [key]: otherValue(item!, member) };
}

function otherMessage(field: Field, value: Values): Values | undefined {
  const members = (field.fields ?? []).map((member) => [member.name, otherValue(member, value[member.name])] as const);
  const [changed] = members.filter(([, member]) => member !== undefined);
  return changed && { ...value, [changed[0]]: changed[1] };
}
