import type { History } from "./history";
import { factsOf, type Movement, type ScanFacts } from "./news";
import { type FindingRecord, findingLine, type ScanRecord } from "./records";

/** What a scan writes: a line for each movement, and last its own. */
export function linesOf(
  facts: ScanFacts,
  before: History,
  movements: readonly Movement[],
): { findings: FindingRecord[]; scan: ScanRecord } {
  const line = findingLine(facts);
  const found = timesFound(before);
  const findings = movements.map(
    (movement): FindingRecord => ({ ...line, change: movement.change, ...described(movement, facts.scannedAt, found) }),
  );
  const sequence = (before.scans.at(-1)?.sequence ?? 0) + 1;
  return { findings, scan: { ...facts, sequence, open: openAfter(before, findings) } };
}

type Described = Omit<FindingRecord, "schemaVersion" | "record" | "scan" | "scannedAt" | "change">;

function described({ before, finding }: Movement, at: string, found: ReadonlyMap<string, number>): Described {
  if (!finding) {
    const { recordedAt: _, goneAt: __, ...facts } = before!;
    return facts;
  }
  return {
    ...factsOf(finding),
    firstSeen: before?.firstSeen ?? at,
    lastSeen: at,
    timesSeen: (before?.timesSeen ?? 0) + 1,
    occurrence: before?.occurrence ?? (found.get(finding.fingerprint) ?? 0) + 1,
    verdictSince: before?.verdict === finding.verdict ? before.verdictSince : at,
  };
}

/** How many times what is gone had been found. */
function timesFound({ ended }: History): Map<string, number> {
  const times = new Map<string, number>();
  for (const { fingerprint, occurrence } of ended)
    times.set(fingerprint, Math.max(occurrence, times.get(fingerprint) ?? 0));
  return times;
}

function openAfter({ open }: History, findings: readonly FindingRecord[]): ScanRecord["open"] {
  const after = new Map<string, Pick<FindingRecord, "severity" | "acceptedBy">>(open);
  for (const record of findings)
    if (record.change === "gone") after.delete(record.fingerprint);
    else after.set(record.fingerprint, record);
  const counts = { error: 0, warning: 0, note: 0 };
  for (const { severity, acceptedBy } of after.values()) if (acceptedBy === null) counts[severity]++;
  return counts;
}
