export type { ReportContext, ReportFormat } from "./report/format";
export { formats } from "./report/index";
export { parseShard, type Shard } from "./scan/accounts";
export { type Baseline, baselineOf, openBaseline } from "./scan/baseline";
export { type DriftOptions, detectDrift } from "./scan/detect";
export { type AccountReport, type CollectionReport, DriftReport, driftSchema, type StaleEntry } from "./scan/document";
export { fingerprintOf } from "./scan/finding";
export {
  type Change,
  type Finding,
  type Severity,
  type Suppression,
  type Verdict,
  verdicts,
} from "./scan/finding-schema";
export { fileJournal } from "./scan/journal";
export { mergeReports } from "./scan/merge";
export type { RecordedObject, RecordedStack } from "./scan/recorded-object";
export { thisTool } from "./scan/result";
export type { Journal, Progress } from "./scan/scan";
export { readStacks, type StackSources, type Surroundings } from "./scan/stacks";
export type { Suppressor } from "./scan/suppression";
export { ignoreFile } from "./scan/suppression";
