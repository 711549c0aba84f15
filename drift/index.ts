export type { ReportContext, ReportFormat } from "./report/context";
export { formats } from "./report/formats";
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
} from "./scan/document";
export { fingerprintOf } from "./scan/finding";
export { fileJournal } from "./scan/journal";
export { mergeReports } from "./scan/merge";
export type { RecordedObject, RecordedStack } from "./scan/recorded-object";
export { thisTool } from "./scan/result";
export type { Journal, Progress } from "./scan/scan";
export { parseShard, type Shard } from "./scan/shard";
export { readStacks, type StackSources, type Surroundings } from "./scan/stacks";
export { ignoreFile, type Suppressor } from "./scan/suppression";
export { verdicts } from "./scan/verdicts";
