import { redactedValue } from "./document";

const isRedacted = (value: object): boolean => "redacted" in value && value.redacted === true;

/** A copy of a JSON value in which nothing stands beside the mark of a redacted value. */
export function sealed(value: unknown, mark: unknown = redactedValue): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => sealed(entry, mark));
  if (isRedacted(value)) return mark;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sealed(member, mark)]));
}
