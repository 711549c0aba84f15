export type { ReportContext, ReportFormat } from "./report/format";
export { formats } from "./report/index";
export { type Baseline, baselineOf, openBaseline } from "./scan/baseline";
export { type DriftOptions, detectDrift } from "./scan/detect";
export {
  type AccountReport,
  type Change,
  type CollectionReport,
  DriftReport,
  driftSchema,
  type Finding,
  type Severity,
  type StaleEntry,
  type Suppression,
  type Verdict,
  verdicts,
} from "./scan/document";
export { fingerprintOf } from "./scan/finding";
export { ignoreFile } from "./scan/ignore-file";
export { fileJournal } from "./scan/journal";
export { mergeReports } from "./scan/merge";
export type { RecordedObject, RecordedStack } from "./scan/recorded-object";
export type { Journal, Progress } from "./scan/scan";
export { parseShard, type Shard } from "./scan/shard";
export { readStacks, type StackSources, type Surroundings } from "./scan/stacks";
export type { Suppressor } from "./scan/suppression";
export { thisTool } from "./scan/tool";
