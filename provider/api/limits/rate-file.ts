import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePrivateFolder } from "../../files/folder";
import { underLock } from "../../files/lock";
import { replaceFile } from "../../files/write";
import type { Candidate } from "./possible-limits";
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
const longestFile = 256 * 1024;
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

  const save = (learnt: RateEstimate): void => replaceFile(file, encoded(learnt), { durable: false });

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

const rounded = (value: number): number => Number(value.toPrecision(7));

const encoded = ({ limits, ...rest }: RateEstimate): string =>
  JSON.stringify({
    ...rest,
    limits: {
      ...limits,
      candidates: limits.candidates.map(({ perMs, burst, least, most }) => [perMs, burst, least, most].map(rounded)),
    },
  });

/** The content of the file; undefined if it is torn, old, or implausible. */
function decoded(text: string, now: number): RateEstimate | undefined {
  try {
    const learnt = JSON.parse(text) as RateEstimate;
    learnt.limits.candidates = (learnt.limits.candidates as unknown as number[][]).map(
      ([perMs, burst, least, most]): Candidate => ({ perMs: perMs!, burst: burst!, least: least!, most: most! }),
    );
    return isFresh(learnt, now) && isSound(learnt, now) ? learnt : undefined;
  } catch {
    return undefined;
  }
}

const isFresh = ({ countedAt }: RateEstimate, now: number): boolean =>
  countedAt > now - lifetime && countedAt < now + skew;

function isSound({ limits, line, underWay, ...numbers }: RateEstimate, now: number): boolean {
  const { candidates, before, since, until, at } = limits;
  const counts = [
    ...Object.values(numbers),
    ...underWay,
    before,
    since,
    until,
    at,
    ...candidates.flatMap((rate) => Object.values(rate)),
  ];
  const isRate = (perMs: number): boolean => perMs >= slowest / 4 && perMs <= fastest * 2;
  return (
    counts.every(Number.isFinite) &&
    candidates.length > 0 &&
    [numbers.perMs, ...candidates.map(({ perMs }) => perMs)].every(isRate) &&
    numbers.capacity >= 1 &&
    (1 - numbers.tokens) / numbers.perMs <= longestWait &&
    numbers.refusedAt < now + skew &&
    line.every(({ who, until }) => typeof who === "string" && until < now + longestWait)
  );
}
