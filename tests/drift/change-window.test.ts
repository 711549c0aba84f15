import { changeWindow } from "../../drift/report/wording";
import { changedBetween } from "../../drift/scan/finding";

const up = "2026-02-01T10:00:00.000Z";
const change = "2026-02-03T10:00:00.000Z";
const recordedChange = "2026-02-01T09:59:58.000Z";

test.each<
  [
    string,
    {
      verdict?: "changed" | "missing" | "unmanaged";
      recordedAt?: string;
      updateTime: string | null;
      recorded?: string;
    },
    unknown,
  ]
>([
  ["between the last operation and the change", { recordedAt: up, updateTime: change }, { after: up, before: change }],
  [
    "in another time zone",
    { recordedAt: "2026-02-01T12:00:00.123456789+02:00", updateTime: change },
    { after: "2026-02-01T10:00:00.123Z", before: change },
  ],
  ["without a time in the state", { updateTime: change }, { before: change }],
  ["without a time of the service", { recordedAt: up, updateTime: null }, { after: up }],
  ["without either", { updateTime: null }, undefined],
  ["times that are none", { recordedAt: "yesterday", updateTime: "soon" }, undefined],
  // The service's clock is behind the state's, so that only its own times compare.
  [
    "by a clock that is behind",
    { recordedAt: change, recorded: recordedChange, updateTime: up },
    { after: recordedChange, before: up },
  ],
  ["by a refresh that has recorded the change", { recordedAt: change, recorded: up, updateTime: up }, { before: up }],
  ["of a deleted object", { verdict: "missing", recordedAt: up, updateTime: null }, { after: up }],
  ["of what nobody manages", { verdict: "unmanaged", recordedAt: up, updateTime: change }, undefined],
])("%s", (_, { verdict = "changed", recordedAt, updateTime, recorded }, window) => {
  const object = {
    ...(recordedAt !== undefined && { recordedAt }),
    outputs: { ...(recorded !== undefined && { updateTime: recorded }) },
  };
  expect(changedBetween({ verdict, updateTime }, object)).toEqual(window);
});

test("what no stack records has no window", () => {
  expect(changedBetween({ verdict: "changed", updateTime: change }, undefined)).toBeUndefined();
});

test.each<[string, Parameters<typeof changeWindow>[0], string | undefined]>([
  [
    "both times",
    { verdict: "changed", changedBetween: { after: up, before: change } },
    "changed between 2026-02-01 10:00 UTC and 2026-02-03 10:00 UTC",
  ],
  [
    "both in one minute",
    { verdict: "changed", changedBetween: { after: recordedChange, before: "2026-02-01T09:59:59.000Z" } },
    "changed at 2026-02-01 09:59 UTC",
  ],
  ["the first", { verdict: "missing", changedBetween: { after: up } }, "deleted after 2026-02-01 10:00 UTC"],
  ["the last", { verdict: "changed", changedBetween: { before: change } }, "changed before 2026-02-03 10:00 UTC"],
  ["neither", { verdict: "changed" }, undefined],
])("in words: %s", (_, finding, words) => {
  expect(changeWindow(finding)).toBe(words);
});
