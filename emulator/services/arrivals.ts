import { specOf } from "../../provider/resources/index";
import { touchedAt } from "../times";
import { removed } from "../transitions";
import type { StoredObject, World } from "../types";
import { serviceOf } from "./table";

/** Lets the next planned state of an object begin: the object with it, or without the object. */
export function arrive(world: World, object: StoredObject): void {
  const { plan = [] } = object;
  const next = plan[1]!;
  if (next.state === removed) {
    world.remove(object.name);
    return;
  }
  const fields = touchedAt(specOf(object.kind)!, { ...object.fields, state: next.state }, next.at);
  const moved = { ...object, fields, plan: plan.length > 2 ? plan.slice(1) : undefined };
  world.put(serviceOf(object.kind).arrive?.(moved, world, next.at) ?? moved);
}
