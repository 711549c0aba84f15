import { rejection } from "../rejection";
import { mockService } from "./support/mock-service";
import { testClient } from "./support/test-client";

const origin = "https://service.test";
const name = "accounts/acme/deployments/chat";
const html = { "content-type": "text/html" };

const patch = { parameters: { name }, query: { updateMask: "display_name" }, body: { displayName: "Chat" } };

test.each([
  ["an empty object", { body: {} }],
  ["204 and nothing", { status: 204, body: "" }],
  ["200 and nothing", { body: "" }],
  ["a broken object", { body: '{"name": "acc' }],
  ["a word", { body: "OK" }],
])("an update that is answered with %s is accepted, and sent once", async (_, answer) => {
  const { agent, requests } = mockService([origin], () => answer);
  const { value } = await testClient(origin, { dispatcher: agent }).call("updateDeployment", patch);
  expect([value, requests.length]).toEqual([{}, 1]);
});

test.each(["OK", '{"na'])("a delete that is answered with %j is accepted, and sent once", async (body) => {
  const { agent, requests } = mockService([origin], () => ({ body }));
  const { value } = await testClient(origin, { dispatcher: agent }).call("deleteDeployment", { parameters: { name } });
  expect([value, requests.length]).toEqual([{}, 1]);
});

test.each([
  ["createDeployment", { parameters: { account: "acme" }, query: { deploymentId: "chat" }, idempotent: true }],
  ["deleteDeployment", { parameters: { name } }],
])("%s is not sent again after a page that answers 200", async (operation, options) => {
  const { agent, requests } = mockService([origin], () => ({ body: "<html>hello</html>", headers: html }));
  const error = await rejection(testClient(origin, { dispatcher: agent }).call(operation, { ...options, body: {} }));
  expect([requests.length, String(error)]).toEqual([1, expect.stringContaining("HTML page")]);
});

test("a create whose success cannot be read is not sent again", async () => {
  const { agent, requests } = mockService([origin], () => ({ body: "OK" }));
  const options = { parameters: { account: "acme" }, query: { deploymentId: "chat" }, body: {}, idempotent: true };
  await rejection(testClient(origin, { dispatcher: agent }).call("createDeployment", options));
  expect(requests).toHaveLength(1);
});
