import { setMaxListeners } from "node:events";
import type { EngineState } from "../../protocol/engine-state";
import { createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import type { Time } from "../../provider/api/time";
import { createPorts } from "../../provider/lifecycle/assemble";
import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import type { OwnershipJournal } from "../../provider/lifecycle/memory/history";
import { createInterruption } from "../../provider/pulumi/interruption";
import { createService } from "../../provider/pulumi/service";
import { allSpecs } from "../../provider/resources/index";
import { address } from "../lifecycle/in-process";
import { dispatcherOf, type TransportOptions, type Watch } from "./transport";

/** The calls of the SDK. */
export type ProviderService = ReturnType<typeof createService>;

/** A provider process, as the engine sees it. */
export interface ServedProcess {
  service: ProviderService;
  /** What it has told people. */
  messages: string[];
  /** Ends it without a word: nothing that is under way comes back, nothing more is sent or written. */
  kill(): void;
  /** Rejects once it is dead. */
  death: Promise<never>;
  /** What the first ^C does. */
  interrupt(): void;
}

/** Nobody knows what became of the call that was under way. */
export class ProviderDeath extends Error {}

/** What a process has told that slept in vain for as long as anybody would look on. */
export const spinning = "a wait goes round and round after an interrupt";

const mostVain = 1000;

const catalogue = createCatalogue(allSpecs);

export interface ProcessOptions {
  config?: Record<string, string>;
  /** Default: an engine that cannot be asked. */
  state?: EngineState | undefined;
}

/** `watch` sees the requests of this process before they are sent. */
export function startProcess(
  line: TransportOptions,
  journal: OwnershipJournal,
  watch: Watch,
  { config = {}, state }: ProcessOptions,
): ServedProcess {
  const messages: string[] = [];
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  let vain = 0;
  const isDead = (): boolean => over.signal.aborted;
  const never = new Promise<never>(() => undefined);
  const given: Record<string, string> = {
    accountId: "acme",
    apiKey: "acme-key",
    baseUrl: address,
    ...config,
  };
  const settings = resolveSettings({
    config: { get: (key: string) => given[key.replace("modelplatform:", "")] },
    env: {},
  });
  const time: Time = {
    now: line.clock.now,
    random: line.clock.random,
    async sleep(ms, signal) {
      if (isDead()) return never;
      // Who sleeps again and again although nobody wants it to waits for
      // nothing, and keeps everyone else from going on.
      if (signal?.aborted && ++vain > mostVain) {
        messages.push(spinning);
        over.abort();
        return never;
      }
      try {
        return await line.clock.sleep(ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal);
      } catch (error) {
        return isDead() ? never : Promise.reject(error);
      }
    },
  };
  const dispatcher = dispatcherOf(line, (request) => (isDead() ? never : watch(request)));
  const client = createClient({ settings, catalogue, time, env: {}, dispatcher });
  const world = createPorts({
    settings,
    client,
    specs: allSpecs,
    env: {},
    time,
    journal: mortal(journal, isDead),
    state,
  });
  const interruption = createInterruption({ exit: () => undefined, sleep: async () => undefined });
  setMaxListeners(0, interruption.signal);
  const report = (text: string): void => void messages.push(text);
  return {
    service: createService({
      open: async () => ({
        lifecycleOf: (spec) => createLifecycle(spec, world),
        redact: (text) => client.redactor.text(text),
      }),
      reporterFor: () => ({ status: report, info: report, warn: report, during: (work) => work() }),
      interruption,
      debug: false,
    }),
    messages,
    kill: () => over.abort(),
    death: new Promise((_, reject) =>
      over.signal.addEventListener("abort", () => reject(new ProviderDeath("the provider process is gone")), {
        once: true,
      }),
    ),
    interrupt: () => interruption.interrupt(130),
  };
}

/** The dead write nothing. */
const mortal = (journal: OwnershipJournal, isDead: () => boolean): OwnershipJournal =>
  new Proxy(journal, {
    get: (target, name) => {
      const work = target[name as keyof OwnershipJournal] as ((...args: unknown[]) => unknown) | undefined;
      return work && ((...args: unknown[]) => (isDead() ? new Promise(() => undefined) : work(...args)));
    },
  });
