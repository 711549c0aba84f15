import type { Client } from "../api/client";
import { confirmedGone } from "../api/gone";
import { pages } from "../api/paginate";
import type { ApiOperation, CallOptions } from "../api/types";
import type { RecordedSettings } from "../core/declaration/own-records";
import type { ResourceSpec } from "../core/declaration/resource";
import { grpcCodes, isModelPlatformError, isNotFound, ModelPlatformError } from "../core/errors";
import { type BodyForm, bodyOf, fixedNames } from "../core/requests/wire";
import { matchTemplate, snakeCase } from "../core/values/names";
import { nameOf } from "./operation/operation";
import { Concurrency } from "./ports/concurrency";
import type { LiveObject, Objects, Query, ReadHints, RequestOptions, Written } from "./ports/objects";
import type { Values } from "./types";

/** The query parameter that makes a create a dry run. */
const validating = "validateOnly";
/** The query parameter that makes a list include tombstones. */
const showing = "showDeleted";

const invalidArgument = grpcCodes.INVALID_ARGUMENT;

/** The objects of one kind in one account, through the API client. */
export function objectsOf(
  client: Client,
  spec: ResourceSpec,
  account: string,
  origin: string,
  written: Written,
): Objects {
  const operation = (verb: string) => client.catalogue.require(spec.kind, verb);
  const list = client.catalogue.find(spec.kind, "list");
  const common = (options: RequestOptions) => ({ signal: options.signal, deadline: options.deadline });

  /** Whatever a name comes from, an answer or a state: nothing is written outside the account (A003). */
  function ours(name: string): { name: string } {
    if (matchTemplate(spec.name, name)?.["account"] === account) return { name };
    throw new ModelPlatformError(`${name} is not an object of account \`${account}\`: nothing is sent about it`, {
      advice: "Compare the name with what the state records for this resource.",
    });
  }

  async function get(name: string, options: RequestOptions): Promise<LiveObject> {
    const { value } = await client.call(operation("get").name, { ...common(options), parameters: { name } });
    return liveObject(value, name);
  }

  async function find(
    name: string,
    options: RequestOptions,
    { deleted }: ReadHints = {},
  ): Promise<LiveObject | undefined> {
    try {
      return await get(name, options);
    } catch (error) {
      if (await confirmedGone(client, { spec, name, error, deleted }, common(options))) return undefined;
      if (!isNotFound(error)) throw error;
      // The list shows it: somebody has made it since.
      return get(name, options);
    }
  }

  const pagesOf: Objects["pages"] = (options, { deleted, from } = {}) =>
    pages<LiveObject>(client, operation("list").name, {
      ...common(options),
      parameters: { account },
      query: { ...(deleted && operation("list").query.includes(showing) && { [showing]: true }) },
      ...(from !== undefined && { from }),
    });

  function createCall(message: Values, id: string | undefined, query: Query, options: RequestOptions): CallOptions {
    const idName = spec.fields.resourceId?.name;
    const takesId = id !== undefined && idName !== undefined && operation("create").query.includes(idName);
    return {
      ...common(options),
      parameters: { account },
      query: { ...query, ...(takesId && { [idName]: id }) },
      body: createBody(operation("create"), account, message, id),
      idempotent: id !== undefined && spec.identity.answerWins !== true,
    };
  }

  return {
    account,
    origin,
    serviceSettings: recordedSettings(client.settings),
    serviceTime: () => client.serviceTime(origin),
    nameOf: (id) => nameOf(spec, account, id),
    listsAll: list !== undefined && (spec.deletion !== "soft" || list.query.includes(showing)),
    entangled: spec.host !== undefined,
    concurrency: new Concurrency(),
    find,
    look: find,
    read: find,
    recent: async () => [],

    async create(message, id, query, options) {
      let name = id === undefined ? undefined : nameOf(spec, account, id);
      written(name);
      try {
        const { value } = await client.call(operation("create").name, createCall(message, id, query, options));
        const object = liveObject(value);
        name = object.name;
        return object;
      } finally {
        written(name);
      }
    },

    ...(client.catalogue.find(spec.kind, "create")?.query.includes(validating) && {
      validateOnly: client.validateOnly,
      async validate(message, id, query, options) {
        await client.call(operation("create").name, createCall(message, id, { ...query, [validating]: true }, options));
      },
    }),

    async *list(options) {
      for await (const { items } of pagesOf(options)) yield* items;
    },

    pages: pagesOf,

    async update(name, message, mask, query, options) {
      const update = operation("update");
      const { updateMask, patchBody } = client.settings;
      const parameters = ours(name);
      const send = (form: BodyForm) =>
        client.call(update.name, {
          ...common(options),
          parameters,
          query: { ...query, ...(updateMask !== "off" && { updateMask: mask.map(snakeCase).join(",") }) },
          body: { ...(update.body?.name && { name }), ...bodyOf(spec, message, mask, form) },
        });
      written(name);
      try {
        // A service that refuses what cannot change does not replace it either: nothing is lost without it.
        const { value } = await send(patchBody).catch((error: unknown) => {
          if (patchBody === "full" && refusesFixed(error, fixedNames(spec, message))) return send("mutable");
          throw error;
        });
        return liveObject(value, name);
      } finally {
        written(name);
      }
    },

    async remove(name, query, options) {
      const parameters = ours(name);
      written(name);
      try {
        const remove = operation("delete");
        const known = Object.fromEntries(
          Object.entries(query).filter(([parameter]) => remove.query.includes(parameter)),
        );
        await client.call(remove.name, { ...common(options), parameters, query: known });
        return true;
      } catch (error) {
        if (isNotFound(error) && (await confirmedGone(client, { spec, name, error }, common(options)))) return false;
        throw error;
      } finally {
        written(name);
      }
    },

    async verb(name, verb, body, options) {
      const parameters = ours(name);
      written(name);
      try {
        const given = { ...common(options), parameters, ...(body && { body }) };
        return (await client.call(operation(verb).name, given)).value;
      } finally {
        written(name);
      }
    },

    upload: (upload) => client.upload({ as: account, ...upload }),
  };
}

/**
 * The one place where an answer becomes an object: the client refuses one without a name, except for settings, whose
 * name the caller knows.
 */
const liveObject = (answer: Values, name = ""): LiveObject =>
  typeof answer["name"] === "string" ? (answer as LiveObject) : { ...answer, name };

/** What a state records of the settings: of a service that keeps to the conventions, nothing. */
function recordedSettings({ operations, dialect }: Client["settings"]): RecordedSettings | undefined {
  const hasOperations = Object.keys(operations).length > 0;
  if (!hasOperations && !dialect) return undefined;
  return { ...(hasOperations && { operations }), ...(dialect && { dialect: dialect.value as Values }) };
}

const refusing =
  /immutable|read.?only|unknown|can(not|'t) be|(must|may) not be|not (updatable|mutable|allowed|supported)/i;

/** Whether a service refuses an update because its body holds what cannot change, not because of what that is. */
function refusesFixed(error: unknown, fixed: readonly string[]): boolean {
  if (!isModelPlatformError(error) || error.status !== 400 || (error.code ?? invalidArgument) !== invalidArgument)
    return false;
  const text = error.serviceMessage ?? "";
  const named = new Set(
    [text, ...error.places]
      .join(" ")
      .match(/[\w.[\]]+/g)
      ?.map(snakeCase),
  );
  return refusing.test(text) && fixed.some((name) => named.has(snakeCase(name)));
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
  return { ...(id !== undefined && { [shape.wrap.id]: id }), [shape.wrap.message]: message };
}
