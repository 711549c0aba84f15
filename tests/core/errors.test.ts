import * as errors from "../../provider/core/errors";

const details = {
  operation: "getDeployment",
  method: "GET",
  path: "/v1/accounts/acme/deployments/chat",
  status: 404,
  grpcCode: 5,
  serviceMessage: 'there is no "chat"',
  requestId: "req-7",
  advice: "Check the name.",
};

test("the message says what was tried, what answered and what to do", () => {
  expect(new errors.NotFoundError("answered 404 NOT_FOUND (code 5)", details).message).toBe(
    'getDeployment (GET /v1/accounts/acme/deployments/chat) answered 404 NOT_FOUND (code 5): "there is no \\"chat\\"" (request id req-7). Check the name.',
  );
});

test.each([
  [{}, "went wrong"],
  [{ operation: "getUser" }, "getUser went wrong"],
  [{ method: "GET", path: "/v1/x" }, "GET /v1/x went wrong"],
  [{ attempts: 1 }, "went wrong"],
  [{ attempts: 3 }, "went wrong (after 3 attempts)"],
  [{ attempts: 3, requestId: "r" }, "went wrong (after 3 attempts, request id r)"],
  [{ serviceMessage: "" }, "went wrong"],
  [{ advice: "Try again." }, "went wrong. Try again."],
])("with %j the message is %j", (given, text) => {
  expect(new errors.ModelPlatformError("went wrong", given).message).toBe(text);
});

test("the problem is the message without what to do next", () => {
  const topic = "no-connection";
  for (const given of [{}, { advice: "Try again." }, { topic }, { advice: "Try again.", topic }] as const)
    expect(errors.problemOf(new errors.ModelPlatformError("went wrong", given))).toBe("went wrong");
  expect(errors.problemOf(new Error("went wrong."))).toBe("went wrong");
});

test("a failure is taken to have changed nothing unless it says otherwise", () => {
  expect(new errors.ModelPlatformError("failed").outcome).toBe("none");
  expect(new errors.ModelPlatformError("failed", { outcome: "unknown" }).outcome).toBe("unknown");
});

const predicates = {
  NotFoundError: errors.isNotFound,
  ConflictError: errors.isConflict,
  FailedPreconditionError: errors.isFailedPrecondition,
  UnsupportedOperationError: errors.isUnsupportedOperation,
  ConfigurationError: errors.isConfigurationError,
  DeadlineError: errors.isDeadline,
  AbortedError: errors.isAborted,
  AmbiguousOutcomeError: errors.isAmbiguousOutcome,
} as const;

const classes = Object.keys(predicates) as (keyof typeof predicates)[];

test.each(classes)("a %s is recognised by its own predicate and no other", (name) => {
  const error = new errors[name]("failed");
  expect(error.name).toBe(name);
  expect(error).toBeInstanceOf(errors.ModelPlatformError);
  expect(classes.filter((other) => predicates[other](error))).toEqual([name]);
});

test.each(classes)("a %s of another copy of this module is recognised", (name) => {
  jest.isolateModules(() => {
    const copy = require("../../provider/core/errors") as typeof errors;
    const error = new copy[name]("failed");
    expect(error).not.toBeInstanceOf(errors.ModelPlatformError);
    expect(errors.isModelPlatformError(error)).toBe(true);
    expect(predicates[name](error)).toBe(true);
  });
});

test.each([
  undefined,
  null,
  0,
  "NotFoundError",
  {},
  new Error("x"),
  Object.assign(new Error("x"), { name: "NotFoundError" }),
])("%p is none of this package's errors", (value) => {
  expect(errors.isModelPlatformError(value)).toBe(false);
  expect(errors.isNotFound(value)).toBe(false);
});

test("a 409 is a taken id unless its code says that a change is under way (A044)", () => {
  expect(errors.isAlreadyExists(new errors.ConflictError("c", { status: 409, grpcCode: 6 }))).toBe(true);
  expect(errors.isAlreadyExists(new errors.ConflictError("c", { status: 409 }))).toBe(true);
  expect(errors.isAlreadyExists(new errors.ConflictError("c", { status: 409, grpcCode: 10 }))).toBe(false);
});

test.each([
  [401, true],
  [403, true],
  [404, false],
  [undefined, false],
])("status %p is forbidden: %p", (status, forbidden) => {
  expect(errors.isForbidden(new errors.ModelPlatformError("x", status === undefined ? {} : { status }))).toBe(
    forbidden,
  );
});

test("a cause is kept", () => {
  const cause = new Error("below");
  expect(new errors.ModelPlatformError("above", { cause }).cause).toBe(cause);
});
