import { elvish } from "../../core/dialects";
import { client, demo } from "./client";

/** What a service does not know is refused, also where this package has a word for it. */

const deployment = { llm: "accounts/platform/models/open-8b", title: "Chat" };

test.each([
  ["a field", { ...deployment, displayName: "Chat" }, "displayName"],
  ["a value of an enum", { ...deployment, gpuKind: "VENDOR1_H100_80GB" }, "gpuKind"],
])("under a dialect %s in our words is refused, and named as it was sent (A100)", (_, body, field) => {
  const service = client({ dialect: elvish });
  const answer = service.post(`${demo}/deployments?deploymentId=chat`, body);
  expect(answer).toMatchObject({ status: 400, body: { code: 3, details: [{ fieldViolations: [{ field }] }] } });
  expect(service.world.get("accounts/demo/deployments/chat")).toBeUndefined();
});

test("under a dialect the service's own words are accepted", () => {
  const service = client({ dialect: elvish });
  const body = {
    ...deployment,
    gpuKind: "ELF_H100_80GB",
    elasticity: { growWindow: "30s" },
    labels: { "custom/a": "b" },
  };
  expect(service.post(`${demo}/deployments?deploymentId=chat`, body)).toMatchObject({ status: 200 });
});

const base = { baseModel: "accounts/platform/models/open-8b" };

test.each([
  ["precision", { ...base, precision: "FP2" }],
  ["acceleratorType", { ...base, acceleratorType: "VENDOR9_X" }],
  ["directRouteType", { ...base, directRouteType: "TUNNEL" }],
])("a %s that is not described is refused, or passes where so set (A002)", (field, body) => {
  expect(client().post(`${demo}/deployments?deploymentId=chat`, body)).toMatchObject({
    status: 400,
    body: { code: 3, details: [{ fieldViolations: [{ field }] }] },
  });
  expect(client({ enums: "open" }).post(`${demo}/deployments?deploymentId=chat`, body)).toMatchObject({ status: 200 });
});

test("a purpose that the description does not list is refused (A002)", () => {
  const job = { ...base, dataset: "accounts/demo/datasets/d", purpose: "PURPOSE_FUN" };
  expect(client().post(`${demo}/supervisedFineTuningJobs`, job)).toMatchObject({ status: 400, body: { code: 3 } });
});
