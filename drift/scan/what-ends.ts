import { type RetirementNotice, urgencyOf } from "../../provider/core/declaration/retirement";
import { fieldsAlong } from "../../provider/core/fields/places";
import { defined } from "../../provider/core/values/defined";
import { parsePath } from "../../provider/core/values/paths";
import type { DeprecatedField, DriftReport, Retirement } from "./document";
import type { Retiring, UnreadModel } from "./model-dates";
import type { RecordedObject } from "./recorded-object";

interface RetirementChoice {
  notice: RetirementNotice;
  /** Today, `YYYY-MM-DD`, UTC. */
  today: string;
  /** Lists those that it is too early to warn of, too. */
  all: boolean;
}

/** What a report says of what will end; members that have nothing to say are absent. */
export type WhatEnds = Pick<DriftReport, "retirements" | "unreadModels" | "deprecatedFields">;

/** `objects`: what stacks record in the accounts that were scanned. */
export const whatEnds = (
  accounts: readonly { retiring: readonly Retiring[]; unread: readonly UnreadModel[] }[],
  objects: readonly RecordedObject[],
  choice: RetirementChoice,
): WhatEnds =>
  together([
    {
      retirements: accounts.flatMap(({ retiring }) => retiring).flatMap((each) => retirementOf(each, choice)),
      unreadModels: accounts.flatMap(({ unread }) => unread),
      deprecatedFields: objects.flatMap(deprecatedFieldsOf),
    },
  ]);

/** The same of several reports, with one entry for each model and field. */
export function together(parts: readonly WhatEnds[]): WhatEnds {
  const retirements = joinedBy(
    parts.flatMap((part) => part.retirements ?? []),
    ({ model, day }) => JSON.stringify([day, model]),
  );
  const unreadModels = new Map(parts.flatMap((part) => part.unreadModels ?? []).map((each) => [each.model, each]));
  const deprecatedFields = joinedBy(
    parts.flatMap((part) => part.deprecatedFields ?? []),
    ({ type, path }) => JSON.stringify([type, path]),
  );
  return defined({
    retirements: retirements.length > 0 ? retirements : undefined,
    unreadModels: unreadModels.size > 0 ? [...unreadModels.values()] : undefined,
    deprecatedFields: deprecatedFields.length > 0 ? deprecatedFields : undefined,
  });
}

function retirementOf({ model, day, ...object }: Retiring, { notice, today, all }: RetirementChoice): Retirement[] {
  const severity = urgencyOf(day, today, notice) ?? "note";
  return severity === "note" && !all ? [] : [{ model, day, severity, objects: [object] }];
}

/** Fields that a program sets and the service has given up. */
function deprecatedFieldsOf({ spec, name, urn, stack, outputs, isProduced }: RecordedObject): DeprecatedField[] {
  if (isProduced) return [];
  return (outputs.managedFields ?? []).flatMap((path) => {
    const [first, ...rest] = parsePath(path);
    const top = spec.fields.message.find((field) => field.name === first);
    const says = top && fieldsAlong(top, rest).at(-1)?.markers.deprecated;
    if (says === undefined) return [];
    return [{ type: spec.kind, path, says, objects: [{ name, type: spec.kind, urn, stacks: [stack] }] }];
  });
}

/** Entries with one key as one, with the objects of all of them. In the order of their keys. */
function joinedBy<T extends { objects: unknown[] }>(entries: readonly T[], keyOf: (entry: T) => string): T[] {
  const joined = new Map<string, T>();
  for (const entry of entries) {
    const same = joined.get(keyOf(entry));
    if (same) same.objects.push(...entry.objects);
    else joined.set(keyOf(entry), { ...entry, objects: [...entry.objects] });
  }
  return [...joined].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}
