import { randomBytes } from "node:crypto";
import { ceilings, readText } from "../../io/files/read";
import type { EngineState } from "../../protocol/engine-state";
import type { Client } from "../api/client";
import { confirmAbsent, findObject } from "../api/confirm-deleted";
import { retryTable } from "../api/http/retry";
import { pages } from "../api/paginate";
import { accountIdOf, credentialOf, endpointOf, isHeld } from "../api/settings/credentials";
import { baseOf } from "../api/settings/endpoint";
import { Stopwatch, systemTime, type Time } from "../api/time";
import type { ApiOperation, CallOptions, ClientSettings } from "../api/types";
import { keepUnusable, unusableIn } from "../api/unusable-values";
import type { RecordedSettings } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import {
  isAmbiguousOutcome,
  isConflict,
  isMissing,
  isModelPlatformError,
  ModelPlatformError,
  withUnknownOutcome,
} from "../core/errors";
import { matchTemplate, snakeCase } from "../core/values/names";
import { omitUndefined, topLevel } from "../core/values/values";
import { bodyOf } from "../core/wire/messages";
import { sendReduced } from "./changes/smaller-body";
import { RunClaims } from "./memory/claims";
import { EngineActivity } from "./memory/engine-activity";
import { FirstCreate } from "./memory/first-create";
import type { OwnershipJournal } from "./memory/history";
import { nameOf } from "./memory/identity";
import { journalFolderOf, journalIn } from "./memory/journal-files";
import type { ReadEntries } from "./memory/known-reads";
import { Lag } from "./memory/lag";
import { Run } from "./memory/run";
import type {
  Files,
  LifecyclePorts,
  LiveObject,
  ObjectCollection,
  OnWrite,
  Query,
  ReadHints,
  RequestOptions,
} from "./ports";
import { createPreflight } from "./preflight";
import { machineFiles, sourceReader } from "./sources";
import type { Values } from "./types";
import { withSharedReads } from "./waiting/read-batcher";

/** The query parameter that makes a create a dry run. */
const validating = "validateOnly";
/** The query parameter that makes a list include tombstones. */
const showing = "showDeleted";

/** The objects of one kind in one account, and where they are. */
interface ServiceCollection {
  client: Client;
  spec: ResourceSpec;
  account: string;
  /** Base URL of the service. */
  origin: string;
}

/** The objects of one kind in one account, through the API client. */
function objectsOf(collection: ServiceCollection, noteWrite: OnWrite): ObjectCollection {
  const { client, spec, account, origin } = collection;
  const list = client.catalogue.find(spec.kind, "list");
  return {
    account,
    origin,
    serviceSettings: recordedSettings(client.settings),
    serviceTime: () => client.serviceTime(origin),
    nameOf: (id) => nameOf(spec, account, id),
    isReadable: list !== undefined || client.catalogue.find(spec.kind, "get") !== undefined,
    listIsComplete: list !== undefined && (spec.deletion !== "soft" || list.query.includes(showing)),
    writesAffectOthers: spec.host !== undefined,
    ...readsOf(collection),
    ...createMethods(collection, noteWrite),
    ...changesOf(collection, noteWrite),
    upload: (upload) => client.upload({ as: account, ...upload }),
  };
}

/** Reads are shared: each operation judges what it needs of an object. */
const byNone = (): boolean => false;

function readsOf({
  client,
  spec,
  account,
}: ServiceCollection): Pick<
  ObjectCollection,
  "find" | "during" | "poll" | "read" | "recent" | "seenFirst" | "list" | "pages"
> {
  const operation = (verb: string) => client.catalogue.require(spec.kind, verb);

  async function find(
    name: string,
    options: RequestOptions,
    { deleted, absent }: ReadHints = {},
  ): Promise<LiveObject | undefined> {
    const object = await findObject(client, { spec, name, deleted, absent }, { ...options, decides: byNone });
    return object && liveObject(object, name);
  }

  const pagesOf: ObjectCollection["pages"] = (options, { deleted, from } = {}) => {
    const list = operation("list");
    const query = { [showing]: deleted && list.query.includes(showing) ? true : undefined };
    return pages<LiveObject>(client, list.name, { ...options, decides: byNone, parameters: { account }, query, from });
  };

  return {
    find,
    during: (operation) => operation(),
    poll: find,
    read: find,
    recent: async () => undefined,
    seenFirst: async () => ({ objects: [], isWhole: false }),
    pages: pagesOf,
    async *list(options) {
      for await (const { items } of pagesOf(options)) yield* items;
    },
  };
}

