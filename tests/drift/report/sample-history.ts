import type { HistoryDay, HistoryFigures } from "../../../drift/history/store";

/** The n-th day of a February. */
export const day = (number: number, open: Partial<HistoryDay["open"]>, found = 0, gone = 0): HistoryDay => ({
  day: new Date(Date.parse("2026-02-01") + (number - 1) * 86_400_000).toISOString().slice(0, 10),
  open: { error: 0, warning: 0, note: 0, ...open },
  found,
  gone,
});

/** Written by hand: what a history of four days says. */
export const figures: HistoryFigures = {
  schemaVersion: 1,
  from: "2026-02-01T02:00:00.000Z",
  to: "2026-02-04T02:00:00.000Z",
  scans: 4,
  accepted: 1,
  bySeverity: [
    { key: "error", open: 1, oldest: "2026-02-27T00:00:00.000Z", remedied: 2, median: 5400, longest: 100_000 },
    { key: "warning", open: 0, remedied: 0 },
  ],
  byAccount: [
    { key: "acme", open: 1, oldest: "2026-02-27T00:00:00.000Z", remedied: 2, median: 5400, longest: 100_000 },
  ],
  recurring: [
    {
      fingerprint: "3f8e0c1b7a5d4926",
      account: "acme",
      type: "Deployment",
      name: "accounts/acme/deployments/<b>chat\u202e</b>",
      severity: "error",
      times: 3,
      open: true,
      lastFound: "2026-02-27T00:00:00.000Z",
    },
  ],
  timeline: [
    day(1, {}),
    day(2, { error: 1, warning: 3 }, 4),
    day(3, { error: 1, note: 1 }, 1, 3),
    day(4, { error: 1 }, 0, 1),
  ],
};
