import { Duration } from "../fields/atoms";
import { closedEnum, type Field, field, fieldsOf, immutable, providerOption } from "../fields/fields";
import type { Derivation } from "../fields/markers";
import { parseRoute } from "../values/names";
import { memoize } from "../values/once";
import { z } from "../zod";
import type { Billing, CostLimit } from "./billing";
import type { Preflight } from "./preflight";
import type { Caution, Rule, RuleCondition } from "./rules";

/** What an operation does to the world; previews and scans may only send the first two (A001). */
export type Effect = "read" | "readViaPost" | "mintsCredential" | "write";

export type OperationProvenance = "listed" | "conventional";

/** One HTTP operation of the service, declared where the thing it works on is declared. */
export interface OperationSpec {
  /** `METHOD /path/{parameter}?query={parameter}`; `{name}` is a whole resource name. */
  route: string;
  provenance: OperationProvenance;
  /** The convention that supplies a conventional operation, or the undocumented part of a listed one. */
  convention?: string;
  /** A listed operation whose path is undocumented, so that it may turn out to be another (A001). */
  assumedPath?: true;
  /** Default: `read` for GET, `write` for the rest. */
  effect?: Effect;
  /** Catalogue name, where it is not verb + kind. */
  name?: string;
  /**
   * How the message travels, where it is not the whole body: the name beside its fields (A012), wrapped
   * (A014), or another kind's deeper within (A020).
   */
  body?: {
    name?: true;
    wrap?: { id: string; message: string };
    within?: { kind: string; path: readonly string[] };
  };
  /** The body, if it is a separate message. */
  request?: z.ZodObject;
  /** The answer, where it is neither an object of the kind nor a list of them. */
  answer?: z.ZodObject;
  /** The answer is a list of the kind's objects, as that of the verb `list` is. */
  lists?: true;
  /** Objects in the answer may be another account's. */
  ofAnyAccount?: true;
}

/** What a catalogue says of an operation besides its declaration. */
export interface OperationIdentity {
  name: string;
  effect: Effect;
  method: string;
  /** `{name}` is spelt out: a name may hold slashes. */
  path: string;
  /** Query parameters that its route shows. */
  query: readonly string[];
}

/** The operation of a kind: `createDeployment`, or `listDeployments`, unless its declaration has another name. */
export function identifyOperation(
  { kind, collection, name }: { kind: string; collection: string; name: string },
  verb: string,
  operation: OperationSpec,
): OperationIdentity {
  const { method, path, query } = parseRoute(operation.route);
  return {
    name: operation.name ?? `${verb}${verb === "list" ? capitalize(collection) : kind}`,
    effect: operation.effect ?? (method === "GET" ? "read" : "write"),
    method,
    path: path.replace("{name}", name),
    query,
  };
}

const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export type Verb = "create" | "get" | "list" | "update" | "delete" | (string & {});

/** What every resource takes besides its own fields. */
export const commonInputs = {
  accountId: field(immutable(z.string()), { default: "the provider's account", example: "acme" })
    .optional()
    .describe("Account that the object lives in."),
  acceptDrift: providerOption(z.string())
    .optional()
    .describe(
      "Accepts drift in fields that the program does not set, or an object that was recreated under the same name. Refreshes, `up` and the command `drift` print the value to set; it accepts the drift that they showed, and no later drift. One text may hold the values for many objects, with spaces between them.",
    ),
  adopt: field(
    providerOption(
      closedEnum({
        never: "Fails, and names the existing object.",
        ifEqual: "Adopts the object if it equals the program, and fails otherwise.",
        overwrite: "Adopts the object, and updates it to match the program.",
      }),
    ),
    {
      default: "`never`; for the settings of an account, `ifEqual`",
    },
  )
    .optional()
    .describe(
      "What to do with an existing object: one in the account that has the chosen id or the natural key (such as the e-mail address of a user) of this resource, and that this resource did not create. Fail (`never`), adopt it if it equals the program and fail otherwise (`ifEqual`), or adopt it and update it to match (`overwrite`). Inputs whose change would replace the resource have to agree in any case. An adopted object stays when its resource is removed.",
    ),
  deletionProtection: field(providerOption(z.boolean()), {
    default: "the provider's `deletionProtection`, else `false`",
  })
    .optional()
    .describe(
      "Whether to refuse to delete or replace the object. To lift it, set this to `false` and run `up` before the change that deletes.",
    ),
  immutable: field(providerOption(z.array(z.string())), { namesFields: true, example: ["displayName"] })
    .optional()
    .describe(
      "Names of fields that this service ignores in updates. A change of one of them then replaces the resource.",
    ),
  timeouts: field(
    providerOption(
      z.strictObject({
        create: Duration.optional().describe("How long create may wait until the object is ready."),
        update: Duration.optional().describe("How long update may wait until the object is ready again."),
        delete: Duration.optional().describe("How long delete may wait until the object is gone."),
      }),
    ),
    { default: "the resource option `customTimeouts`, else {timeouts}" },
  )
    .optional()
    .describe(
      "How long each operation may wait before it fails. An object that is not ready in time stays in the state, unless the resource says otherwise (`onTimeout`).",
    ),
};

