import type { commonInputs } from "../fields/universal-inputs";
import type { Values } from "../values/values";
import type { z } from "../zod";
import type { ResourceSpec } from "./resource";

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

/** Whether resources of this kind take the option. */
export const takesOption = ({ fields }: ResourceSpec, name: keyof OwnOptions): boolean =>
  fields.behaviours.some((field) => field.name === name);
