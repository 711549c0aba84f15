import { groupBy } from "../../provider/core/values/grouping";
import { type ChangeRow, isRisky } from "./row";

/** Fewer are readable one by one. */
const fewest = 3;

/**
 * The same change in many resources is one row with its count: one field of one kind, without a risk and without a
 * price. Its value stays where all have the same one.
 */
export function joinAlike(rows: readonly ChangeRow[]): ChangeRow[] {
  const groups = [...groupBy(rows, alikeness)].filter(([key, { length }]) => key !== "" && length >= fewest);
  const joined = new Map(groups.map(([, alike]) => [alike[0]!, alike] as const));
  const others = new Set(groups.flatMap(([, alike]) => alike.slice(1)));
  return rows.flatMap((row) => {
    const alike = joined.get(row);
    return others.has(row) ? [] : [alike ? together(row, alike) : row];
  });
}

/** Empty for a row that stays by itself. */
function alikeness(row: ChangeRow): string {
  const { op, kind, fields, cost } = row;
  if (op !== "update" || fields.length !== 1 || isRisky(row) || row.rules.length > 0) return "";
  if (cost && cost.hourly.before !== cost.hourly.max) return "";
  return JSON.stringify([kind, fields[0]!.path, fields[0]!.secret]);
}

function together(row: ChangeRow, alike: readonly ChangeRow[]): ChangeRow {
  const [{ path, secret }] = row.fields as [ChangeRow["fields"][number]];
  const values = new Set(alike.map(({ fields: [field] }) => JSON.stringify([field?.old, field?.new])));
  return {
    ...row,
    count: alike.length,
    urns: alike.map(({ urn }) => urn),
    fields: values.size === 1 ? row.fields : [{ path, ...(secret && { secret }), differs: true }],
  };
}
