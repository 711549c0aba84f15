import { createHash } from "node:crypto";

/** An order as the emulator takes it: which request is struck, and with what. */
export interface StruckAnswer {
  fault: Record<string, unknown>;
  /** So many requests that no earlier order has struck pass first. */
  skip: number;
}

/** In equal parts; what can happen before or after the work is done, happens in turns. */
const faults = [
  { kind: "status", status: 500 },
  { kind: "status", status: 429 },
  { kind: "reset" },
  { kind: "hang" },
  { kind: "commitThenStatus", status: 500 },
  { kind: "status", status: 429, headers: { "retry-after": "1" } },
  { kind: "resetAfterCommit" },
  { kind: "hang", commit: true },
] as const;

/** The faults of a service that answers so large a share of its first requests badly, the same ones for a seed. */
export function struckAnswers(seed: number, { share, requests }: { share: number; requests: number }): StruckAnswer[] {
  const struck = Array.from({ length: requests }, (_, position) => position).filter(
    (position) => fraction(seed, position) < share,
  );
  return struck.map((position, earlier) => ({ fault: faults[earlier % faults.length]!, skip: position - earlier }));
}

/** From 0 to 1, as if drawn by lot. */
const fraction = (seed: number, position: number): number =>
  createHash("sha256").update(`${seed} ${position}`).digest().readUInt32BE() / 2 ** 32;
