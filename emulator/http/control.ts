import { durationSeconds } from "../../provider/core/fields/equality";
import { closest } from "../../provider/core/values/did-you-mean";
import { accountOf } from "../../provider/core/values/names";
import { readDialect } from "../../provider/core/wire/vocabulary";
import { z } from "../../provider/core/zod";
import { allSpecs } from "../../provider/resources/index";
import { controlAccessError, type RequestOrigin } from "../access";
import { dialectIn } from "../app";
import { notFound } from "../refusals";
import { recordTraffic } from "../services/deployments";
import { ApiError, type ApiResponse, type Fields, type Settings, type StoredObject, type World } from "../types";
import { ourWords } from "../world/store";
import { applyMergePatch, objectOf, seed, tombstone } from "../world/world-document";
import type { Exchange } from "./exchange";
import type { Faults } from "./faults";
import type { RequestJournal } from "./journal";
import { controlPrefix } from "./requests";

/** No limit; as a value, so that an account can have none where the others have one. */
const unlimited = { perSecond: 0, burst: 0 };

const collections = [...new Set(allSpecs.map(({ collection }) => collection))];

const members = {
  speed: z.number().positive().max(1_000_000),
  patch: z.enum(["mask", "derive", "populated", "replace"]),
  maskPaths: z.enum(["strict", "lenient"]),
  fixedFields: z.enum(["pass", "refuse"]),
  validateOnly: z.enum(["honor", "ignore"]),
  enums: z.enum(["closed", "open"]),
  strict: z.boolean(),
  softDelete: z.boolean(),
  errorStyle: z.enum(["flat", "nested", "text", "html", "empty"]),
  emitUnset: z.boolean(),
  unknownFields: z.enum(["refuse", "ignore"]),
  userDelete: z.enum(["allow", "unimplemented"]),
  annotationsPatch: z.enum(["allow", "refuse"]),
  missingSecret: z.union([z.literal(404), z.literal(500)]),
  denied: z.union([z.literal(403), z.literal(404)]),
  externalKeyReady: z.boolean(),
  permissionPreset: z.enum(["inference-user", "user", "contributor", "admin"]),
  shapeless: z.enum(["allow", "refuse"]),
  uploads: z.enum(["allow", "refuseRetained"]),
  inputOnly: z.enum(["hidden", "answered"]),
  deploymentInUse: z.enum(["unload", "refuse"]),
  dialect: z.unknown().transform((value, context) => {
    const { table, problems } = readDialect(value ?? ourWords, allSpecs);
    if (problems.length > 0) context.addIssue(problems.join(" "));
    return table;
  }),
  models: z.enum(["any", "ready"]),
  unmaskedForm: z.enum(["plain", "version", "text-numbers", "capped"]),
  scalars: z.enum(["plain", "text"]),
  listKey: z.string().min(1).nullable(),
  listOff: z.array(z.enum(collections)),
  getOff: z.array(z.enum(collections)),
  gone: z.enum(["plain", "bare", "html", "problem"]),
  compress: z.enum(["none", "gzip", "br"]),
  emptyWrites: z.union([z.enum(["object", "{}"]), z.literal(204)]),
  etag: z.boolean(),
  textForm: z.enum(["plain", "nfd", "crlf", "trim"]),
  ignoreId: z.boolean(),
  wrongName: z.boolean(),
  rateLimit: z
    .strictObject({ perSecond: z.number().positive(), burst: z.number().min(1) })
    .nullable()
    .transform((limit) => limit ?? unlimited),
} satisfies Record<keyof Settings, z.ZodType>;

const Change = z.strictObject(members).partial();

/**
 * A change of settings as `PUT /_emulator/settings` has it; throws an `ApiError` for one that makes no sense.
 * `rateLimit: null` takes the limit away, `dialect: null` the dialect.
 */
export function settingsIn(body: unknown): Partial<Settings> {
  const result = Change.safeParse(body);
  if (result.success) return Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== undefined));
  const reasons = result.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(unknownSetting).join("; ")
      : `\`${issue.path.join(".") || "body"}\`: ${issue.message}`,
  );
  throw new ApiError(400, 3, `invalid settings: ${reasons.join("; ")}`);
}

