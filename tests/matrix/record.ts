import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "./commands";
import type { SubjectResult } from "./run";

/** What the last recorded run of a command on an engine has shown. */
export interface RecordedRun {
  engine: string;
  command: string;
  /** Day of the run. */
  date: string;
  /** Fates that went as the table has it. */
  asTold: string[];
  /** What was otherwise, by fate. */
  otherwise: Record<string, string>;
}

const data = join(__dirname, "recorded.json");

export const readRecorded = (): RecordedRun[] => JSON.parse(readFileSync(data, "utf8")) as RecordedRun[];

/**
 * Records the results of a command, where `MATRIX_RECORD` asks for it, in place of those of an earlier run of it on its
 * engine.
 */
export function record(engine: string, { title }: Command, results: readonly SubjectResult[]): void {
  if (process.env["MATRIX_RECORD"] === undefined) return;
  const good = results.filter(({ faults }) => faults.length === 0);
  const bad = results.filter(({ faults }) => faults.length > 0);
  const entry: RecordedRun = {
    ...{ engine, command: title, date: new Date().toISOString().slice(0, 10) },
    asTold: good.map(({ subject }) => subject.fate.title),
    otherwise: Object.fromEntries(bad.map(({ subject, faults }) => [subject.fate.title, faults[0]!.split("\n")[0]!])),
  };
  const others = readRecorded().filter((each) => each.engine !== engine || each.command !== title);
  const all = [...others, entry].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  writeFileSync(data, `${JSON.stringify(all, undefined, 2)}\n`);
}

const keyOf = ({ engine, command }: RecordedRun): string => `${engine} ${command}`;
