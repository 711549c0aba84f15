import type { ErrorCode } from "../provider/core/error-codes";
import { errorCodeOf } from "../provider/core/errors";

/** Resolves to the error that the work ends in; work that succeeds fails the test. */
export const rejection = <E extends Error = Error>(work: Promise<unknown>): Promise<E> =>
  work.then(
    () => Promise.reject(new Error("nothing was rejected")),
    (error: E) => error,
  );

/** Resolves to the error that the work ends in, which has that code, or what has caused it has. */
export async function refusal<E extends Error = Error>(code: ErrorCode, work: Promise<unknown>): Promise<E> {
  const error = await rejection<E>(work);
  expect(errorCodeOf(error)).toBe(code);
  return error;
}