function unknownSetting(name: string): string {
  const near = closest(name, Object.keys(members));
  return `there is no setting \`${name}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

export interface ControlRequest extends RequestOrigin {
  method: string;
  path: string;
  query: ReadonlyMap<string, string>;
  body: unknown;
  unfit?: ApiError | undefined;
}

export interface ControlParts {
  world: World;
  /** Distinguishes this emulator from another. */
  instance: string;
  exchange: Exchange;
  faults: Faults;
  journal: RequestJournal;
  /** A snapshot of the world as it was at the start. */
  initial: () => unknown;
  /** Persists a clock that was moved. */
  touch: () => void;
  token: string | undefined;
}

/** What a handler gets: `rest` is the path behind the route's `*`. */
interface Call {
  query: ReadonlyMap<string, string>;
  body: unknown;
  rest: string;
}

type Routes = Readonly<Record<string, Readonly<Record<string, (call: Call) => unknown>>>>;

/** Answers `/_emulator/…`: how a test looks at the world and changes it outside every program. */
export type Control = (request: ControlRequest) => ApiResponse;

export function createControl(parts: ControlParts): Control {
  const routes: Routes = {
    ...observation(parts),
    ...objects(parts),
    ...faults(parts),
    ...conditions(parts),
    ...worlds(parts),
  };
  return ({ method, path, query, body, unfit, headers, address }) => {
    try {
      const inside = path.slice(controlPrefix.length);
      const refusal =
        (inside === "health" ? undefined : controlAccessError({ headers, address }, parts.token)) ?? unfit;
      if (refusal) throw refusal;
      const { handlers, rest } = routeOf(routes, inside);
      const handler = handlers[method];
      if (!handler)
        throw new ApiError(
          405,
          12,
          `\`${controlPrefix}${inside}\` takes ${Object.keys(handlers).join(", ")}, not ${method}`,
        );
      return { status: 200, body: handler({ query, body, rest }) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: { code: error.code, message: error.message, details: error.details } };
    }
  };
}

function routeOf(routes: Routes, path: string): { handlers: Routes[string]; rest: string } {
  const slash = path.indexOf("/");
  const rest = slash < 0 ? "" : path.slice(slash + 1);
  const handlers = routes[rest === "" ? path : `${path.slice(0, slash)}/*`];
  if (!handlers)
    throw new ApiError(404, 5, `there is no \`${controlPrefix}${path}\`; there are ${Object.keys(routes).join(", ")}`);
  return { handlers, rest };
}

function observation({ world, instance, journal }: ControlParts): Routes {
  return {
    health: { GET: () => ({ status: "ok", instance, time: timeOf(world), clock: world.clock.kind }) },
    requests: { GET: () => ({ requests: journal.entries() }), DELETE: () => emptyResponse(journal.clear()) },
  };
}

function objects({ world }: ControlParts): Routes {
  const requireObject = (rest: string) => {
    const object = world.get(decodePath(rest));
    if (!object) throw notFound(decodePath(rest));
    return object;
  };
  const put = (object: ReturnType<typeof objectOf>): Fields => {
    world.put(object);
    return object.fields;
  };
  return {
    objects: {
      GET: ({ query }) => {
        const account = query.get("account");
        const visibleObjects = [...world.all()].filter(
          ({ name }) => account === undefined || accountOf(name) === account,
        );
        return { objects: Object.fromEntries(visibleObjects.map(({ name, fields }) => [name, fields])) };
      },
    },
    "objects/*": {
      GET: ({ rest }) => requireObject(rest).fields,
      PUT: ({ rest, query, body }) => put(assertOwned(objectOf(decodePath(rest), body), query.get("account"))),
      PATCH: ({ rest, body }) => put(applyMergePatch(requireObject(rest), body, world.clock.now())),
      DELETE: ({ rest, query }) => {
        const object = requireObject(rest);
        if (query.get("tombstone") === "true") return put(tombstone(object, world.clock.now()));
        return emptyResponse(world.remove(object.name));
      },
    },
  };
}

