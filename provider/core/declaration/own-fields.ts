import type { Resolution } from "../fields/equality";
import type { Owner } from "../fields/owner";
import type { Values } from "../values/values";
import { z } from "../zod";
import type { commonInputs, ResourceSpec } from "./resource";

/**
 * What this provider's own code asks of a program's inputs by name: the inputs that every resource takes, and options
 * that some kinds declare. The declarations are held to these names and types by the type tests.
 */
export interface OwnOptions extends z.output<z.ZodObject<typeof commonInputs>> {
  allowLoosening?: boolean | undefined;
  deletionMode?: "soft" | "hard" | undefined;
  drainTime?: string | undefined;
  ignoreChecks?: boolean | undefined;
  maxAttempts?: number | undefined;
  onDelete?: "retain" | "clear" | "restorePrevious" | undefined;
  onDeleteUnsupported?: "error" | "abandon" | "demote" | undefined;
  onFailure?: "hold" | "rerun" | undefined;
  onSoftDeletedConflict?: "error" | "undelete" | "hardDelete" | undefined;
  onTimeout?: "keep" | "delete" | undefined;
  recreateIfPurged?: boolean | undefined;
  valueFrom?: { env?: string | undefined; file?: string | undefined } | undefined;
  waitFor?: "ready" | "accepted" | "submitted" | "running" | "terminal" | undefined;
}

/** The options in a program's inputs, or in what was recorded of them. In a preview, any of them may be unknown. */
export const optionsIn = (inputs: Values): Readonly<OwnOptions> => inputs;

export const takesOption = ({ fields }: ResourceSpec, name: keyof OwnOptions): boolean =>
  fields.behaviours.some((field) => field.name === name);

/**
 * What this provider records in a resource's outputs beside the service's own fields. Only names, times, digests and
 * values of watched fields, none of which is a secret: the engine knows secrets by equal top-level names alone, so
 * that no other value of an input is copied here.
 */
export interface Records {
  /** Account that the object lives in. */
  accountId: string;
  /** Base URL of the service that the object was found at (A006). */
  endpoint: string;
  /** Paths that the program set, in Pulumi's property-path syntax (A035). */
  managedFields: string[];
  /** The object was there before and was taken over; deleting it retains it unless `onDelete` says otherwise. */
  adopted?: boolean | undefined;
  /** The owner that this stack has written on the object: the stack may have another name since. */
  marks?: Readonly<Owner> | undefined;
  /** A run of this stack has waited for the object to be what the program wants, and none has seen that it is. */
  awaited?: true | undefined;
  /** The job succeeded and its record is gone; nothing is run again (A075). */
  retired?: boolean | undefined;
  /** What inputs that the service resolves resolved to, by field (A047). */
  resolutions?: Record<string, Resolution> | undefined;
  /** Salted digests, by field: of values that are never answered (A054), and of secrets as they are answered (A033). */
  digests?: Record<string, string> | undefined;
  /** Watched fields as last accepted, and the object's creation time; a read does not change this (A049). */
  accepted?: Record<string, unknown> | undefined;
  /** The object as it was before this program's first change, for `onDelete: "restorePrevious"` (A062). */
  previous?: Record<string, unknown> | null | undefined;
  /** Files that have arrived at the service, by their name there. */
  uploads?: Record<string, UploadedFile> | undefined;
  /** Runs started so far, for jobs that are run again after a failure. */
  attempts?: number | undefined;
  /** Settings without which the object cannot be read, so that a scan has them where it has the state alone. */
  serviceSettings?: RecordedSettings | undefined;
}

/** Settings, none of them secret, that say where a service has its operations and how it spells names. */
export interface RecordedSettings {
  operations?: Record<string, unknown>;
  dialect?: Record<string, unknown>;
}

/** What distinguishes an uploaded file from another one of the same name. */
export interface UploadedFile {
  /** SHA-256, in hexadecimal. */
  digest: string;
  /** Bytes. */
  size: number;
  /**
   * When the file was last touched on the machine that sent it, in milliseconds since
   * 1970: while that stays, it is not read again.
   */
  touched: number;
}

export const recordNames: readonly (keyof Records)[] = [
  "accountId",
  "endpoint",
  "managedFields",
  "adopted",
  "marks",
  "awaited",
  "retired",
  "resolutions",
  "digests",
  "accepted",
  "previous",
  "uploads",
  "attempts",
  "serviceSettings",
];

/** The records among a resource's outputs. Throws where `managedFields` are not what this package writes. */
export function recordsIn(outputs: Readonly<Record<string, unknown>>): Partial<Records> {
  const records: Record<string, unknown> = {};
  for (const name of recordNames) if (outputs[name] !== undefined) records[name] = outputs[name];
  // Taken for an empty list, it would have nothing compared.
  if (records["managedFields"] !== undefined && !isPaths(records["managedFields"]))
    throw new Error(
      `The state of ${String(outputs["name"])} is damaged: its \`managedFields\` are not a list of paths. Restore an earlier state, and run \`refresh\`.`,
    );
  return records;
}

const isPaths = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.every((path) => typeof path === "string"));

/**
 * Input with the kind and URN that a resource method works for;
 * written by the resource class, never by a program.
 */
export const hiddenInput = "__modelplatform";

export const HiddenInput = z.object({
  kind: z.string(),
  urn: z.string(),
  organization: z.string(),
  stack: z.string(),
  /** URNs that the resource had before, as its aliases have them. */
  aliases: z.array(z.string()).optional(),
  /** Paths that the program asks the engine to ignore: it says nothing of them. */
  ignoreChanges: z.array(z.string()).optional(),
  /** How the stack names what the program leaves without an id. */
  naming: z.object({ proposedName: z.string(), mode: z.enum(["propose", "enforce", "disabled"]) }).optional(),
  /** The program's language does not hand them over. */
  aliasesUnknown: z.literal(true).optional(),
});

export type HiddenContext = z.infer<typeof HiddenInput>;

/** Keys that Pulumi or this provider put among the inputs; no field of the service. */
export const reservedInputs: ReadonlySet<string> = new Set([hiddenInput, "__provider"]);

/**
 * Whether `olds`, the inputs recorded for a resource, are those of none: the program declares it for the first time.
 */
export const isNew = (olds: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(olds).every((name) => reservedInputs.has(name));
