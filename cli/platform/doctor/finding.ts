import { isModelPlatformError, nextStep, problemOf } from "../../../provider/core/errors";

/** The result of one check: "the base URL is `ok | warning | error`". */
export interface DoctorFinding {
  level: "ok" | "warning" | "error";
  /** What was checked: a few words, the same in every run. */
  subject: string;
  /** How it is. Never holds a secret. */
  found: string;
  /** What to do about it; absent if there is nothing to do. */
  advice?: string;
}

export const ok = (subject: string, detail: string): DoctorFinding => ({ level: "ok", subject, found: detail });
export const warning = (subject: string, detail: string, advice: string): DoctorFinding => ({
  level: "warning",
  subject,
  found: detail,
  advice,
});
export const error = (subject: string, detail: string, advice: string): DoctorFinding => ({
  level: "error",
  subject,
  found: detail,
  advice,
});

/** An error of this package brings its own advice. */
export function errorFinding(subject: string, cause: unknown, advice: string): DoctorFinding {
  const own = isModelPlatformError(cause) ? nextStep(cause) : undefined;
  return error(subject, problemOf(cause), own ?? advice);
}
