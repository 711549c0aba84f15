import type { Client } from "../api/client";
import { confirmAbsent, findObject } from "../api/confirm-deleted";
import { retryTable } from "../api/http/retry";
import { pages } from "../api/paginate";
import type { ApiOperation, CallOptions, ListMember } from "../api/types";
import { keepUnusable, unusableIn } from "../api/unusable-values";
import type { RecordedSettings } from "../core/declaration/own-fields";
import type { ResourceSpec } from "../core/declaration/resource";
import { isAmbiguousOutcome, isConflict, isMissing, ModelPlatformError, withUnknownOutcome } from "../core/errors";
import { matchTemplate, snakeCase } from "../core/values/names";
import { omitUndefined, topLevel } from "../core/values/values";
import { bodyOf } from "../core/wire/messages";
import { sendReduced } from "./changes/smaller-body";
import { FirstCreate } from "./memory/first-create";
import { nameOf } from "./memory/identity";
import type { LiveObject, ObjectCollection, OnWrite, Query, ReadHints, RequestOptions } from "./ports";
import type { Values } from "./types";

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
export function objectsOf(collection: ServiceCollection, noteWrite: OnWrite): ObjectCollection {
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
    const which = { parameters: { account }, query, from };
    return pages<ListMember<LiveObject>>(client, list.name, {
      ...options,
      decides: byNone,
      deferred: true,
      ...which,
    });
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
      for await (const { items } of pagesOf(options)) for (const listed of items) yield listed.read();
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
