import { timeSpentLine } from "../../cli/command/output";

const nothing = { sent: 0, requests: 0, limit: 0, states: 0 };

test.each([
  ["nothing was sent", nothing, undefined],
  ["one request was answered at once", { ...nothing, sent: 1, requests: 200 }, undefined],
  ["requests took their time", { ...nothing, sent: 80, requests: 12_000, limit: 300 }, "Time: 12s in 80 requests."],
  [
    "states were waited for",
    { sent: 8, requests: 400, limit: 2000, states: 64_000 },
    "Time: 2.0s waiting for the service's limit, 1m 04s waiting for states.",
  ],
])("only times that were spent are told: %s", (_, spent, line) => expect(timeSpentLine(spent)).toBe(line));
