/** Resolves to the error that the work ends in; work that succeeds fails the test. */
export const rejection = <E extends Error = Error>(work: Promise<unknown>): Promise<E> =>
  work.then(
    () => Promise.reject(new Error("nothing was rejected")),
    (error: E) => error,
  );
