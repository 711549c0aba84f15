import { isAmbiguousOutcome, isConflict, isNotFound, type ModelPlatformError } from "../../provider/core/errors";
import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { testClient } from "./support/test-client";

/** Errors with the status of a success (A091). */

const origin = "https://api.example.com";
const own = { account: "acme", deploymentId: "chat" };
const chat = { name: "accounts/acme/deployments/chat", baseModel: "m", state: "READY" };

const answering = (...bodies: unknown[]) => {
  let sent = 0;
  const { agent } = mockService([origin], () => ({ body: bodies[Math.min(sent++, bodies.length - 1)] }));
  return { client: testClient(origin, { dispatcher: agent }), sent: () => sent };
};

const failed = (operation: string, body: unknown, options: object) =>
  rejection(answering(body).client.call(operation, options)) as Promise<ModelPlatformError>;

const read = { parameters: own };
const create = { query: { deploymentId: "chat" }, body: { baseModel: "m" } };
const update = { parameters: own, query: { updateMask: "display_name" }, body: {} };

test.each([
  ["getDeployment", { code: 5, message: "no such thing" }, read, 404, 5],
  ["getDeployment", { error: { code: 403, message: "no" } }, read, 403, undefined],
  ["getDeployment", { message: "you are not allowed to see this" }, read, 403, undefined],
  ["getDeployment", { name: "NotFound", message: "no such thing", code: 404 }, read, 404, undefined],
  ["getDeployment", {}, read, 404, undefined],
  ["listDeployments", { errors: [{ code: "PERMISSION_DENIED" }] }, { parameters: { account: "acme" } }, 403, 7],
  ["listDeployments", { deployments: [], error: { code: 7 } }, { parameters: { account: "acme" } }, 403, 7],
  ["createDeployment", { code: 6, message: "it exists" }, create, 409, 6],
  ["createDeployment", { name: "operations/1", done: true, error: { code: 9, message: "no" } }, create, 400, 9],
  ["updateDeployment", { code: 9, message: "not now" }, update, 400, 9],
  ["updateDeployment", { message: "chat does not exist" }, update, 404, undefined],
  ["deleteDeployment", { error: "not found" }, read, 404, undefined],
  [
    "cancelSupervisedFineTuningJob",
    { code: 9, message: "it has ended" },
    { parameters: { account: "acme", supervisedFineTuningJobId: "j" } },
    400,
    9,
  ],
  ["getPolicySettings", { code: 7, message: "no" }, { parameters: { account: "acme" } }, 403, 7],
  ["getResponse", { error: { code: "NOT_FOUND", message: "no" } }, { parameters: { responseId: "r" } }, 404, 5],
] as [string, unknown, object, number, number | undefined][])(
  "%s that answers 200 and %j is the error that it holds",
  async (operation, body, options, status, code) => {
    const error = await failed(operation, body, options);
    expect(error).toMatchObject({ status, grpcCode: code, outcome: "none", operation });
    expect(error.message).toMatch(
      status === 404 && JSON.stringify(body) === "{}" ? /answered 200 with nothing/ : /answered 200 with the error/,
    );
  },
);

test.each([
  ["getDeployment", chat, read],
  ["getDeployment", { ...chat, status: { code: "INTERNAL", message: "the last operation failed" } }, read],
  ["getDeployment", { ...chat, error: { code: 7 } }, read],
  ["listDeployments", { deployments: [], code: 0, message: "" }, { parameters: { account: "acme" } }],
  ["listDeployments", { deployments: [chat], error: null }, { parameters: { account: "acme" } }],
  ["updateDeployment", { message: "updated" }, update],
  ["updateDeployment", { code: 200, message: "OK" }, update],
  ["deleteDeployment", { message: "the deployment was deleted" }, read],
  ["deleteDeployment", { status: "DELETED" }, read],
  ["getPolicySettings", {}, { parameters: { account: "acme" } }],
  [
    "getResponse",
    { id: "r", object: "response", status: "cancelled", error: { code: "x", message: "y" } },
    { parameters: { responseId: "r" } },
  ],
])("%s that answers %j is no error", async (operation, body, options) => {
  await expect(answering(body).client.call(operation, options)).resolves.toMatchObject({ status: 200 });
});

test("one that may pass is repeated", async () => {
  const { client, sent } = answering({ code: 14, message: "overloaded" }, chat);
  expect((await client.call("getDeployment", read)).value).toMatchObject(chat);
  expect(sent()).toBe(2);
});

test("only a create that may have been carried out has an unknown outcome", async () => {
  const unknown = await failed("createDeployment", { code: 13, message: "it broke" }, create);
  expect([isAmbiguousOutcome(unknown), unknown.outcome]).toEqual([true, "unknown"]);
  const nameless = await failed("createDeployment", { error: "something odd" }, create);
  expect([isAmbiguousOutcome(nameless), nameless.outcome]).toEqual([true, "unknown"]);
  expect(nameless.message).toContain('answered 200 with an error: "something odd"');
  const refused = await failed("createDeployment", { code: 6, message: "it exists" }, create);
  expect([isConflict(refused), refused.outcome]).toEqual([true, "none"]);
  expect(isNotFound(await failed("getDeployment", { code: 5, message: "no" }, read))).toBe(true);
});

test("what it says is masked", async () => {
  const { agent } = mockService([origin], () => ({ body: { code: 7, message: "the key acme-key-1234 may not" } }));
  const client = testClient(origin, { dispatcher: agent });
  client.redactor.add("acme-key-1234");
  const error = await rejection(client.call("getDeployment", read));
  expect(error.message).toContain("the key [redacted] may not");
});
