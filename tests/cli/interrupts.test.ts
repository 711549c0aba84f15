import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../emulator/index";
import { systemTime } from "../../provider/api/time";
import { exported } from "../drift/support/stacks";
import { nightly } from "../nightly";
import { type CommandOutput, modelplatform, project } from "./terminal";

/** Where the HTTP client says that it sends a request. */
const SENT = "undici:client:sendHeaders";

/**
 * What a signal does to a command at each point of its life: at the first, second, … of its requests, the service stops
 * answering and the signal comes. A command that listens for signals ends with 130 and sends nothing more; one that
 * does not is ended by the system. No time is measured: only the signal can end what waits for such an answer.
 */
const points = [1, 2, 4, 7, 10];
const between = [3, 5, 6, 8, 9];

/** Commands, and whether they listen: there is something to say about what they leave. */
const lines = [
  ["drift --account acme --unmanaged --stack-file prod.json --concurrency 1", true],
  ["drift --all --stack-file prod.json --concurrency 1", true],
  ["audit --account acme --concurrency 1", true],
  ["cost --live --account acme", true],
  ["codify", false],
  ["codify accounts/acme/users/ada", false],
  ["call listUsers --account acme", false],
  ["doctor", false],
] as const;

let emulator: Emulator;
let upstream: string;
let front: Server;
let answer: (forward: () => void, response: ServerResponse) => void;

beforeEach(async () => {
  emulator = createEmulator({ clock: "manual", accounts: { acme: "acme-key" } });
  for (const id of ["ada", "eve"]) {
    const name = `accounts/acme/users/${id}`;
    emulator.world.put({
      kind: "User",
      name,
      fields: { name, email: `${id}@example.com`, role: "user", state: "READY" },
    });
  }
  ({ url: upstream } = await emulator.listen({ port: 0 }));
  front = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      const headers = Object.entries(request.headers).filter(([name]) => name === "authorization");
      const reply = await fetch(`${upstream}${request.url}`, { headers: headers as [string, string][] });
      response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
    };
    answer(() => void forward(), response);
  });
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
});
afterEach(async () => {
  front.closeAllConnections();
  await new Promise((done) => front.close(done));
  await emulator.close();
});

interface Play {
  /** Whether the command sent so many requests. */
  isReached: boolean;
  /** Whether it listened then. */
  listens: boolean;
  /** How it ended; undefined where the system ended it. */
  ended?: CommandOutput;
  /** Requests that it sent after the signal. */
  later: number;
}

/** Runs a command whose `point`th request is never answered, and sends that many signals then. */
async function play(line: string, point: number, signals = 1): Promise<Play> {
  const { cwd, env } = await project("dev");
  const user = { name: "accounts/acme/users/ada", email: "ada@example.com", role: "admin" };
  const stack = exported([{ kind: "User", inputs: user, live: user, outputs: {} }]);
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(stack));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const listeners = new Set<() => void>();
  const outcome: Play = { isReached: false, listens: false, later: 0 };
  let requests = 0;
  let isGone = false;
  let stop: (() => void) | undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  let isSignalled = false;
  const signal = (): void => {
    isSignalled = true;
    Object.assign(outcome, { isReached: true, listens: listeners.size > 0 });
    if (!outcome.listens) return stop!();
    try {
      for (let index = 0; index < signals; index += 1) for (const listener of listeners) listener();
    } catch {
      // The process has ended.
      stop!();
    }
  };
  answer = (forward, response) => {
    if (isGone) return void response.destroy();
    requests += 1;
    if (requests < point) return forward();
    if (requests === point) signal();
  };
  // Counted where they leave: what was sent before the signal may arrive after it.
  const countSent = (message: unknown): void => {
    const { origin } = (message as { request: { origin: string } }).request;
    if (origin === url && isSignalled && !isGone) outcome.later += 1;
  };
  subscribe(SENT, countSent);
  const running = modelplatform(line, {
    cwd,
    env: {
      ...env,
      ...{ MODELPLATFORM_BASE_URL: url, MODELPLATFORM_ACCOUNT_ID: "acme", MODELPLATFORM_API_KEY: "acme-key" },
      ...{ XDG_STATE_HOME: join(cwd, "state"), MODELPLATFORM_PRICES: '{"currency": "USD"}', PATH: "/usr/bin:/bin" },
    },
    // What does not listen would try again for minutes, which no process does that has ended.
    time: { ...systemTime, sleep: (ms, signal) => (isGone ? Promise.resolve() : systemTime.sleep(ms, signal)) },
    onListen: (listener) => listeners.add(listener),
    onSilence: (listener) => listeners.delete(listener),
  });
  const ended = await Promise.race([running, stopped]);
  if (ended !== undefined) outcome.ended = ended;
  isGone = true;
  front.closeAllConnections();
  if (ended === undefined) await running.catch(() => undefined);
  unsubscribe(SENT, countSent);
  return outcome;
}

describe.each(lines)("%s", (line, listens) => {
  const title = "a signal at request %d ends it";
  test.each(points)(title, expectEnded);
  nightly("at each point the same listener ends the same wait", () => test.each(between)(title, expectEnded));

  async function expectEnded(point: number): Promise<void> {
    const { isReached, ended, later, ...seen } = await play(line, point);
    if (!isReached) return expect(point).toBeGreaterThan(1);
    expect(seen.listens).toBe(listens);
    if (!listens) return;
    expect({ code: ended?.code, exited: ended?.exited, later }).toEqual({ code: 130, exited: undefined, later: 0 });
    expect(ended!.stderr).toMatch(/error: interrupted/);
  }

  if (listens)
    test("a second signal ends it at once", async () => {
      const { ended } = await play(line, 1, 2);
      expect(ended).toBeUndefined();
    });
});
