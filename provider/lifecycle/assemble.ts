import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { EngineState } from "../../protocol/engine-state";
import type { Client } from "../api/client";
import { baseOf } from "../api/settings/base-url";
import { accountIdOf, credentialOf, endpointOf } from "../api/settings/credentials";
import { Stopwatch, systemTime, type Time } from "../api/time";
import type { ClientSettings } from "../api/types";
import type { ResourceSpec } from "../core/declaration/resource";
import { isModelPlatformError } from "../core/errors";
import { createPreflight } from "./checks/preflight";
import type { OwnershipJournal } from "./journal/facts";
import { journalFolderOf, journalIn } from "./journal/journal-files";
import { Lag } from "./ports/learned";
import type { ObjectCollection } from "./ports/objects";
import type { Files, LifecyclePorts } from "./ports/ports";
import { createRunClaims, type RunClaims } from "./run/claims";
import { Run } from "./run/run";
import { objectsOf } from "./service-objects";
import { machineFiles } from "./sources/files";
import { withSharedReads } from "./waiting/shared-reads";

export interface PortsOptions {
  settings: ClientSettings;
  client: Client;
  specs: readonly ResourceSpec[];
  env: Readonly<Record<string, string | undefined>>;
  time?: Time;
  /** Default: one whose figures nobody reads. */
  stopwatch?: Stopwatch | undefined;
  journal?: OwnershipJournal;
  /** Default: those of this process alone. */
  claims?: RunClaims;
  randomHex?: (bytes: number) => string;
  readFile?: (path: string) => Promise<string>;
  files?: Files;
  /** Default: the engine cannot be asked. */
  state?: EngineState | undefined;
}

/** The ports of one process: settings, client, clock, journal and what the process has seen. */
/** The template of an account's own name. */
const accountName = "accounts/{account}";

/** How long the account's name may keep the first create waiting, in milliseconds. */
const accountLookMs = 10_000;

export function createPorts(options: PortsOptions): LifecyclePorts {
  const { settings, client, specs, env, time = systemTime } = options;
  const collections = new Map<string, ObjectCollection>();
  const claims = options.claims ?? createRunClaims();

  /** Public objects of an account without a key are read with the default account's key, if allowed (A003). */
  function originOf(account: string): string {
    const held = settings.credentials.some((credential) => credential.account === account);
    return baseOf(endpointOf(settings, credentialOf(settings, held ? account : accountIdOf(settings))));
  }

  function objects(kind: string, account: string): ObjectCollection {
    const key = `${kind} ${account}`;
    const known = collections.get(key);
    if (known) return known;
    const spec = specs.find((candidate) => candidate.kind === kind)!;
    const shared = withSharedReads(
      (noteWrite) => objectsOf({ client, spec, account, origin: originOf(account) }, noteWrite),
      time,
    );
    collections.set(key, shared);
    return shared;
  }

  const verified = new Map<string, Promise<void>>();

  /**
   * Every member of an account may read the policy, so any answer other than "who are you" means that the key is known:
   * unless it is none of the API's, such as a page or a redirect. Settings that nobody has saved have no name.
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

  /** Rejects only where the service has another name for the account: objects would have it as well. */
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
      // Only that the key is unknown holds for the next caller as well: not a failure of the network, nor an interrupt.
      pending.catch((error: unknown) => {
        if (!isModelPlatformError(error) || error.status !== 401) verified.delete(account);
      });
      return pending;
    },
    settings,
    specs,
    preflight: createPreflight(client, specs, time.now),
    claims,
    state: options.state,
    run: new Run(claims),
    clock: time,
    stopwatch: options.stopwatch ?? new Stopwatch(time.now),
    lag: new Lag(),
    journal: options.journal ?? journalIn(journalFolderOf(settings, env), time.now),
    objects,
    machine: {
      env,
      readFile: options.readFile ?? ((path) => readFile(path, "utf8")),
      files: options.files ?? machineFiles(),
    },
    randomHex: options.randomHex ?? ((bytes) => randomBytes(bytes).toString("hex")),
  };
}
