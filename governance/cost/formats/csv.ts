import { csvText } from "../../../io/text/csv";
import type { CostedResource } from "../report";
import type { CostWriter } from "./format";

/** The columns. An amount that is not known is empty, and `unknown` says why. */
const columns: Readonly<Record<string, (resource: CostedResource) => string | number | undefined>> = {
  kind: ({ kind }) => kind,
  name: ({ name }) => name,
  urn: ({ urn }) => urn,
  stack: ({ stack }) => stack,
  account: ({ account }) => account,
  acceleratorType: ({ quantity }) => quantity?.acceleratorType,
  perReplica: ({ quantity }) => quantity?.perReplica,
  minReplicas: ({ quantity }) => quantity?.min,
  maxReplicas: ({ quantity }) => quantity?.max,
  revocableReplicas: ({ quantity }) => quantity?.revocable,
  replicasNow: ({ quantity }) => quantity?.now,
  hourlyMin: ({ hourly }) => hourly.min,
  hourlyMax: ({ hourly }) => hourly.max,
  hourlyNow: ({ hourly }) => hourly.now,
  hourlyBefore: ({ hourly }) => hourly.before,
  once: ({ once }) => once?.amount,
  unknown: ({ hourly, once }) => hourly.unknown ?? once?.unknown,
};

/** For spreadsheets: a row per resource, without totals, which a spreadsheet makes itself. */
export const csv: CostWriter = ({ resources, currency }) =>
  csvText([
    [...Object.keys(columns), "currency"],
    ...resources.map((resource) => [...Object.values(columns).map((read) => String(read(resource) ?? "")), currency]),
  ]);
