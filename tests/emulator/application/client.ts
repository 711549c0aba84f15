import { createApp } from "../../../emulator/app";
import type { ApiResponse, Fields, Role, Settings, World } from "../../../emulator/types";
import { createClock, createWorld } from "../../../emulator/world/store";

export interface Answer {
  status: number;
  body: Fields;
  headers: Readonly<Record<string, string>>;
}

export interface ApplicationClient {
  world: World;
  /** `target` is a path with its query; `key` is `demo-key` unless said otherwise. */
  send(method: string, target: string, body?: unknown, key?: string): Answer;
  get(target: string, key?: string): Answer;
  post(target: string, body?: unknown, key?: string): Answer;
  patch(target: string, body?: unknown, key?: string): Answer;
  delete(target: string, key?: string): Answer;
  /** Moves the clock, in seconds. */
  wait(seconds: number): void;
}

export const demo = "/v1/accounts/demo";

const keys: readonly (readonly [key: string, account: string, role: Role])[] = [
  ["demo-key", "demo", "admin"],
  ["user-key", "demo", "user"],
  ["read-key", "demo", "inference-user"],
  ["other-key", "other", "admin"],
  ["super-key", "platform", "superuser"],
];

/** An emulated service of two accounts in this process, with a manual clock and ids that count up. */
export function client(settings: Partial<Settings> = {}): ApplicationClient {
  let count = 0;
  const uuid = () => `${String(++count).padStart(8, "0")}-0000-4000-8000-000000000000`;
  const world = createWorld({ clock: createClock({ kind: "manual" }), settings, uuid });
  for (const [key, account, role] of keys) world.setKey(key, account, role);
  const app = createApp(world);

  function send(method: string, target: string, body?: unknown, key = "demo-key"): Answer {
    const { pathname, searchParams } = new URL(target, "http://127.0.0.1:8787");
    const headers: Record<string, string> = {
      host: "127.0.0.1:8787",
      ...(key !== "" && { authorization: `Bearer ${key}` }),
    };
    const answer: ApiResponse = app({ method, path: pathname, query: new Map(searchParams), headers, body });
    return { status: answer.status, body: answer.body as Fields, headers: answer.headers ?? {} };
  }

  return {
    world,
    send,
    get: (target, key) => send("GET", target, undefined, key),
    post: (target, body, key) => send("POST", target, body ?? {}, key),
    patch: (target, body, key) => send("PATCH", target, body ?? {}, key),
    delete: (target, key) => send("DELETE", target, undefined, key),
    wait: (seconds) => world.clock.advance(seconds * 1000),
  };
}
