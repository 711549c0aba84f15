import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { dirname } from "node:path";
import type { BenchStep, Contestant } from "./contestants";
import type { PeerScenario } from "./ground";
import type { Measured } from "./processes";

/** One step of one contestant in one round. */
export interface PeerResult extends Measured {
  scenario: string;
  contestant: string;
  round: number;
  step: BenchStep;
}

/** Keeps results in a file, a line each, so that a run can be ended at any time and taken up again. */
export class Results {
  readonly all: PeerResult[];

  constructor(private readonly file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.all = existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as PeerResult)
      : [];
  }

  has = ({ title }: PeerScenario, contestant: Contestant, round: number): boolean =>
    this.all.some((one) => one.scenario === title && one.contestant === contestant.title && one.round === round);

  add(results: readonly PeerResult[]): void {
    this.all.push(...results);
    appendFileSync(this.file, results.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }
}

export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "processor"}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node.js ${process.version}`;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The medians of a step, and of how many rounds they are. */
export function mediansOf(results: readonly PeerResult[], scenario: string, contestant: string, step: BenchStep) {
  const found = results.filter(
    (one) => one.scenario === scenario && one.contestant === contestant && one.step === step,
  );
  const of = (pick: (one: PeerResult) => number): number => median(found.map(pick));
  return found.length === 0
    ? undefined
    : {
        rounds: found.length,
        seconds: of(({ seconds }) => seconds),
        requests: Math.round(of(({ requests }) => requests)),
        writes: Math.round(of(({ writes }) => writes)),
        memory: Math.round(of(({ memory }) => memory)),
      };
}
