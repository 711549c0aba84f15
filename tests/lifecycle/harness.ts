import { setMaxListeners } from "node:events";
import { Agent, type Dispatcher } from "undici";
import { createEmulator, type Emulator, type Settings } from "../../emulator/index";
import type { Deletion } from "../../protocol/engine-state";
import { type Client, createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import type { CheckResult } from "../../provider/core/check";
import type { DiffResult } from "../../provider/core/comparison/diff";
import { recordedInputs } from "../../provider/core/comparison/recorded";
import type { HiddenContext } from "../../provider/core/declaration/own-fields";
import { secretProperties } from "../../provider/core/secrets";
import { createPorts, type PortsOptions } from "../../provider/lifecycle/assemble";
import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import type { Fact, OwnershipJournal } from "../../provider/lifecycle/memory/history";
import { projectOf, stackOf } from "../../provider/lifecycle/memory/identity";
import type { LifecyclePorts } from "../../provider/lifecycle/ports";
import { longestLagMs } from "../../provider/lifecycle/read";
import type { Call, Created, ReadResult, Values } from "../../provider/lifecycle/types";
import { allSpecs, specOf } from "../../provider/resources/index";
import { address, arriving, otherAddress } from "./in-process";
import { Replica } from "./replica";
import { type VirtualClock, virtualClock } from "./virtual-clock";
import { striking, type WireFault } from "./wire-faults";

const start = Date.parse("2026-01-01T00:00:00Z");

/** A provider process, as far as the life cycle is concerned: its memory is lost when it ends, its intents are not. */
export interface Process {
  world: LifecyclePorts;
  client: Client;
  messages: string[];
  /** Names that a declaration has aliases of, by its name. */
  aliases: Map<string, readonly string[]>;
  /** Paths that the program ignores, by a declaration's name. */
  ignoreChanges: Map<string, string[]>;
  /** Ends every wait, as a lost engine does. */
  abort: AbortController;
  /** The check's whole answer. */
  judge(kind: string, name: string, inputs: Values, olds?: Values): Promise<CheckResult>;
  /** The checked inputs; rejects with all failures. */
  check(kind: string, name: string, inputs: Values, olds?: Values): Promise<Values>;
  /** Check with old inputs, then diff. */
  diff(kind: string, name: string, outputs: Values, inputs: Values): Promise<DiffResult>;
  /**
   * What a refresh in the same command asks before the program has said anything: read, then a diff of what it answers.
   */
  refresh(kind: string, name: string, outputs: Values, inputs: Values): Promise<ReadResult | undefined>;
  /** Check, then create. */
  create(kind: string, name: string, inputs: Values): Promise<Created>;
  read(kind: string, name: string, outputs: Values): Promise<ReadResult | undefined>;
  /** Check, then update. */
  update(kind: string, name: string, outputs: Values, inputs: Values): Promise<Values>;
  delete(kind: string, name: string, outputs: Values): Promise<Deletion>;
}

/** What a process finds on its machine. */
export interface Machine extends Partial<Pick<PortsOptions, "env" | "readFile" | "journal" | "state" | "knownReads">> {
  /** How far its clock is ahead, in milliseconds. */
  ahead?: number;
  /** The program's language hands no aliases over, and writes nothing into the journal. */
  aliasesUnknown?: true;
}

/** The stack that a process works for where a test names none. */
const defaultStack = "test";

export interface Harness {
  clock: VirtualClock;
  emulator: Emulator;
  /** Answers what is read. */
  replica: Replica;
  /** A new provider process on the same machine. */
  process(config?: Record<string, string>, machine?: Machine, stack?: string): Process;
  /** A new process on another machine, which has no intents. */
  elsewhere(config?: Record<string, string>, stack?: string, machine?: Machine): Process;
  /** Live objects of a collection, tombstones left out. */
  live(collection: string): Values[];
  /** Their names. */
  names(collection: string): unknown[];
  object(name: string): Values | undefined;
  /** Changes an object outside every program. */
  change(name: string, change: Values): Promise<void>;
  /** Deletes an object outside every program, and lets so much time pass that no replica is believed to be behind. */
  vanish(name: string): Promise<void>;
  /** Puts an object there, whatever was at its name. */
  put(name: string, object: Values): Promise<void>;
  fault(fault: unknown): Promise<void>;
  /** What goes wrong between the processes and the service. */
  wire: WireFault[];
  /** From now on nothing goes wrong any longer. */
  clearFaults(): Promise<void>;
  /** Requests that something has struck since the last healing. */
  faultHits(): Promise<number>;
  /** Requests since the last call, as `METHOD /path`. */
  requests(): Promise<string[]>;
  close(): Promise<void>;
}

/** An emulator, and provider processes that work against it, on a clock that only moves while everyone waits. */
export async function createHarness(settings: Partial<Settings> = {}): Promise<Harness> {
  const clock = virtualClock(start);
  const emulator = createEmulator({
    superuserKey: "superuser-key",
    clock: "manual",
    startTime: new Date(start),
    accounts: { acme: "acme-key", beta: "beta-key" },
    settings,
  });
  clock.onAdvance((ms) => emulator.world.clock.advance(ms));
  const wire: WireFault[] = [];
  const replica = new Replica(emulator, clock);
  const dispatcher = new Agent().compose(arriving(replica, [address, otherAddress]), striking(wire), counting(clock));
  const here = keptJournal();

  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers = { host: "127.0.0.1", "content-type": "application/json" };
    const answer = await emulator.fetch(
      new Request(`${address}/_emulator/${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    replica.note();
    return answer.json();
  };

  function startProcess(
    journal: OwnershipJournal,
    config: Record<string, string>,
    stack = defaultStack,
    { ahead = 0, aliasesUnknown, ...machine }: Machine = {},
  ): Process {
    const time = { ...clock, now: () => clock.now() + ahead };
    const given: Record<string, string> = {
      accountId: "acme",
      apiKey: "acme-key",
      baseUrl: address,
      accounts: JSON.stringify({ beta: { apiKey: "beta-key" } }),
      ...config,
    };
    const settings = resolveSettings({
      config: { get: (key: string) => given[key.replace("modelplatform:", "")] },
      env: {},
    });
    const client = createClient({
      settings,
      catalogue: createCatalogue(allSpecs, { overrides: settings.operations }),
      time,
      env: {},
      dispatcher,
    });
    const world = createPorts({ settings, client, specs: allSpecs, env: {}, time, journal, ...machine });
    return { client, ...processOn(world, stack, aliasesUnknown && { aliasesUnknown }) };
  }

  const live = (collection: string): Values[] =>
    [...emulator.world.all()]
      .map(({ fields }) => fields)
      .filter(
        (object) =>
          String(object["name"]).startsWith(`accounts/acme/${collection}/`) &&
          !/(DELETED|DELETING)$/.test(String(object["state"])),
      );

  return {
    clock,
    emulator,
    replica,
    process: (config = {}, machine = {}, stack = undefined) => startProcess(here, config, stack, machine),
    elsewhere: (config = {}, stack = undefined, machine = {}) => startProcess(keptJournal(), config, stack, machine),
    live,
    names: (collection) => live(collection).map(({ name }) => name),
    object: (name) => emulator.world.get(name)?.fields,
    change: async (name, change) => void (await control("PATCH", `objects/${name}`, change)),
    async vanish(name) {
      emulator.world.remove(name);
      replica.note();
      await clock.sleep(longestLagMs + 1000);
    },
    put: async (name, object) => void (await control("PUT", `objects/${name}`, object)),
    fault: async (fault) => void (await control("POST", "faults", fault)),
    wire,
    async faultHits() {
      const { faults } = (await control("GET", "faults")) as { faults: { hits: number }[] };
      return [...faults.map(({ hits }) => hits), ...wire.map(({ hits, skip }) => Math.max(0, hits - skip))].reduce(
        (sum, hits) => sum + hits,
        0,
      );
    },
    async clearFaults() {
      wire.length = 0;
      await control("DELETE", "faults");
    },
    async requests() {
      const { requests } = (await control("GET", "requests")) as { requests: { method: string; path: string }[] };
      await control("DELETE", "requests");
      return requests.map(({ method, path }) => `${method} ${path.split("?")[0]!}`);
    },
    async close() {
      await dispatcher.close();
      await emulator.close();
    },
  };
}

/** Tells the clock how many requests are under way. */
export const counting =
  (clock: VirtualClock): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    clock.busy += 1;
    return dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => {
        clock.busy -= 1;
        handler.onResponseEnd?.(...args);
      },
      onResponseError: (...args) => {
        clock.busy -= 1;
        handler.onResponseError?.(...args);
      },
    });
  };

/** A journal of one machine, without its disk. */
export interface KeptJournal extends OwnershipJournal {
  /** Everything in it, in order. */
  facts(): readonly Fact[];
}

export function keptJournal(): KeptJournal {
  const facts: Fact[] = [];
  const byPlace = new Map<string, Map<string, Fact[]>>();
  const stacksAt = (origin: string, account: string): Map<string, Fact[]> =>
    entryIn(byPlace, JSON.stringify([origin, account]), () => new Map());
  return {
    async append(fact) {
      facts.push(fact);
      entryIn(stacksAt(fact.origin, fact.account), stackOf(fact.urn), () => []).push(fact);
    },
    read: async (origin, account, stack) => entryIn(stacksAt(origin, account), stack, () => []),
    readProject: async (origin, account, project) =>
      [...stacksAt(origin, account)].flatMap(([stack, each]) => (projectOf(stack) === project ? [each] : [])),
    facts: () => facts,
  };
}

function entryIn<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** The old inputs with which an engine checks a declaration again, without secrets, of which outputs have no value. */
function oldInputs(kind: string, outputs: Values): Values {
  const spec = specOf(kind)!;
  const inputs = { ...recordedInputs(spec, outputs), accountId: outputs["accountId"] };
  const secrets = secretProperties(spec);
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !secrets.has(name)));
}

/** How the resource class tells a resource method what it works for. */
export const hiddenOf = (kind: string, name: string, stack = defaultStack): HiddenContext => ({
  kind,
  urn: `urn:pulumi:${stack}::shop::pulumi-nodejs:dynamic/modelplatform:${kind}::${name}`,
  organization: "organization",
  stack,
});

/** What a process does for a stack. */
export function processOn(
  world: LifecyclePorts,
  stack: string,
  host: Partial<HiddenContext> = {},
): Omit<Process, "client"> {
  const messages: string[] = [];
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const lifecycle = (kind: string) => createLifecycle(specOf(kind)!, world);
  const aliases = new Map<string, readonly string[]>();
  const ignoreChanges = new Map<string, string[]>();
  const formerly = (kind: string, name: string) => aliases.get(name)?.map((each) => hiddenOf(kind, each, stack).urn);
  const call = (kind: string, name: string): Call => ({
    hidden: {
      ...hiddenOf(kind, name, stack),
      ...host,
      ...(aliases.has(name) && { aliases: formerly(kind, name)! }),
      ignoreChanges: ignoreChanges.get(name),
    },
    reporter: {
      status: (text) => void messages.push(`status: ${text}`),
      info: (text) => void messages.push(`info: ${text}`),
      warn: (text) => void messages.push(`warning: ${text}`),
    },
    signal: abort.signal,
  });

  const judge = (kind: string, name: string, inputs: Values, olds: Values = {}): Promise<CheckResult> =>
    lifecycle(kind).check(call(kind, name), olds, inputs);

  async function check(kind: string, name: string, inputs: Values, olds: Values = {}): Promise<Values> {
    const { inputs: checked, failures } = await judge(kind, name, inputs, olds);
    if (failures.length > 0)
      throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
    return checked;
  }

  return {
    world,
    messages,
    aliases,
    ignoreChanges,
    abort,
    judge,
    check,
    diff: async (kind, name, outputs, inputs) =>
      lifecycle(kind).diff(
        call(kind, name),
        String(outputs["name"]),
        outputs,
        await check(kind, name, inputs, oldInputs(kind, outputs)),
      ),
    async refresh(kind, name, outputs, inputs) {
      const found = await lifecycle(kind).read(call(kind, name), String(outputs["name"]), outputs);
      if (found) await lifecycle(kind).diff(call(kind, name), String(outputs["name"]), found.outputs, inputs);
      return found;
    },
    create: async (kind, name, inputs) => lifecycle(kind).create(call(kind, name), await check(kind, name, inputs)),
    read: (kind, name, outputs) => lifecycle(kind).read(call(kind, name), String(outputs["name"]), outputs),
    update: async (kind, name, outputs, inputs) =>
      lifecycle(kind).update(
        call(kind, name),
        String(outputs["name"]),
        outputs,
        await check(kind, name, inputs, oldInputs(kind, outputs)),
      ),
    delete: (kind, name, outputs) => lifecycle(kind).delete(call(kind, name), String(outputs["name"]), outputs),
  };
}
