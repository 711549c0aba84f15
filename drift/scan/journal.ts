import { createHash } from "node:crypto";
import { join } from "node:path";
import { makePrivateFolder } from "../../io/files/folders";
import { readText } from "../../io/files/read";
import { removeFile, replaceFile } from "../../io/files/write";
import { z } from "../../provider/core/zod";
import type { CollectionResult, CollectionScan } from "./collection-scan";
import { CollectionReport } from "./document";
import { Finding, Verdict } from "./finding-document";
import { Lineage } from "./retirements";
import type { Journal } from "./scan";
import { verdicts } from "./verdicts";

/** How long what an interrupted scan has read may stand in for reading it again, in milliseconds. */
export const maxAgeMs = 3_600_000;

/**
 * Reports are made of it, and a file may have been written by anybody: what
 * does not fit is read from the service again.
 */
const CachedCollection = z.object({
  at: z.number().describe("When it was read, in milliseconds since 1970."),
  question: z.string().describe("Digest of what it was compared with."),
  result: CollectionReport.extend({
    status: z.enum(["read", "forbidden", "error"]),
    counts: z.partialRecord(Verdict, z.int().min(0)),
    findings: z.array(Finding),
    leftOut: z.int().min(0).optional(),
    references: z.array(z.tuple([z.string(), z.string()])),
    lineage: Lineage,
  }),
});

type CachedCollection = z.infer<typeof CachedCollection>;

/**
 * Keeps each collection's result in a small file until the scan ends. Another state, other flags or another `madeBy`,
 * the version and the run, make another key, so that no stale result is used. If the folder cannot be used, the scan
 * cannot be resumed, but it runs.
 */
export function fileJournal(folder: string, madeBy: readonly unknown[], now: () => number): Journal {
  const used = new Set<string>();
  const fileOf = ({ place: { origin, account }, spec }: CollectionScan): string =>
    join(folder, `${digest([origin, account, spec.kind])}.json`);
  const scanKey = ({ objects, known, isListed, as, costs, wanted: selection }: CollectionScan): string =>
    digest([
      madeBy,
      as,
      costs?.key,
      selection?.key,
      verdicts.filter(isListed),
      [...known.objects.keys(), ...known.produced].sort(),
      objects.map(({ stack, urn, name, inputs, outputs, ignoreChanges, pending, recordedAt }) => [
        stack,
        urn,
        name,
        inputs,
        outputs,
        ignoreChanges,
        pending,
        recordedAt,
      ]),
    ]);

  return {
    find: async (scan) => {
      const file = fileOf(scan);
      const kept = await readText(file, longest).then(parseCached, () => undefined);
      const age = kept ? now() - kept.at : Number.POSITIVE_INFINITY;
      if (!kept || age < 0 || age > maxAgeMs || kept.question !== scanKey(scan)) return undefined;
      if (kept.result.name !== scan.spec.collection) return undefined;
      used.add(file);
      return kept.result as CollectionResult;
    },
    write: async (scan, result) => {
      const file = fileOf(scan);
      const kept: CachedCollection = { at: now(), question: scanKey(scan), result };
      try {
        makePrivateFolder(folder);
        replaceFile(file, JSON.stringify(kept), { durable: false });
        used.add(file);
      } catch {
        // The scan cannot be resumed, but it runs.
      }
    },
    clear: async () => {
      for (const file of used) forget(file);
      used.clear();
    },
  };
}

function forget(file: string): void {
  try {
    removeFile(file);
  } catch {
    // It is too old to be used, soon.
  }
}

/** Larger than the results of any collection that can be read. */
const longest = 64 * 1024 * 1024;

/** A file that was cut short, or is not ours, is ignored. */
function parseCached(text: string): CachedCollection | undefined {
  try {
    return CachedCollection.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const digest = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 40);
