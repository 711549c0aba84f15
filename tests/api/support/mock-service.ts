import { MockAgent } from "undici";

export interface MockRequest {
  origin: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

export interface MockAnswer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A service without a network: every request goes to `answer`. */
export interface MockService {
  agent: MockAgent;
  requests: MockRequest[];
}

export function mockService(
  origins: readonly string[],
  answer: (request: MockRequest, index: number) => MockAnswer,
): MockService {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const requests: MockRequest[] = [];
  for (const origin of origins) {
    for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
      agent
        .get(origin)
        .intercept({ method, path: () => true })
        .reply((options) => {
          const request = {
            origin,
            method,
            path: options.path,
            headers: options.headers as Record<string, string>,
            body: options.body ? (JSON.parse(String(options.body)) as unknown) : undefined,
          };
          requests.push(request);
          const { status = 200, body = {}, headers = {} } = answer(request, requests.length - 1);
          return {
            statusCode: status,
            data: typeof body === "string" ? body : JSON.stringify(body),
            responseOptions: { headers: { "content-type": "application/json", ...headers } },
          };
        })
        .persist();
    }
  }
  return { agent, requests };
}
