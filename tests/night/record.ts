import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NightRecord, partCount, unitsOf } from "./plan";

/** What `--record` has written: how long each suite takes, and into how many parts the night is therefore divided. */
export interface RecordFile {
  parts: number;
  suites: NightRecord;
}

const file = join(__dirname, "recorded.json");

export const readRecord = (): RecordFile => JSON.parse(readFileSync(file, "utf8")) as RecordFile;

/** Writes the record of the suites that there are. */
export function writeRecord(suites: readonly string[], recorded: NightRecord): void {
  const kept = Object.fromEntries(suites.flatMap((suite) => (recorded[suite] ? [[suite, recorded[suite]]] : [])));
  const whole: RecordFile = { parts: partCount(unitsOf(suites, kept)), suites: kept };
  writeFileSync(file, `${JSON.stringify(whole, undefined, 2)}\n`);
}