function faults({ faults }: ControlParts): Routes {
  return {
    faults: {
      GET: () => ({ faults: faults.list() }),
      POST: ({ body }) => ({ id: faults.add(body).id }),
      DELETE: () => emptyResponse(faults.clear()),
    },
    "faults/*": {
      DELETE: ({ rest }) => {
        if (!faults.remove(rest)) throw notFound(`the fault \`${rest}\``);
        return {};
      },
    },
  };
}

function conditions({ world, touch }: ControlParts): Routes {
  const settingsDocument = (account: string | undefined) => {
    const { rateLimit, ...rest } = world.settingsOf(account ?? "");
    return {
      ...rest,
      dialect: dialectIn(rest) ? rest.dialect : null,
      rateLimit: rateLimit && rateLimit.perSecond > 0 ? rateLimit : null,
    };
  };
  return {
    clock: {
      GET: () => ({ time: timeOf(world), clock: world.clock.kind }),
      POST: ({ body }) => {
        const ms = durationSeconds(String((body as Fields | undefined)?.["advance"] ?? "")) * 1000;
        if (Number.isNaN(ms)) throw new ApiError(400, 3, "`advance` must be a duration such as `10m`");
        if (world.clock.kind === "real")
          throw new ApiError(409, 9, "a real clock cannot be advanced; start the emulator with `--clock manual`");
        world.clock.advance(ms);
        touch();
        return { time: timeOf(world), clock: world.clock.kind };
      },
    },
    settings: {
      GET: ({ query }) => settingsDocument(query.get("account")),
      PUT: ({ query, body }) => {
        world.changeSettings(settingsIn(body), query.get("account"));
        return settingsDocument(query.get("account"));
      },
    },
    traffic: {
      POST: ({ body }) => {
        const { deployment, at = world.clock.now() } = (body ?? {}) as Fields;
        const time = typeof at === "number" ? at : Date.parse(String(at));
        if (Number.isNaN(time)) throw new ApiError(400, 3, "`at` must be a time such as `2030-01-31T00:00:00Z`");
        if (!recordTraffic(world, String(deployment), time)) throw notFound(`the deployment \`${String(deployment)}\``);
        return {};
      },
    },
  };
}

/** How many snapshots are kept; a new one beyond that takes the place of the oldest. */
const maxSnapshots = 20;

function worlds({ world, exchange, faults, journal, initial }: ControlParts): Routes {
  const snapshots = new Map<string, unknown>();
  let count = 0;
  const restoreSnapshot = (snapshot: unknown) => {
    world.restore(snapshot);
    exchange.reset();
    return {};
  };
  return {
    snapshot: {
      POST: () => {
        const id = `snapshot-${++count}`;
        snapshots.set(id, world.snapshot());
        if (snapshots.size > maxSnapshots) snapshots.delete([...snapshots.keys()][0]!);
        return { id };
      },
    },
    restore: {
      POST: ({ body }) => {
        const id = String((body as Fields | undefined)?.["id"] ?? [...snapshots.keys()].at(-1) ?? "");
        if (!snapshots.has(id)) throw notFound(id === "" ? "a snapshot" : `the snapshot \`${id}\``);
        return restoreSnapshot(snapshots.get(id));
      },
    },
    reset: {
      POST: () => {
        faults.clear();
        journal.clear();
        return restoreSnapshot(initial());
      },
    },
    seed: { POST: ({ body }) => emptyResponse(seed(world, body)) },
  };
}

/** The account of an object whose name does not contain it, such as a stored response. */
const assertOwned = (object: StoredObject, account: string | undefined): StoredObject =>
  account === undefined ? object : { ...object, notes: { ...object.notes, account } };

const timeOf = (world: World): string => new Date(world.clock.now()).toISOString();

/** The answer to a request that is sent for its effect. */
const emptyResponse = (_: void): Fields => ({});

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new ApiError(400, 3, `\`${path}\` is not percent-encoded text`);
  }
}
