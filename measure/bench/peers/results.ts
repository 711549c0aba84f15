import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { missingCli, pulumiCli, repository } from "../../../tests/e2e/engines";
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

/** Of what is measured beside this package. */
export function versions(): string {
  const { version } = JSON.parse(
    readFileSync(join(repository, "node_modules/@pulumi/pulumi/package.json"), "utf8"),
  ) as { version: string };
  const cli = missingCli === "" ? execFileSync(pulumiCli.command, ["version"], { encoding: "utf8" }).trim() : "none";
  return `Pulumi SDK ${version}, Pulumi CLI ${cli || "of a build without a version"}`;
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
