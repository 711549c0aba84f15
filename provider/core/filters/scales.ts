import { durationSeconds } from "../fields/equality";
import type { Field } from "../fields/fields";

/** How values of a field are put on a scale. `unset` is where an absent one stands; without it, nowhere. */
export interface Scale {
  read(text: string): number | bigint | undefined;
  unset?: number | bigint;
  wants: string;
}

const finite = (number: number): number | undefined => (Number.isFinite(number) ? number : undefined);
const numberOf = (text: string): number | undefined => (text.trim() === "" ? undefined : finite(Number(text)));

const scales = {
  number: { read: numberOf, unset: 0, wants: "a number" },
  float32: { read: (text) => finite(Math.fround(numberOf(text) ?? Number.NaN)), unset: 0, wants: "a number" },
  int64: { read: (text) => (/^-?\d+$/.test(text) ? BigInt(text) : undefined), unset: 0n, wants: "a whole number" },
  time: {
    read: (text) => (/^\d{4}-\d\d-\d\d([Tt ]|$)/.test(text) ? finite(Date.parse(text)) : undefined),
    wants: 'a time such as "2030-01-31T00:00:00Z"',
  },
  duration: { read: (text) => finite(durationSeconds(text)), wants: "a duration such as 300s" },
} satisfies Record<string, Scale>;

/**
 * The scale of a field's values; undefined for plain text, which is ordered by code units, and for what has no order.
 */
export function scaleOf(field: Field): Scale | undefined {
  if (field.type === "number" || field.type === "integer")
    return field.markers.float32 ? scales.float32 : scales.number;
  if (field.format === "int64") return scales.int64;
  if (field.format === "date-time") return scales.time;
  return field.markers.sameAs === "duration" ? scales.duration : undefined;
}
