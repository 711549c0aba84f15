import { memoize } from "../provider/core/values/once";
import type { Reply } from "./http/replies";
import { createRequestHandler, fetchFrom, type Listening, type ServeOptions, serve, type Timer } from "./http/serve";
import type { ApiRequest, EmulatorClock, Role, Settings, World } from "./types";
import { openPersistence, type Persistence } from "./world/persistence";
import { createClock, createWorld } from "./world/store";
import type { WorldDocument } from "./world/world-document";

export type { Fault, FaultKind } from "./http/faults";
export type { Reply, Wire } from "./http/replies";
export type { Listening, ServeOptions } from "./http/serve";
export type { ApiRequest, Role, Settings, World } from "./types";
export type { WorldDocument } from "./world/world-document";

export interface EmulatorOptions {
  /** Admin keys by account. Default: `{ demo: "demo-key" }`. */
  accounts?: Readonly<Record<string, string>> | undefined;
  /** Further keys. */
  keys?: readonly { account: string; role: Role; key: string }[];
  /** Key of the platform's superuser. Default: `superuser-key`. */
  superuserKey?: string | undefined;
  /** Initial objects and accounts; ignored if `data` restores a world. */
  seed?: WorldDocument | undefined;
  /** Folder that keeps the world across restarts and crashes. Default: the world is gone with the process. */
  data?: string | undefined;
  /** Default: `real`. */
  clock?: "real" | "manual";
  /** Where a manual clock begins. Default: the start of 2026. */
  startTime?: Date;
  /** How the service behaves, for all accounts; `settings.speed` is the pace of a real clock. */
  settings?: Partial<Settings> | undefined;
  /** Opens the control plane to holders of the token only. Default: open to programs of this machine. */
  controlToken?: string | undefined;
  /** Receives bugs of the emulator itself. Default: ignored; the request gets a 500. */
  onError?: (error: unknown) => void;
  /** The machine's time in milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Calls back after so many milliseconds of the machine's time unless cancelled. Default: `setTimeout`. */
  after?: Timer;
  /** Default: random. */
  uuid?: () => string;
}

export interface Emulator {
  /** The emulated world, for reading and changing. */
  readonly world: World;
  /** Answers a request to any origin, the control plane's included. */
  fetch(request: Request): Promise<Response>;
  /** Answers a parsed request of the API. */
  handle(request: ApiRequest): Promise<Reply>;
  /** Serves HTTP. Rejects with a readable error where the port is in use. */
  listen(options?: ServeOptions): Promise<Listening>;
  /** Stops listening and stores what is left. */
  close(): Promise<void>;
}

const defaultAccounts: Readonly<Record<string, string>> = { demo: "demo-key" };

const knownSuperuserKey = "superuser-key";

const sleeper: Timer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/**
 * An emulator of the platform: accounts with keys, objects that live through their
 * states, every listed and conventional operation.
 *
 * ```ts
 * const emulator = createEmulator({ clock: "manual" });
 * const { url } = await emulator.listen({ port: 0 });
 * ```
 *
 * Throws an error that says what to do where settings or the seed make no sense or the data folder cannot be used.
 */
export function createEmulator(input: EmulatorOptions = {}): Emulator {
  const options = { ...input, settings: input.settings === undefined ? undefined : readSettings(input.settings) };
  const { now = Date.now, after = sleeper, onError = () => undefined } = options;
  const clock = createClock({
    kind: options.clock ?? "real",
    speed: options.settings?.speed ?? 1,
    machine: now,
    start: options.startTime?.getTime(),
  });
  const world = worldWith(options, clock);
  const persistence = openIfConfigured(world, options);
  const sync = persistence && (() => persistence.sync());
  const pauses = createPauses(after);
  // Most of an emulator's code, so that it is loaded by the first request.
  const answering = memoize(() =>
    (require("./answering") as typeof import("./answering")).createAnswering({
      world,
      sync,
      pause: pauses.pause,
      onError,
      now,
      initial: () => initialSnapshot(options, clock.now()),
      touch: () => persistence?.touch(),
      token: options.controlToken,
    }),
  );
  const handler = createRequestHandler({ answering, sync, onError });
  const listening = new Set<Listening>();

  return {
    world,
    fetch: (request) => fetchFrom(handler, request, after),
    handle: async (request) => handler.api(request),
    listen: async (place = {}) => {
      const served = await serve(handler, place, after);
      listening.add(served);
      return served;
    },
    close: async () => {
      await Promise.all([...listening].map((served) => served.close()));
      pauses.end();
      await persistence?.close();
    },
  };
}

/** Validates the settings. The command's defaults are accepted without loading declarations. */
function readSettings(input: Partial<Settings>): Partial<Settings> {
  const { models, ...others } = input;
  if (Object.keys(others).length === 0 && (models === undefined || models === "ready")) return input;
  const { settingsIn } = require("./http/control") as typeof import("./http/control");
  return settingsIn(input);
}

/**
 * Pauses that can be ended all at once, so that none keeps the process waiting; what waited for one continues at once.
 */
function createPauses(after: Timer): { pause(ms: number): Promise<void>; end(): void } {
  const going = new Set<() => void>();
  return {
    pause: (ms) =>
      new Promise<void>((resolve) => {
        let cancel = () => {};
        const finish = () => {
          going.delete(finish);
          cancel();
          resolve();
        };
        going.add(finish);
        cancel = after(ms, finish);
      }),
    end: () => {
      for (const finish of [...going]) finish();
    },
  };
}

const worldWith = ({ settings, uuid }: EmulatorOptions, clock: EmulatorClock): World =>
  createWorld({ clock, settings, uuid });

/** Fills the world from the data folder, if there is one, and from the options. */
function openIfConfigured(world: World, options: EmulatorOptions): Persistence | undefined {
  const persistence = options.data === undefined ? undefined : openPersistence(options.data, world);
  try {
    fill(world, options, persistence?.restored ?? false);
    return persistence;
  } catch (error) {
    // The error at hand says what went wrong.
    void persistence?.close().catch(() => undefined);
    throw error;
  }
}

/** Gives the world its accounts and settings, and its seed unless it has a past. */
function fill(world: World, options: EmulatorOptions, restored: boolean): void {
  for (const [account, key] of Object.entries(options.accounts ?? defaultAccounts)) world.setKey(key, account, "admin");
  for (const { account, role, key } of options.keys ?? []) world.setKey(key, account, role);
  // A caller with own accounts does not want a well-known key beside them.
  if (options.superuserKey === undefined && options.accounts) {
    if (world.keys.get(knownSuperuserKey)?.role === "superuser") world.removeKey(knownSuperuserKey);
  } else world.setKey(options.superuserKey ?? knownSuperuserKey, "platform", "superuser");
  if (restored && options.settings) world.changeSettings(options.settings);
  if (restored || !options.seed) return;
  const { seed } = require("./world/world-document") as typeof import("./world/world-document");
  seed(world, options.seed);
}

/** What the world would be if the emulator had begun now. */
function initialSnapshot(options: EmulatorOptions, now: number): unknown {
  const fresh = worldWith(options, createClock({ kind: "manual", start: now }));
  fill(fresh, options, false);
  return fresh.snapshot();
}
