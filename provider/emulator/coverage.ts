import type { JournalEntry } from "./journal";
import { findOperation, operations } from "./routes";
import type { Fields } from "./types";

/** Which operations the remembered requests have called, how often, and with what outcome. */
export function coverageOf(entries: readonly JournalEntry[]): Fields {
  const statuses = new Map(operations.map(({ name }) => [name, {} as Record<number, number>]));
  for (const { method, path, status } of entries) {
    const found = findOperation(method, path);
    const counts = typeof found === "string" ? undefined : statuses.get(found.operation.name);
    if (counts) counts[status] = (counts[status] ?? 0) + 1;
  }
  const told = operations.map(({ name, declared }) => {
    const counts = statuses.get(name)!;
    return { name, provenance: declared.provenance, requests: Object.values(counts).reduce((sum, count) => sum + count, 0), statuses: counts };
  });
  return { covered: told.filter(({ requests }) => requests > 0).length, total: told.length, operations: told };
}