function createMethods(
  { client, spec, account }: ServiceCollection,
  noteWrite: OnWrite,
): Pick<ObjectCollection, "create" | "isUnusable" | "validate" | "validateOnly"> {
  const operation = () => client.catalogue.require(spec.kind, "create");
  const firstCreate = new FirstCreate(spec.kind);

  function createCall(message: Values, id: string | undefined, query: Query, options: RequestOptions): CallOptions {
    const idName = spec.fields.resourceId?.name;
    const takesId = id !== undefined && idName !== undefined && operation().query.includes(idName);
    return {
      ...options,
      parameters: { account },
      query: takesId ? { ...query, [idName]: id } : query,
      body: createBody(operation(), account, message, id),
      decides: (property) => property === "state" || Object.hasOwn(message, property),
      idempotent: id !== undefined && firstCreate.isRepeatable && spec.identity.answerWins !== true,
    };
  }

  /** Objects that were created under another id than requested. */
  const elsewhere = new Set<string>();
  /** Objects of which only a part of the response is recorded. */
  const inPart = new Set<string>();

  const validate: ObjectCollection["validate"] = async (message, id, query, options) => {
    await client.call(operation().name, createCall(message, id, { ...query, [validating]: true }, options));
  };
  const canValidate = client.catalogue.find(spec.kind, "create")?.query.includes(validating) === true;

  return {
    async create(message, id, query, options, { findCreated, idsCount = false } = {}) {
      if (idsCount) firstCreate.noteOwnId();
      const name = id === undefined ? undefined : nameOf(spec, account, id);
      let written = name;
      noteWrite(name);
      try {
        return await firstCreate.during(async () => {
          const send = async (): Promise<LiveObject> => {
            const { value, unusable } = await client.call(operation().name, createCall(message, id, query, options));
            const object = liveObject(value);
            if (unusable) {
              firstCreate.noteUnusable(unusable);
              inPart.add(object.name);
            }
            return object;
          };
          const isRepeatable = firstCreate.isRepeatable || findCreated === undefined;
          const object = isRepeatable
            ? await send()
            : await sendAfterLooking(send, (lost) => findCreated(lost, (other) => elsewhere.has(other)));
          written = object.name;
          if (object.name === name) firstCreate.noteOwnId();
          if (name === undefined || object.name === name) return object;
          firstCreate.noteOtherId();
          elsewhere.add(object.name);
          return object;
        });
      } finally {
        noteWrite(written);
      }
    },
    isUnusable: (name) => inPart.has(name),
    validateOnly: canValidate ? client.validateOnly : undefined,
    validate: canValidate ? validate : undefined,
  };
}

/**
 * Retries a create whose id is not known to count as often as any other, each time after a look for the result of the
 * request before.
 */
async function sendAfterLooking(
  send: () => Promise<LiveObject>,
  find: (lost: unknown) => Promise<LiveObject | undefined>,
): Promise<LiveObject> {
  let isLost = false;
  for (let sent = 1; ; sent += 1) {
    try {
      return await send();
    } catch (error) {
      // The lost request's own result may cause the conflict.
      if (isLost && isConflict(error)) throw withUnknownOutcome(error);
      if (!isAmbiguousOutcome(error)) throw error;
      isLost = true;
      const created = await find(error);
      if (created) return created;
      if (sent >= retryTable.tries.default) throw error;
    }
  }
}

function changesOf(
  { client, spec, account }: ServiceCollection,
  noteWrite: OnWrite,
): Pick<ObjectCollection, "update" | "remove" | "verb"> {
  const operation = (verb: string) => client.catalogue.require(spec.kind, verb);

  /** Never writes outside the account, even if a response or a state names another one (A003). */
  function ownName(name: string): { name: string } {
    if (matchTemplate(spec.name, name)?.["account"] === account) return { name };
    throw new ModelPlatformError(`${name} is not an object of account \`${account}\`: nothing is sent about it`, {
      code: "another-account",
      advice: "Compare the name with what the state records for this resource.",
    });
  }

  /** A request that may change an object: a read meanwhile may show the object before it. */
  async function writing<T>(name: string, request: () => Promise<T>): Promise<T> {
    noteWrite(name);
    try {
      return await request();
    } finally {
      noteWrite(name);
    }
  }

  return {
    async update(name, message, mask, query, options) {
      const update = operation("update");
      const { updateMask, patchBody } = client.settings;
      const parameters = ownName(name);
      const masked = updateMask === "off" ? [] : mask.map(snakeCase);
      const send = (body: Values) =>
        client.call(update.name, {
          ...options,
          parameters,
          query: { ...query, updateMask: masked.join(",") || undefined },
          body: update.body?.name ? { name, ...body } : body,
          decides: (property) => mask.some((path) => topLevel(path) === property),
        });
      const { value } = await writing(name, () =>
        sendReduced(spec, bodyOf(spec, message, mask, patchBody), masked, send),
      );
      return liveObject(value, name);
    },

    async remove(name, query, options) {
      const parameters = ownName(name);
      const remove = operation("delete");
      const known = Object.fromEntries(Object.entries(query).filter(([parameter]) => remove.query.includes(parameter)));
      return writing(name, async () => {
        try {
          await client.call(remove.name, { ...options, parameters, query: known });
          return true;
        } catch (error) {
          if (isMissing(error) && (await confirmAbsent(client, { spec, name, error }, options))) return false;
          throw error;
        }
      });
    },

    async verb(name, verb, body, options) {
      const parameters = ownName(name);
      const { value } = await writing(name, () => client.call(operation(verb).name, { ...options, parameters, body }));
      return value;
    },
  };
}

/**
 * The only place where a response becomes an object. The client rejects one without a name, except for settings, whose
 * name the caller knows.
 */
function liveObject(response: Values, name = ""): LiveObject {
  if (typeof response["name"] === "string") return response as LiveObject;
  const object = { ...response, name };
  keepUnusable(object, unusableIn(response));
  return object;
}

/** What a state records of the settings; nothing if the service follows the conventions. */
function recordedSettings({ operations, dialect }: Client["settings"]): RecordedSettings | undefined {
  const hasOperations = Object.keys(operations).length > 0;
  if (!hasOperations && !dialect) return undefined;
  return omitUndefined({
    operations: hasOperations ? operations : undefined,
    dialect: dialect?.value as Values | undefined,
  });
}

/** How a new object's message travels: as the body, with its name (A012), or wrapped (A014). */
function createBody(
  { spec, body: shape }: ApiOperation,
  account: string,
  message: Values,
  id: string | undefined,
): Values {
  if (shape?.name) return id === undefined ? message : { name: nameOf(spec, account, id), ...message };
  if (!shape?.wrap) return message;
  return omitUndefined({ [shape.wrap.id]: id, [shape.wrap.message]: message });
}

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

  /** Public objects of an account without a key are read with the default account's key, if allowed (A003). */
  function originOf(account: string): string {
    const held = isHeld(settings, account);
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
