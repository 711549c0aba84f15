import { randomBytes } from "node:crypto";
import { ceilings, readText } from "../../io/files/read";
import type { EngineState } from "../../protocol/engine-state";
import type { Client } from "../api/client";
import { locationOf } from "../api/settings/credentials";
import { baseOf } from "../api/settings/endpoint";
import { Stopwatch, systemTime, type Time } from "../api/time";
import type { ClientSettings } from "../api/types";
import type { ResourceSpec } from "../core/declaration/resource";
import { isModelPlatformError } from "../core/errors";
import { RunClaims } from "./memory/claims";
import { EngineActivity } from "./memory/engine-activity";
import type { OwnershipJournal } from "./memory/history";
import { journalFolderOf, journalIn } from "./memory/journal-files";
import type { ReadEntries } from "./memory/known-reads";
import { Lag } from "./memory/lag";
import { Run } from "./memory/run";
import type { Files, LifecyclePorts, ObjectCollection } from "./ports";
import { createPreflight } from "./preflight";
import { objectsOf } from "./service-objects";
import { machineFiles, sourceReader } from "./sources";
import { withSharedReads } from "./waiting/read-batcher";

export interface PortsOptions {
  settings: ClientSettings;
  client: Client;
  specs: readonly ResourceSpec[];
  env: Readonly<Record<string, string | undefined>>;
  time?: Time;
  /** Default: one whose figures nobody reads. */
  stopwatch?: Stopwatch | undefined;
  journal?: OwnershipJournal;
  /** Default: the claims of this process alone. */
  claims?: RunClaims | undefined;
  randomHex?: (bytes: number) => string;
  readFile?: (path: string) => Promise<string>;
  files?: Files;
  /** Default: the engine cannot be asked. */
  state?: EngineState | undefined;
  /** What preflights of the same command have read. Default: nothing yet. */
  knownReads?: ReadEntries | undefined;
}

/** The template of an account's own name. */
const accountName = "accounts/{account}";

/** How long the account's name may keep the first create waiting, in milliseconds. */
const accountLookMs = 10_000;

/** The ports of one process: settings, client, clock, journal and what the process has seen. */
export function createPorts(options: PortsOptions): LifecyclePorts {
  const { settings, client, specs, env, time = systemTime } = options;
  const collections = new Map<string, ObjectCollection>();
  const activity = new EngineActivity(time.now);

  function objects(kind: string, account: string): ObjectCollection {
    const key = `${kind} ${account}`;
    const known = collections.get(key);
    if (known) return known;
    const spec = specs.find((candidate) => candidate.kind === kind)!;
    const shared = withSharedReads(
      (noteWrite) => objectsOf({ client, spec, account, origin: baseOf(locationOf(settings, account)) }, noteWrite),
      time,
      activity,
    );
    collections.set(key, shared);
    return shared;
  }

  const verified = new Map<string, Promise<void>>();

  /**
   * Every member of an account may read the policy, so any response but "who are you" proves that the key is known,
   * unless it is not of the API, such as a page or a redirect. Settings that nobody has saved have no name.
   */
  async function requestPolicy(account: string, signal: AbortSignal): Promise<void> {
    const policy = client.call("getPolicySettings", { parameters: { account }, signal });
    const isNamed = await policy.then(
      ({ value }) => typeof value["name"] === "string",
      (error: unknown) => {
        if (!isModelPlatformError(error) || error.status === undefined || error.status === 401) throw error;
        if (error.status < 400 && (error.answerAt === undefined || error.answerAt === "name")) throw error;
        return false;
      },
    );
    if (!isNamed) await requestAccount(account, signal);
  }

  /** Rejects only if the service has another name for the account: objects would have it as well. */
  async function requestAccount(account: string, signal: AbortSignal): Promise<void> {
    const own = client.catalogue.operations.find(({ spec, verb }) => spec.name === accountName && verb === "get");
    if (!own) return;
    await client
      .call(own.name, { parameters: { account }, signal, deadline: time.now() + accountLookMs })
      .catch((error: unknown) => {
        if (isModelPlatformError(error) && error.answerAt === "name") throw error;
      });
  }

  return {
    verifyKey(account, signal) {
      const pending = verified.get(account) ?? requestPolicy(account, signal);
      verified.set(account, pending);
      // Only an unknown key fails the next caller as well; a network failure or an interrupt does not.
      pending.catch((error: unknown) => {
        if (!isModelPlatformError(error) || error.status !== 401) verified.delete(account);
      });
      return pending;
    },
    settings,
    specs,
    preflight: createPreflight(client, { specs, now: time.now, known: options.knownReads }),
    state: options.state,
    run: new Run(options.claims ?? new RunClaims()),
    clock: time,
    activity,
    stopwatch: options.stopwatch ?? new Stopwatch(time.now),
    lag: new Lag(),
    journal: options.journal ?? journalIn(journalFolderOf(settings, env), time.now),
    objects,
    machine: {
      env,
      valuesFrom: sourceReader(
        env,
        options.readFile ?? ((path) => readText(path, ceilings.settings, { fromUser: true })),
      ),
      files: options.files ?? machineFiles(),
    },
    randomHex: options.randomHex ?? ((bytes) => randomBytes(bytes).toString("hex")),
  };
}
