import type { Rule } from "../core/rules/rules";
import { Refusal } from "./types";

export interface Violation {
  /** Place in the body, in property-path syntax; for a query parameter its name. */
  field: string;
  description: string;
}

/** The refusals that the service makes, each with its number (A091). */

export const invalid = (violations: readonly Violation[], broken: readonly Rule[] = []): Refusal =>
  new Refusal(
    400,
    3,
    violations.map(({ field, description }) => `\`${field}\`: ${description}`).join("; "),
    [{ reason: "BAD_REQUEST", fieldViolations: violations }],
    broken,
  );

export const invalidField = (field: string, description: string): Refusal => invalid([{ field, description }]);

export const failedPrecondition = (message: string, reason?: string): Refusal =>
  new Refusal(400, 9, message, reason === undefined ? [] : [{ reason }]);

export const aborted = (message: string): Refusal => new Refusal(409, 10, message);

export const alreadyExists = (message: string): Refusal => new Refusal(409, 6, message);

export const permissionDenied = (message: string): Refusal => new Refusal(403, 7, message);

export const notFound = (name: string): Refusal => new Refusal(404, 5, `${name} does not exist`);

export const unimplemented = (message: string): Refusal => new Refusal(501, 12, message);

export const unauthenticated = (message: string): Refusal => new Refusal(401, 16, message);
