import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePrivateFolder } from "../../../io/files/folder";
import { underLock } from "../../../io/files/lock";
import { replaceFile } from "../../../io/files/write";
import type { RateStore } from "./rate";
import { fastest, type RateEstimate, slowest } from "./rate-estimate";

/** File in which processes with the same address and key share what they learn. It does not reveal the key. */
export function rateFile(folder: string, origin: string, key: string): string {
  const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
  return join(folder, `${digest(JSON.stringify([origin, digest(key)])).slice(0, 40)}.rate`);
}

/** State unused for so many milliseconds may no longer be true. */
const lifetime = 60_000;
/** A file from the future was written by another clock. */
const skew = 5000;
const longestFile = 4096;
const longestWait = 10 * 60_000;

/**
 * Shares what processes learn through a file. It exists from the first refusal on, so services without a limit cost one
 * lookup. If it cannot be written, each process learns for itself.
 */
export function fileStore(file: string, now: () => number): RateStore {
  let known: RateEstimate | undefined;
  let seen = "";
  let isOurs = true;

  const load = (always = false): void => {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    const version = `${stats?.mtimeMs} ${stats?.ino}`;
    if (!stats || (version === seen && !always)) return;
    seen = version;
    if (stats.isFile() && stats.size <= longestFile) known = decoded(readFileSync(file, "utf8"), now()) ?? known;
  };

  const save = (estimate: RateEstimate): void => replaceFile(file, JSON.stringify(estimate), { durable: false });

  /** No answer is lost for a file. */
  const trying = (work: () => void): void => {
    try {
      if (isOurs) work();
    } catch {
      isOurs = false;
    }
  };

  return {
    read: () => {
      trying(load);
      return known;
    },
    change: (work) => {
      let isDone = false;
      const apply = (): void => {
        known = work(known);
        isDone = true;
      };
      trying(() => {
        makePrivateFolder(dirname(file));
        underLock(file, () => {
          load(true);
          apply();
          if (known) save(known);
        });
      });
      if (!isDone) apply();
    },
  };
}

/** The content of the file; undefined if it is torn, old, or implausible. */
function decoded(text: string, now: number): RateEstimate | undefined {
  try {
    const estimate = JSON.parse(text) as RateEstimate;
    return isFresh(estimate, now) && isSound(estimate, now) ? estimate : undefined;
  } catch {
    return undefined;
  }
}

const isFresh = ({ usedAt }: RateEstimate, now: number): boolean => usedAt > now - lifetime && usedAt < now + skew;

function isSound(estimate: RateEstimate, now: number): boolean {
  const { perMs, refusedPerMs, grownFrom, growth, accepted, refusedAt, resumedAt, nextAt, epoch } = estimate;
  const isRate = (value: number): boolean => value >= slowest && value <= 2 * fastest;
  return (
    [growth, accepted, refusedAt, resumedAt, nextAt, epoch].every(Number.isFinite) &&
    [perMs, refusedPerMs, grownFrom].every(isRate) &&
    refusedAt < now + skew &&
    nextAt < now + longestWait
  );
}
