/** The API's facts as plain data, stated a second time and independently of the resource specs. */

export type FieldType =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "date-time"
  | "object"
  | "array"
  | "map"
  | "enum"
  /** Named, but its type is not documented. */
  | "unshown";

/** Holds when the top-level `field` has one of `values`; `absent` says whether leaving it out counts as well. */
export type Condition = { readonly field: string; readonly values: readonly unknown[]; readonly absent?: true };

export type FieldFact = {
  /** Dotted from the resource's root; `[]` steps into array items, `{}` into map values. */
  readonly path: string;
  readonly type: FieldType;
  /** The other JSON type a field of two types may have. */
  readonly orType?: FieldType;
  readonly nullable?: true;
  readonly readOnly?: true;
  /** Must be in every request that carries its parent. */
  readonly required?: true;
  /** Must be in an update; nothing is said about a create. */
  readonly requiredOnUpdate?: true;
  readonly requiredInResponse?: true;
  readonly inputOnly?: true;
  readonly deprecated?: true;
  /** The documented values, in documented order; on a `string` it lists what that string may be. */
  readonly enum?: readonly string[];
  /** The service has values beyond `enum` that are not documented. */
  readonly enumPartial?: true;
  /** A value outside `enum` is refused even when nothing is near it (A002). */
  readonly closed?: true;
  readonly default?: unknown;
  /** A default that depends on something else. */
  readonly defaultIs?: string;
  readonly absentMeans?: string;
  readonly zeroMeans?: string;
  /** In code points. */
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly maxEntries?: number;
  /** A regular expression that the whole string matches: it needs no anchors. */
  readonly pattern?: string;
  /** What every key of a map begins with in a request. */
  readonly keyPrefix?: string;
  /** What the service has once a program stops setting the field (A035); absent: what it had. */
  readonly dropped?: "cleared" | "reset";
  /** Drift compares it even where no program sets it (A049). */
  readonly watched?: true;
  /** Whether zero, or an empty text, is a value like others or stands for unset (A094); absent: neither is known. */
  readonly zero?: "value" | "unset";
  readonly exclusiveWith?: readonly string[];
  /** Fields that must be there when this one is. */
  readonly requires?: readonly string[];
  /** Allowed only when one of these holds. */
  readonly validOnlyWith?: readonly Condition[];
  /** Required when one of these holds. */
  readonly requiredWhen?: readonly Condition[];
  /** An object whose members are not documented. */
  readonly membersNotShown?: true;
  readonly note?: string;
};

export type Body = { readonly [field: string]: unknown };

/** A request, or for a read-only kind a response. */
export type Example = { readonly body: Body; readonly query?: Body };

export type InvalidExample = Example & {
  readonly because: string;
  /** The property a failure is expected at, in property-path syntax. */
  readonly path: string;
  /** Where two fields contradict each other, the other one: a failure may stand at either. */
  readonly orPath?: string;
};

/** A rule across fields, or about the form of one, that a body alone can break. */
export type RuleFact = {
  readonly id: string;
  readonly sentence: string;
  /** The error a service answers, where documented. */
  readonly answer?: { readonly http: number; readonly code: number };
  /** Not said in so many words but following from two facts. */
  readonly inferred?: true;
  readonly valid: readonly Example[];
  readonly invalid: readonly InvalidExample[];
};

/** A fact that depends on the account, the caller or other objects, so that no body alone shows it. */
export type CircumstanceFact = { readonly id: string; readonly sentence: string };

export type SettableKind =
  | "PolicySettings"
  | "SupervisedFineTuningJob"
  | "RlorTrainerJob"
  | "DeployedModel"
  | "User"
  | "Model"
  | "Deployment"
  | "Secret";

export type Kind = SettableKind | "DeploymentShapeVersion" | "JobProgress" | "Account" | "StoredResponse";

export type ResourceFacts = {
  /** Template of `name`; absent where objects have no resource name. */
  readonly name?: string;
  /** A program can set some of its fields. */
  readonly settable: boolean;
  readonly fields: readonly FieldFact[];
  readonly rules: readonly RuleFact[];
  readonly circumstances: readonly CircumstanceFact[];
  readonly states?: readonly string[];
};

export type Effect = "read" | "readViaPost" | "mintsCredential" | "write";

export type QueryFact = {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean";
  readonly default?: unknown;
  readonly max?: number;
  /** The convention that names it, where it is not documented. */
  readonly by?: string;
};

export type ResponseFact =
  | { readonly kind: Kind }
  | { readonly list: string; readonly of: Kind | "BatchInferenceJob" | "DeploymentShape" }
  | { readonly fields: readonly FieldFact[] }
  | "empty"
  /** An object whose fields are not documented. */
  | "unshown";

export type OperationFact = {
  readonly name: string;
  /** The section of the specification, for listed operations. */
  readonly section?: string;
  /** The conventions it rests on, for conventional ones. */
  readonly by?: readonly string[];
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** The convention that gives the path, where it is not documented. */
  readonly pathBy?: string;
  /** Path parameters for which `-` stands for all. */
  readonly wildcards?: readonly string[];
  readonly query: readonly QueryFact[];
  /** Absent: the request has none. */
  readonly body?: readonly string[];
  readonly requiredBody?: readonly string[];
  readonly response: ResponseFact;
  readonly defaultOrder?: string;
  readonly effect: Effect;
  readonly note?: string;
};
