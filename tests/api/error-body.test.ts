import { readErrorBody } from "../../provider/api/errors/error-body";
import { errorBodies } from "../contract/reference/errors";

test.each(errorBodies)("the error body $body is read (A091)", ({ body, code, message }) => {
  const read = readErrorBody(body);
  expect(read.code).toBe(code);
  expect(read.message).toBe(message ?? "");
  expect(read.html).toBe(body.startsWith("<html"));
});

test("reasons and types of details are found in the flat and the nested form", () => {
  const details = [
    { "@type": "type.example.com/rpc.QuotaFailure", violations: [] },
    { reason: "POLICY_TRAINING_DENIED", fieldViolations: [{ field: "rules[0].model", description: "no" }, "odd"] },
    "odd",
  ];
  const expected = {
    code: 9,
    message: "no",
    reasons: ["POLICY_TRAINING_DENIED"],
    places: ["rules[0].model"],
    detailTypes: ["QuotaFailure"],
    html: false,
  };
  expect(readErrorBody(JSON.stringify({ code: 9, message: "no", details }))).toEqual(expected);
  expect(
    readErrorBody(JSON.stringify({ error: { code: 400, status: "FAILED_PRECONDITION", message: "no", details } })),
  ).toEqual(expected);
});

test.each([
  "null",
  "[]",
  "3",
  '"text"',
  '{"error": null}',
  '{"code": "x"}',
  '{"code": 404}',
  "\u0000",
  "{".repeat(1000),
])("%j is no reason to fail", (body) => {
  expect(readErrorBody(body).code).toBeUndefined();
});

test("a message that fills the screen is cut", () => {
  expect(readErrorBody(JSON.stringify({ message: "ä".repeat(5000) })).message).toHaveLength(1001);
});

test.each([
  ["text/html; charset=utf-8", "anything"],
  ["", "  <!DOCTYPE html><p>"],
  ["application/json", "<html>"],
])("a page for a browser is recognised by its type %j or its text", (contentType, text) => {
  expect(readErrorBody(text, contentType).html).toBe(true);
});

test.each([
  ['{"errors":[{"status":"400","title":"bad role"}]}', '{"errors":[{"status":"400","title":"bad role"}]}'],
  [JSON.stringify({ fault: "x".repeat(300) }), `${JSON.stringify({ fault: "x".repeat(300) }).slice(0, 200)}…`],
  ["{}", ""],
])("a body of another form is the message, up to 200 letters: %s", (body, message) => {
  expect(readErrorBody(body).message).toBe(message);
});
