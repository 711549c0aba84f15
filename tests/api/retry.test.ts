import fc from "fast-check";
import type { NetworkErrorKind } from "../../provider/api/http/network-faults";
import {
  isRepeatable,
  mayHaveTakenEffect,
  pauseBefore,
  type RequestFailure,
  retryTable,
  shouldRetry,
} from "../../provider/api/http/retry";
import { catalogue } from "./support/test-client";

const repeatable = (operation: string, query?: Record<string, unknown>, idempotent?: boolean) =>
  isRepeatable(catalogue.operation(operation), query, idempotent);

test.each([
  ["getDeployment", {}, true],
  ["listUsers", {}, true],
  ["deleteDeployment", {}, true],
  ["updateDeployment", { updateMask: "display_name" }, true],
  ["updateDeployment", {}, false],
  ["updateDeployment", { updateMask: "" }, false],
  ["scaleDeployment", {}, false],
  ["resumeSupervisedFineTuningJob", {}, false],
  ["undeleteDeployment", {}, false],
  ["cancelSupervisedFineTuningJob", {}, true],
  ["setDeploymentTags", {}, true],
  ["deleteDeploymentTags", {}, true],
  ["matchDeploymentShapeVersions", {}, true],
  ["getModelUploadEndpoint", {}, true],
  ["createDeployment", {}, false],
  ["createDeployment", { validateOnly: true }, true],
  ["createUser", {}, false],
])("%s with %j may be repeated: %p (A092)", (operation, query, expected) => {
  expect(repeatable(operation, query)).toBe(expected);
});

test("a create with an id that the caller chose may be repeated", () => {
  expect(repeatable("createDeployment", {}, true)).toBe(true);
});

/** Requests that are sent for a call, where each of them fails like this. */
function tries(failure: RequestFailure, repeatable = true): number {
  let sent = 1;
  while (shouldRetry(failure, { sent, repeatable })) sent += 1;
  return sent;
}

test.each([408, 500, 502, 503, 504, 507, 520, 522, 524, 529, 530, 598])(
  "status %d is repeated where that is safe, and leaves a change open",
  (status) => {
    expect(tries({ status })).toBe(8);
    expect(tries({ status }, false)).toBe(1);
    expect(mayHaveTakenEffect({ status })).toBe(true);
  },
);

test.each([421, 425])("status %d says that nothing was processed: a create, too, is sent again", (status) => {
  expect([tries({ status }), tries({ status }, false)]).toEqual([8, 8]);
  expect(mayHaveTakenEffect({ status })).toBe(false);
});

test.each([400, 401, 402, 403, 409, 412, 501, 505])(
  "status %d is never repeated, whatever its header says, and settles it",
  (status) => {
    expect(tries({ status, advice: { again: true, wait: 1 } })).toBe(1);
    expect(mayHaveTakenEffect({ status })).toBe(false);
  },
);

test.each([404, 405, 410, 422])("status %d is repeated only where its header asks for it", (status) => {
  expect(tries({ status })).toBe(1);
  expect(tries({ status, advice: { again: true } })).toBe(8);
});

test("a rate limit is waited for, a quota is tried three times; neither did anything", () => {
  expect([tries({ status: 429 }), tries({ status: 429 }, false), tries({ status: 429, quota: true })]).toEqual([
    30, 30, 3,
  ]);
  expect(mayHaveTakenEffect({ status: 429 })).toBe(false);
});

test.each([
  ["unreachable", 5, 5, false],
  ["timeout", 8, 1, true],
  ["lost", 8, 1, true],
  ["unreadable", 8, 1, true],
  ["html", 1, 1, true],
  ["oversize", 1, 1, true],
  ["redirect", 1, 1, false],
  ["files", 1, 1, false],
  ["tls", 1, 1, false],
  ["proxy", 1, 1, false],
] as [NetworkErrorKind, number, number, boolean][])(
  "after fault %s a request is sent %d times if repeatable, else %d; open: %p",
  (networkError, safe, unsafe, open) => {
    expect([tries({ networkError }), tries({ networkError }, false), mayHaveTakenEffect({ networkError })]).toEqual([
      safe,
      unsafe,
      open,
    ]);
  },
);

test("x-should-retry: false ends it, and so does an answer that calls for the list", () => {
  expect(tries({ status: 503, advice: { again: false } })).toBe(1);
  expect(tries({ status: 500, verifyFirst: true })).toBe(1);
});

test("the pause is what the service asks for, at least a part of a doubling span", () => {
  expect(pauseBefore(1, { advice: { wait: 1234 } }, () => 0.5)).toBe(1234);
  expect(pauseBefore(1, { advice: { wait: 0 } }, () => 0.5)).toBe(250);
  expect(pauseBefore(4, { advice: { wait: 1 } }, () => 0.5)).toBe(2000);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const pause = pauseBefore(attempt, {}, () => random);
        return pause >= 0 && pause <= Math.min(retryTable.pause.first * 2 ** (attempt - 1), retryTable.pause.last);
      },
    ),
  );
});
