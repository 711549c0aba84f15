import type { Derivation } from "../fields/markers";
import { fillTemplate, isSegment } from "../values/names";
import { valueAt } from "../values/paths";
import type { Values } from "../values/values";

/** What tells an object from others: its account, its own id, and its whole name where that is known. */
interface Own {
  account: string;
  id: string;
  name?: string;
}

/** The value of an output that follows from the object's name and `fields`; undefined where they make none. */
export function valueFollowing({ template, from }: Derivation, own: Own, fields: Values): string | undefined {
  if (from === undefined) return fillTemplate(template, { ...own });
  const value = from
    .map((path) => (path === "id" ? own.id : valueAt(fields, path)))
    .find((candidate) => typeof candidate === "string" && candidate !== "");
  if (typeof value !== "string") return undefined;
  if (value.startsWith("accounts/")) return value;
  return isSegment(value) ? fillTemplate(template, { account: own.account, value }) : undefined;
}
