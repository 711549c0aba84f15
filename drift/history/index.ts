/**
 * What scans have found over time. `openHistory(folder, …)` opens the history of a folder; `record(report)` adds a scan
 * and says what is new, worse or gone since the scans before; `read()` gives every finding that is open or has ended.
 */

export {
  figuresOf,
  type HistoryDay,
  type HistoryFigures,
  type RemedyFigures,
  type RemedyTimes,
  remedyTimesOf,
  timelineOf,
} from "./figures";
export type { History, Occurrence } from "./history";
export type { HistoryDelta } from "./news";
export { withDates } from "./news";
export { HistoryVersionError } from "./records";
export {
  defaultHistoryDays,
  type HistoryOptions,
  type HistoryStore,
  openHistory,
  PartialReportError,
  type RecordResult,
} from "./store";
