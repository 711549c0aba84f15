import { restrictTo } from "../../../provider/api/client";
import { items } from "../../../provider/api/paginate";
import type { Client } from "../../../provider/api/types";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import { phaseOf } from "../../../provider/core/declaration/states";
import type { Values } from "../../../provider/core/values/values";
import { managedSpecs } from "../../../provider/resources/index";
import { annotationsIn, type CostSubject } from "../subject";

/** Whatever is paid for in the accounts, whoever made it. Only reads leave the machine. */
export async function liveSubjects(
  client: Client,
  accounts: readonly string[],
  signal: AbortSignal,
): Promise<CostSubject[]> {
  const reading = restrictTo(client, ["read"]);
  const subjects: CostSubject[] = [];
  for (const account of accounts)
    for (const spec of managedSpecs.filter(({ billing }) => billing !== undefined))
      for await (const live of items(reading, reading.catalogue.require(spec.kind, "list").name, {
        parameters: { account },
        as: account,
        signal,
      }))
        if (isPaidFor(spec, live)) subjects.push(subjectOf(spec, account, live));
  return subjects;
}

/** Not what is being deleted, nor a run that is over, whose cost is spent. */
function isPaidFor(spec: ResourceSpec, live: Values): boolean {
  const phase = phaseOf(spec.lifecycle, live);
  return phase !== "gone" && !(spec.deletion === "forever" && ["ready", "failed"].includes(phase));
}

function subjectOf(spec: ResourceSpec, account: string, live: Values): CostSubject {
  const stack = stackIn(spec, live);
  return {
    spec,
    name: String(live["name"]),
    account,
    stack,
    after: live,
    isLive: true,
  };
}

/** The stack that an object says it belongs to. */
function stackIn(spec: ResourceSpec, live: Values): string | undefined {
  const mark = spec.fields.message.find(({ markers }) => markers.ownerKeys)?.markers.ownerKeys;
  return mark && annotationsIn(live)[mark.stack];
}
