import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";

export interface EdgeAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body as JSON; undefined where it is none. */
  json: any;
}

export interface EdgeClient {
  emulator: Emulator;
  /** A request of the API; with the demo account's admin key unless told otherwise. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<EdgeAnswer>;
  control(method: string, path: string, body?: unknown): Promise<EdgeAnswer>;
  /** Orders a fault and gives its id. */
  fault(fault: unknown, match?: unknown, more?: unknown): Promise<string>;
  /** Creates a deployment and gives its path. */
  deployment(id: string): Promise<string>;
}

/** An emulator on a manual clock, called within the process; a mistake of its own fails the test. */
export function client(options: EmulatorOptions = {}): EdgeClient {
  const emulator = createEmulator({ clock: "manual", onError: fail, ...options });
  const send = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<EdgeAnswer> => {
    const init = {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    return answerOf(await emulator.fetch(new Request(`http://emulator.test${path}`, init)));
  };
  const api: EdgeClient["api"] = (method, path, body, headers = { authorization: "Bearer demo-key" }) =>
    send(method, path, body, headers);
  const control: EdgeClient["control"] = (method, path, body) => send(method, `/_emulator/${path}`, body, {});
  return {
    emulator,
    api,
    control,
    fault: async (fault, match = {}, more = {}) => {
      const { status, text, json } = await control("POST", "faults", { fault, match, ...(more as object) });
      if (status !== 200) throw new Error(text);
      return json.id;
    },
    deployment: async (id) => {
      const { status, text } = await api("POST", `/v1/accounts/demo/deployments?deploymentId=${id}`, {
        baseModel: "accounts/platform/models/open-8b",
        deploymentShape: "default",
      });
      if (status !== 200) throw new Error(text);
      return `/v1/accounts/demo/deployments/${id}`;
    },
  };
}

export async function answerOf(response: Response): Promise<EdgeAnswer> {
  const text = await response.text();
  return { status: response.status, headers: Object.fromEntries(response.headers), text, json: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fail(error: unknown): never {
  throw error;
}
