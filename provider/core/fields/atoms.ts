import { z } from "../zod";
import { field } from "./fields";

const count = (text: string): number => [...text].length;

/** Text of fewer than `limit` characters, counted as code points (A002). */
export const textBelow = (limit: number) =>
  z
    .string()
    .refine((text) => count(text) < limit, { error: `must have fewer than ${limit} characters` })
    .meta({ maxLength: limit - 1 });

export const TextField = z.string();
export const BooleanField = z.boolean();
/** The name of an object, which is its Pulumi id as well. */
export const ObjectName = field(TextField, { follows: { template: "{name}" } });
export const Float = field(z.number(), { float32: true });
/** No integer of the service's messages is negative (A007). */
export const NonNegativeInt = z.int().min(0);
export const Timestamp = z.string().meta({ format: "date-time" });

/** A time that a program gives (RFC 3339). */
export const InputTimestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i, {
    error: "must be a time such as `2030-01-31T00:00:00Z`",
  })
  .meta({ format: "date-time" });

/** A 64-bit integer, which JSON carries as a string (A074). */
export const Int64 = z
  .string()
  .regex(/^-?\d+$/, { error: "must be a whole number written as a string" })
  .meta({ format: "int64" });

/** A time span: `300s` as the service writes it, or with `m`, `h`, `d` (A045). */
export const Duration = field(
  z.string().regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, { error: "must be a duration such as `300s`, `5m` or `1h`" }),
  { sameAs: "duration" },
);

/** The last segment of a resource name (A016). */
export const ResourceId = field(
  z.string().regex(/^[^/?#%\s]+$/, { error: "must be a single path segment, without `/`, `?`, `#`, `%` or spaces" }),
  {
    convention: {
      number: "A016",
      pattern: /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
      rule: "should start with a lower-case letter, hold lower-case letters, digits and hyphens, and have at most 63 characters",
    },
  },
);

/** The name of another object of the account, `accounts/{account}/{collection}/{id}`. */
export const nameOf = (collection: string) => field(z.string(), { refersTo: { collection } });

/** Required variant: rejects the empty string. */
export const requiredReferenceTo = (collection: string) => field(z.string().min(1), { refersTo: { collection } });

/** The name of an object that may be another account's, where that is public. */
export const publicNameOf = (collection: string) => field(z.string(), { refersTo: { collection, ofAnyAccount: true } });

/** Required variant. */
export const requiredPublicReferenceTo = (collection: string) =>
  field(z.string().min(1), { refersTo: { collection, ofAnyAccount: true } });

/** A map from text to text. */
export const TextMap = z.record(z.string(), z.string());

/** An amount of money: whole `units` as a string, `nanos` as billionths. */
export const Money = z
  .looseObject({
    currencyCode: z.string().optional().describe("Currency, as its three-letter code."),
    units: z.string().optional().describe("Whole units of the currency, as a string of digits."),
    nanos: z.int().optional().describe("Fraction of a unit of the currency, in billionths."),
  })
  .meta({ id: "Money", description: "An amount of money." });
