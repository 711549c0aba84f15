import type { ErrorAnswers, ErrorCode, ErrorSubject } from "../../provider/core/error-codes";
import { isModelPlatformError } from "../../provider/core/errors";

/** An error of a command, as a person or a program tells it from others. */
export interface Refusal {
  text: string;
  code: ErrorCode | undefined;
  about: ErrorSubject;
  answers: ErrorAnswers;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is thrown, by the code of the error that has caused it. */
export function refusalBy(error: unknown): Refusal {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (isModelPlatformError(cause) && cause.code !== undefined) {
      const { code, about, answers } = cause;
      return { text: textOf(error), code, about, answers };
    }
  return { text: textOf(error), code: undefined, about: {}, answers: {} };
}

/** The codes of errors, of those that have one. */
export const codesOf = (refusals: readonly Refusal[]): ErrorCode[] => refusals.flatMap(({ code }) => code ?? []);

/** An error that the model answers. */
interface Spoken {
  code: ErrorCode;
  /** Finds it in a text, with what it is about. */
  says: RegExp;
  answers?: ErrorAnswers;
}

/**
 * What processes print of the errors that are answered there: nothing else of an error leaves them. The model holds
 * each text that it meets against these, so that none stands here once the words have changed.
 */
const spoken: readonly Spoken[] = [
  {
    code: "cannot-become",
    says: /(?<object>accounts\/\S+) exists and differs from the program in [^.]*, which cannot change/g,
    answers: { delete: true },
  },
  {
    code: "automatic-id-exists",
    says: /(?<object>accounts\/[^\s,]+), created at \S+, was not taken over: it has the automatic id of this declaration/g,
  },
  {
    code: "begun-by-another-stack",
    says: /(?<object>accounts\/\S+) was created by an interrupted run of the stack (?<stack>\S+) for this/g,
  },
  {
    code: "lost-by-state",
    says: /(?<object>accounts\/[^\s,]+), created at [^,]+, was this resource before, and the state no longer has it\. To have it back, run/g,
    answers: { recover: ["take", "new"] },
  },
  {
    code: "lost-by-state",
    says: /(?<object>accounts\/[^\s,]+), created at [^,]+, was this resource before, and the state no longer has it\. To have it back, declare/g,
    answers: { recover: ["new"] },
  },
  {
    code: "cannot-take",
    says: /(?<object>accounts\/\S+) cannot be taken, because it cannot become/g,
    answers: { recover: ["new"] },
  },
  {
    code: "replaced-by-own",
    says: /(?<object>accounts\/\S+) was not changed: it is gone, and \S+ has created the object/g,
  },
  { code: "not-visible", says: /(?<object>accounts\/\S+) is not visible: it may be gone/g },
  { code: "changed-by-another", says: /(?<object>accounts\/\S+) was not changed: someone else has changed/g },
];

/** The errors in what a process has printed, as far as they are answered. */
export function refusalsIn(output: string): Refusal[] {
  const text = output.replace(/\s+/g, " ");
  return spoken.flatMap(({ code, says, answers = {} }) =>
    [...text.matchAll(says)].map(({ groups }) => ({ text, code, about: { ...groups }, answers })),
  );
}

/** Errors that processes print in words that `refusalsIn` does not find any longer. */
export const unreadable = (refusals: readonly Refusal[]): Refusal[] =>
  refusals.filter(
    ({ text, code, about }) =>
      spoken.some((each) => each.code === code) &&
      !refusalsIn(text).some((read) => read.code === code && read.about.object === about.object),
  );