/** Who decides the last segment of the name, and its default. */
export interface IdentityRule<Name extends string = string> {
  decidedBy: "client" | "service" | "account";
  /** If the client decides: a generated id, one derived from another field, or the service's default. */
  default?: "automatic" | "service" | { hyphenOf: Name };
  /**
   * Fields that, taken together, only one live object of the account can have; looked up before a create is repeated.
   */
  naturalKey?: readonly Name[];
  /** The service may answer another id than the one asked for; the answer wins (A016). */
  answerWins?: true;
  /** An id can never be reused, so that a new object needs a new one (jobs, A072). */
  neverReused?: true;
  /** A change that only a replacement could make is an error (A050). */
  neverReplaced?: true;
}

/**
 * States by what they mean for someone who waits. A state in none of the lists is unknown: wait, then report it (A090).
 */
export interface Lifecycle {
  /** Progresses on its own. */
  moving: readonly string[];
  /** Wanted and at rest. */
  ready: readonly string[];
  /** Over, and not in the desired state. */
  failed: readonly string[];
  /** At rest and not over: it does not progress on its own. */
  resting: readonly string[];
  /** Being deleted or deleted: no longer there for a reader (A042, A071). */
  gone: readonly string[];
  /** The last of `gone`: nothing more will happen. */
  deleted: readonly string[];
  /** No FAILED state: a `status.code` other than OK while not ready is the failure (A081). */
  failsByStatus?: true;
  /** The field with the time at which the object ended, which marks the end if no state does. */
  endTime?: string;
  /** What `waitFor` may ask for: the states at which that wait ends well. `*` is any answer. */
  goals?: Readonly<Record<string, readonly string[]>>;
  /** The goal when `waitFor` is not set, by the first condition that holds; the last has none. */
  goal?: readonly { when?: RuleCondition; is: string }[];
  /** States passed through, in order, with a usual stay in each but the last. */
  paths: Readonly<
    Partial<Record<"create" | "update" | "delete" | "cancel", readonly (readonly [state: string, stay?: string])[]>>
  >;
  /**
   * Progress of a moving object, in words: `{path}` is a field's value, and a text without any of its fields is
   * omitted.
   */
  progress?: readonly string[];
  /** The longest pause between two looks at what moves (A096). */
  longestPause: string;
}

/**
 * Files that a program gives by the behaviour input `from`, as `{ folder }` or `{ files }`. Verbs of the service
 * answer where to send them and judge what has arrived (A080); `sizes`, `addresses` and `resumable` are the
 * members of the first one's request and answer.
 */
export interface Uploads {
  from: string;
  endpoint: { verb: Verb; sizes: string; addresses: string; resumable: string };
  validate: Verb;
}

/**
 * The object that another one serves from. The service puts a host's own content onto it by itself (A081), and what is
 * on a host that is replaced moves to its successor.
 */
interface Host<Name extends string = string> {
  /** The field that names the host. */
  field: Name;
  /** The field that names what is put onto it. */
  content: Name;
  /** The host's field that names its own content. */
  own: string;
  /** The host's directive that keeps the service from putting its own content onto it. */
  unless: string;
  /** Whether this host serves the content for callers that name no host. */
  claim: Name;
}

/** How long an operation may take when neither the program nor the kind's declaration says. */
export const defaultTimeout = "5m";

/** Fields are named as the types of `inputs` and `outputs` have them, so that a misspelt one does not compile. */
interface ResourceDeclaration<
  I extends z.ZodObject,
  O extends z.ZodObject,
  Name extends string = string,
  Path extends string = string,
> {
  /** One sentence: what the thing is. */
  summary: string;
  /** Segment of the collection in names and routes, and key of its lists. */
  collection: string;
  /** Template of the resource name. */
  name: string;
  identity: IdentityRule<Name>;
  /** What a program may set, including the id and this provider's own options. */
  inputs: I;
  /** What only the service sets. */
  outputs: O;
  rules?: readonly Rule<Path>[];
  /** Rules that a new object may break and still be accepted: breaking one is a warning. */
  cautions?: readonly Caution<Path>[];
  operations: Readonly<Partial<Record<Verb, OperationSpec>>>;
  lifecycle?: Lifecycle;
  /** How long an operation may take when the program does not say. */
  timeouts?: { create: string; update: string; delete: string };
  /** What stays after a delete: nothing, a tombstone until purged (`soft`, A042), or one for good (`forever`, A072). */
  deletion?: "hard" | "soft" | "forever";
  /** There is one per account, and create is an update (A060). */
  singleton?: true;
  /** An object that the service makes when this one gets ready, and its place in that object (A073). */
  produces?: { kind: string; name: string; backReference: string };
  /** What the object serves from. */
  host?: Host<Name>;
  /** Files of this machine that belong to the object. */
  uploads?: Uploads;
  /** A limit that the program may set on the expected cost; objects above it are cancelled. */
  costLimit?: CostLimit;
  /** What reads can tell before a new object is requested. */
  preflight?: Preflight;
  /** Paths of the model that it is made from, where neither `preflight` nor `host` names one. */
  madeFrom?: readonly Path[];
  /** Field with the calendar day on which what is made from the object loses its serverless deployment. */
  retires?: Name;
  /** What the object is paid for. Absent: it costs nothing by itself. */
  billing?: Billing;
  /**
   * Answers other than 404 that may mean a missing object, so that the list has to be asked
   * before they are believed or repeated (A053).
   */
  missingAnswers?: readonly { status: number; code: number }[];
  /** Answers spell out what is null, zero or false. */
  explicit?: true;
  /** Order of a list when none is asked for. */
  listOrder?: string;
  /** A complete program's inputs, used in docs and tests. */
  example: z.input<I>;
}

