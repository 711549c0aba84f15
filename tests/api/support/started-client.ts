import { type MockAnswer, type MockRequest, mockService } from "./mock-service";
import { testClient } from "./test-client";

export const base = "https://api.example.com";
export const chat = {
  name: "accounts/acme/deployments/chat",
  baseModel: "accounts/platform/models/open-8b",
  state: "READY",
};

/** A client, and a service at two addresses that answers so. */
export function start(
  answer: (request: MockRequest, index: number) => MockAnswer = () => ({ body: {} }),
  options: Parameters<typeof testClient>[1] = {},
  env: Record<string, string> = {},
) {
  const service = mockService([base, "https://eu.example.com"], answer);
  return { ...service, client: testClient(base, { dispatcher: service.agent, ...options }, env) };
}
