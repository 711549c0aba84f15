import type { ResourceSpec } from "../../provider/core/declaration/resource";
import type { Field } from "../../provider/core/fields/fields";
import { isObject, omitUndefined, pathText } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { specOf } from "../../provider/resources/index";
import { undefinedIfEmpty } from "../patch";
import { specOfName } from "../routes";
import { timestamp, withUpdateTime } from "../timestamps";
import { isGone, removed, retention, startPath, stopAt } from "../transitions";
import { ApiError, type Fields, type StoredObject, type World } from "../types";

const roles = ["admin", "user", "contributor", "inference-user", "custom", "superuser"] as const;

const Document = z.strictObject({
  accounts: z
    .record(z.string().min(1), z.strictObject({ keys: z.record(z.string().min(1), z.enum(roles)).default({}) }))
    .default({}),
  objects: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** What `--seed`, `POST seed` and `GET objects` speak: objects by resource name, and the accounts with their keys. */
export type WorldDocument = z.input<typeof Document>;

/**
 * Adds a document's accounts and objects to the world; replaces those that are there. Throws an `ApiError` and
 * changes nothing where the document makes no sense.
 */
export function seed(world: World, document: unknown): void {
  const result = Document.safeParse(document);
  if (!result.success) {
    const reasons = result.error.issues.map(({ path, message }) => `\`${path.join(".") || "document"}\`: ${message}`);
    throw new ApiError(400, 3, `invalid seed: ${reasons.join("; ")}`);
  }
  const { accounts, objects } = result.data;
  const now = world.clock.now();
  const seeded = Object.entries(objects).map(([name, fields]) => withDefaults(objectOf(name, fields), now));
  for (const [account, { keys }] of Object.entries(accounts))
    for (const [key, role] of Object.entries(keys)) world.setKey(key, account, role);
  for (const object of seeded) world.put(object);
}

/**
 * An object from its message, input-only members separated. Throws an `ApiError` for a name that no kind of object has.
 */
export function objectOf(name: string, message: unknown): StoredObject {
  if (!isObject(message)) throw new ApiError(400, 3, `\`${name}\` must be an object`);
  const spec = specOfName(name);
  if (!spec)
    throw new ApiError(400, 3, `\`${name}\` is not a resource name; one looks like \`accounts/demo/deployments/chat\``);
  const hidden: Fields = {};
  const named = spec.fields.outputs.some((field) => field.name === "name");
  const plain = withoutInputs(spec.fields.message, message, [], hidden);
  return { kind: spec.kind, name, fields: named ? { name, ...plain } : plain, hidden: undefinedIfEmpty(hidden) };
}

/** The message without its input-only members, which go into `hidden` by their paths. */
function withoutInputs(declared: readonly Field[], message: Fields, path: readonly string[], hidden: Fields): Fields {
  const entries = Object.entries(message).flatMap(([name, value]) => {
    const field = declared.find((candidate) => candidate.name === name);
    const place = [...path, name];
    if (field?.markers.inputOnly) {
      hidden[pathText(place)] = value;
      return [];
    }
    return [[name, field?.fields && isObject(value) ? withoutInputs(field.fields, value, place, hidden) : value]];
  });
  return Object.fromEntries(entries);
}

/** Fills members that a seed omits: created now, in a settled state. */
function withDefaults(object: StoredObject, now: number): StoredObject {
  const spec = specOf(object.kind)!;
  const outputs = new Set(spec.fields.outputs.map(({ name }) => name));
  const usual: Fields = { createTime: timestamp(now), updateTime: timestamp(now), state: spec.lifecycle?.ready[0] };
  const missing = Object.entries(usual).filter(
    ([name, value]) => outputs.has(name) && value !== undefined && object.fields[name] === undefined,
  );
  return { ...object, fields: { ...object.fields, ...Object.fromEntries(missing) } };
}

/**
 * The object after a merge patch (RFC 7396), as if someone else had changed it: it
 * moves no further by itself if its state was set.
 */
export function applyMergePatch(object: StoredObject, patch: unknown, now: number): StoredObject {
  if (!isObject(patch)) throw new ApiError(400, 3, "a merge patch must be an object");
  const spec = specOf(object.kind)!;
  const next = objectOf(object.name, mergePatch(object.fields, patch));
  const fields = Object.hasOwn(patch, "updateTime") ? next.fields : withUpdateTime(spec, next.fields, now);
  const { plan, notes } = object;
  return {
    ...next,
    fields,
    hidden: undefinedIfEmpty({ ...object.hidden, ...next.hidden }),
    notes,
    plan: Object.hasOwn(patch, "state") ? undefined : plan,
  };
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** The object as its owner's delete leaves it once it is over. Throws an `ApiError` for a kind that leaves nothing. */
export function tombstone(object: StoredObject, now: number): StoredObject {
  const spec = specOf(object.kind) as ResourceSpec;
  const state = spec.lifecycle?.deleted[0];
  if (spec.deletion === "hard" || state === undefined)
    throw new ApiError(400, 3, `\`${object.name}\` leaves no tombstone; delete it without \`tombstone\``);
  if (isGone(spec, object)) return object;
  const touched = { ...object, fields: withUpdateTime(spec, object.fields, now) };
  if (spec.deletion === "forever") return stopAt(touched, state);
  const going = startPath(touched, [[state, retention]], now, 1);
  const purge = going.plan?.find((step) => step.state === removed);
  return {
    ...going,
    fields: {
      ...going.fields,
      ...omitUndefined({ deleteTime: timestamp(now), purgeTime: purge && timestamp(purge.at) }),
    },
  };
}