export interface ResourceSpec<
  K extends string = string,
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
> extends ResourceDeclaration<I, O> {
  kind: K;
  rules: readonly Rule[];
  cautions: readonly Caution[];
  deletion: "hard" | "soft" | "forever";
  /** Outputs that this provider derives from the object's own fields: they are in no response. */
  derived: Readonly<Record<string, Required<Derivation>>>;
  fields: FieldGroups;
}

/** The fields of a resource by the part they play. */
interface FieldGroups {
  /** The program's fields that travel in the body. */
  message: readonly Field[];
  /** Fields that only the service sets. */
  outputs: readonly Field[];
  /** Query parameters of create. */
  directives: readonly Field[];
  /** Options of this provider. */
  behaviours: readonly Field[];
  /** The id input, where the program may choose. */
  resourceId?: Field | undefined;
}

const isIn = (declared: Field): boolean =>
  !declared.markers.behaviour &&
  !declared.markers.directive &&
  !declared.markers.resourceId &&
  declared.name !== "accountId";

/** Declares a resource, once, for all its readers. */
export function defineResource<const K extends string, I extends z.ZodRawShape, O extends z.ZodRawShape>(
  kind: K,
  declaration: ResourceDeclaration<
    z.ZodObject<I, z.core.$strict>,
    z.ZodObject<O, z.core.$strip>,
    NameIn<z.output<z.ZodObject<I>>>,
    PathIn<z.output<z.ZodObject<I>>>
  >,
): ResourceSpec<K, z.ZodObject<I & typeof commonInputs, z.core.$strict>, z.ZodObject<O, z.core.$strip>> {
  const inputs = memoize(() => declaration.inputs.extend(commonInputs));
  const fields = memoize(() => groupsOf(fieldsOf(inputs()), fieldsOf(declaration.outputs)));
  const derived = memoize(() => derivedFrom(fields().outputs));
  return Object.freeze({
    rules: [],
    cautions: [],
    deletion: "hard",
    ...declaration,
    kind,
    // Most commands read the operations of all kinds, and the fields of one.
    get inputs() {
      return inputs();
    },
    get derived() {
      return derived();
    },
    get fields() {
      return fields();
    },
  }) as unknown as ResourceSpec<K, z.ZodObject<I & typeof commonInputs, z.core.$strict>, z.ZodObject<O, z.core.$strip>>;
}

function groupsOf(inputs: readonly Field[], outputs: readonly Field[]): FieldGroups {
  const resourceId = inputs.find((declared) => declared.markers.resourceId);
  return {
    message: inputs.filter(isIn),
    outputs,
    directives: inputs.filter((declared) => declared.markers.directive),
    behaviours: inputs.filter((declared) => declared.markers.behaviour),
    resourceId,
  };
}

const derivedFrom = (outputs: readonly Field[]): Record<string, Required<Derivation>> =>
  Object.fromEntries(
    outputs.flatMap(({ name, markers: { follows } }) => (follows?.from ? [[name, { from: [], ...follows }]] : [])),
  );

/** The id input: the program may choose the last segment of the name; a change replaces the object. */
export const resourceId = <T extends z.ZodType>(schema: T): T =>
  field(schema, { resourceId: true, immutable: true, follows: { template: "{value}", from: ["id"] } });

/** A kind of object that serves from objects of another kind. */
export type HostedSpec = ResourceSpec & { host: Host };

/** The collection of the objects that this kind serves from. */
export const hostCollection = (spec: ResourceSpec): string | undefined =>
  spec.fields.message.find((declared) => declared.name === spec.host?.field)?.markers.refersTo?.collection;

/** The names of a message's members. Those of a map are not declared. */
type NameIn<T> = string & keyof { [K in keyof T as string extends K ? never : K]: T[K] };

/** The paths of a message's members, with dots: `placement.region`. Lists and maps are not entered. */
type PathIn<T, Depth extends readonly 0[] = []> = Depth["length"] extends 3
  ? never
  : T extends readonly unknown[]
    ? never
    : T extends object
      ? { [K in NameIn<T>]: K | `${K}.${PathIn<NonNullable<T[K]>, [...Depth, 0]>}` }[NameIn<T>]
      : never;
