export { type Baseline, baselineOf, openBaseline } from "./baseline";
export { type DriftOptions, detectDrift } from "./detect";
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
} from "./document";
export { fingerprintOf } from "./finding";
export { ignoreFile } from "./ignore-file";
export { fileJournal } from "./journal";
export { mergeReports } from "./merge";
export type { RecordedObject, RecordedStack } from "./recorded-object";
export type { ReportContext, ReportFormat } from "./report/format";
export { formats } from "./report/index";
export type { Journal, Progress } from "./scan";
export { parseShard, type Shard } from "./shard";
export { readStacks, type StackSources, type Surroundings } from "./stacks";
export type { Suppressor } from "./suppression";
export { thisTool } from "./tool";
