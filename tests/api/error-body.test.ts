import { readErrorBody } from "../../provider/api/error-body";
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
    status: 400,
    message: "no",
    reasons: ["POLICY_TRAINING_DENIED"],
    fieldPaths: ["rules[0].model"],
    detailTypes: ["QuotaFailure"],
    details: { fields: [{ field: "rules[0].model", text: "no" }], others: ["reason POLICY_TRAINING_DENIED"] },
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
  [JSON.stringify({ fault: "x".repeat(300) }), `${JSON.stringify({ fault: "x".repeat(300) }).slice(0, 200)}…`],
  ["{}", ""],
])("a body of another form is the message, up to 200 letters: %s", (body, message) => {
  expect(readErrorBody(body).message).toBe(message);
});

const known = "accounts/acme/users/ada does not exist";

/** Forms of an error that services are known to answer. */
const forms: Readonly<
  Record<string, { text: string; type?: string; headers?: Record<string, string>; code?: number }>
> = {
  "gRPC's JSON": { text: `{"code":5,"message":"${known}","details":[]}`, code: 5 },
  "a gRPC name in other letters": { text: `{"code":"notFound","message":"${known}"}`, code: 5 },
  "an error of the gateway": { text: `{"error":{"code":404,"message":"${known}","status":"NOT_FOUND"}}`, code: 5 },
  "a list of errors": { text: `[{"error":{"code":404,"message":"${known}"}}]` },
  "an error within an error": { text: `{"error":{"error":{"code":"not-found","message":"${known}"}}}`, code: 5 },
  "a problem": { text: `{"type":"about:blank","title":"Gone","status":404,"detail":"${known}"}` },
  "errors with codes": { text: `{"errors":[{"code":"NOT_FOUND","message":"${known}","field":"name"}]}`, code: 5 },
  "errors of JSON:API": { text: `{"errors":[{"status":"404","title":"x","detail":"${known}"}]}` },
  "a list of messages": { text: `{"statusCode":404,"message":["${known}"],"error":"Not Found"}` },
  OAuth: { text: `{"error":"not_found","error_description":"${known}"}` },
  "a fault": { text: `{"fault":{"faultstring":"${known}","detail":{"errorcode":"steps.NotFound","code":404}}}` },
  "a status": { text: `{"status":{"code":5,"message":"${known}"}}`, code: 5 },
  "details alone": { text: `{"code":5,"details":[{"@type":"x/LocalizedMessage","message":"${known}"}]}`, code: 5 },
  XML: { text: `<?xml version="1.0"?><Error><Code>NotFound</Code><Message>${known}</Message></Error>`, code: 5 },
  "a fault of SOAP": { text: `<s:Fault><faultcode>404</faultcode><faultstring>${known}</faultstring></s:Fault>` },
  "headers of gRPC": { text: "", headers: { "grpc-status": "5", "grpc-message": encodeURIComponent(known) }, code: 5 },
  "capital letters": { text: `{"Code":"x","Message":"${known}"}` },
  "a text of JSON": { text: JSON.stringify(known) },
};

test.each(Object.entries(forms))("%s is read as what it says (A091)", (_, { text, type, headers, code }) => {
  const read = readErrorBody(text, type, headers);
  expect(read).toMatchObject({ message: known, html: false });
  expect(read.code).toBe(code);
});

test.each([
  ['{"errors":{"role":["is no role","is too long"]}}', "role: is no role; is too long", ["role"]],
  ['{"detail":[{"loc":["body","email"],"msg":"field required","type":"missing"}]}', "field required", ["email"]],
  ['{"errors":[{"source":{"pointer":"/data/role"},"detail":"no"}]}', "no", ["data.role"]],
])("%s names the place that it rejects", (text, message, places) => {
  expect(readErrorBody(text)).toMatchObject({ message, fieldPaths: places });
});

test.each([
  ['<?xml version="1.0"?><!DOCTYPE html><html></html>', "", true],
  ["<?xml version='1.0'?><Error><Message>no</Message></Error>", "application/xml", false],
  ["<Error><Message>no</Message></Error>", "text/xml", false],
  ["<html xmlns='x'><body/></html>", "application/xhtml+xml", true],
])("%s is a page, or is none", (text, contentType, html) => {
  expect(readErrorBody(text, contentType).html).toBe(html);
});
