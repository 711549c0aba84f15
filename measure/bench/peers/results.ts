import type { BenchStep } from "./contestants";
import type { Measured } from "./processes";

/** One step of one contestant in one round. */
export interface PeerResult extends Measured {
  scenario: string;
  contestant: string;
  round: number;
  step: BenchStep;
}

export function median(values: readonly number[]): number {
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
        processor: of(({ processor }) => processor),
        requests: Math.round(of(({ requests }) => requests)),
        writes: Math.round(of(({ writes }) => writes)),
        memory: Math.round(of(({ memory }) => memory)),
      };
}
