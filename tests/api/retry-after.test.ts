import fc from "fast-check";
import { parseRetryHeaders } from "../../provider/api/http/retry";

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

test.each([
  [{}, {}],
  [{ "retry-after": "3" }, { wait: 3000 }],
  [{ "retry-after": "0" }, { wait: 0 }],
  [{ "retry-after": "1.5" }, { wait: 1500 }],
  [{ "retry-after": " 2 " }, { wait: 2000 }],
  [{ "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT" }, { wait: 30_000 }],
  [{ "retry-after": "Thursday, 01-Jan-26 12:00:30 GMT" }, { wait: 30_000 }],
  [{ "retry-after": "Thu Jan  1 12:00:30 2026" }, { wait: 30_000 }],
  [{ "retry-after": "Thu, 01 Jan 2026 11:00:00 GMT" }, { wait: 0 }],
  [{ "retry-after": "Thu, 01 Jan 2026 09:00:30 GMT", date: "Thu, 01 Jan 2026 09:00:00 GMT" }, { wait: 30_000 }],
  [{ "retry-after-ms": "250", "retry-after": "9" }, { wait: 250 }],
  [{ "retry-after-ms": "soon", "retry-after": "9" }, { wait: 9000 }],
  [{ "retry-after": "-1" }, {}],
  [{ "retry-after": "soon" }, {}],
  [{ "retry-after": "" }, {}],
  [{ "retry-after": "1e9" }, {}],
  [{ "retry-after": "NaN" }, {}],
  [{ "retry-after": "2026" }, { wait: 2_026_000 }],
  [{ "retry-after": "999999999" }, { wait: 86_400_000 }],
  [{ "x-should-retry": "true" }, { again: true }],
  [
    { "x-should-retry": "False", "retry-after": "1" },
    { again: false, wait: 1000 },
  ],
  [{ "x-should-retry": "maybe" }, {}],
])("%j is read as %j", (headers, advice) => {
  expect(parseRetryHeaders(headers, now)).toEqual(advice);
});

test("whole seconds come back as they were sent", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 86_400 }),
      (seconds) => parseRetryHeaders({ "retry-after": String(seconds) }, now).wait === seconds * 1000,
    ),
  );
});

test("an HTTP date is as far away as it is from the service's own date", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400 }), fc.integer({ min: -1e9, max: 1e9 }), (seconds, skew) => {
      const date = new Date(now + skew);
      date.setMilliseconds(0);
      const headers = {
        date: date.toUTCString(),
        "retry-after": new Date(date.getTime() + seconds * 1000).toUTCString(),
      };
      return parseRetryHeaders(headers, now).wait === seconds * 1000;
    }),
  );
});

test("whatever the header says, the wait is a finite number from 0 to a day, or absent", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.double().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      (text) => {
        const { wait } = parseRetryHeaders({ "retry-after": text, "retry-after-ms": text }, now);
        return wait === undefined || (Number.isFinite(wait) && wait >= 0 && wait <= 86_400_000);
      },
    ),
  );
});
