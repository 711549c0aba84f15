import { slug } from "../../provider/core/values/names";
import { unimplemented } from "../refusals";
import { nameOf } from "../routes";
import type { Fields } from "../types";
import type { Service, ServiceCall } from "./service";

/** The id comes from the address: its local part, then all of it, then with a number. */
function idFrom(fields: Fields, { world, spec, account }: ServiceCall): string {
  const email = String(fields["email"] ?? "");
  const whole = slug(email);
  const candidates = [slug(email.split("@")[0]!), whole];
  const free = candidates.find((id) => isFree(id));
  if (free !== undefined) return free;
  for (let number = 2; ; number++) if (isFree(`${whole}-${number}`)) return `${whole}-${number}`;

  function isFree(userId: string): boolean {
    return world.get(nameOf(spec, { account, userId })) === undefined;
  }
}

export const users: Service = {
  id: idFrom,
  // A preset means nothing without the role that it is for; one that the request itself brings is judged by the rule.
  update: ({ after, changed }) => {
    if (after.fields["role"] === "custom" || changed.has("permissionPreset")) return after;
    const { permissionPreset: _, ...fields } = after.fields;
    return { ...after, fields };
  },
  delete: (object, { settings, name }) => {
    if (settings.userDelete === "unimplemented")
      throw unimplemented(`deleting users is not implemented: DELETE ${name}`);
    return object;
  },
};
