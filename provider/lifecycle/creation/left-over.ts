import type { ResourceSpec } from "../../core/declaration/resource";
import { standing } from "../../core/declaration/states";
import { optionsOf, type Session } from "../operation/operation";
import { withdrawAll } from "./send";
export const leftOver = (spec: ResourceSpec, name: string): string =>
  `${spec.kind} ${name} was created for this declaration by an interrupted run, and is in no state. Delete it if you do not need it; a refresh clears this warning once it is gone.`;

/** What was begun and is in no state is told of for as long as it is there. */
export async function lookAfter(session: Session, name: string): Promise<void> {
  const { spec, call, objects } = session;
  const found = await objects.find(name, optionsOf(session));
  if (found && standing(spec.lifecycle, found) !== "gone") call.reporter.warn(leftOver(spec, name));
  else await withdrawAll(session);
}
