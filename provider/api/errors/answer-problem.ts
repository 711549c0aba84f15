import type { Redactor } from "../../core/redact";

/** Why an answer cannot be used: what is at a place of its body, and what should be. */
export interface AnswerProblem {
  /** Path in the body; empty for all of it. */
  at: string;
  /** Completes the sentence "expected …". */
  expected: string;
  /** Undefined where nothing is there. */
  found: unknown;
  /** The setting that ends it, where one does. */
  advice?: string;
}

/** Most letters of what an answer holds that a message shows. */
const mostLetters = 200;

/** The problem as an end of the sentence "answered 200 …". */
export function answerProblemText({ at, expected, found }: AnswerProblem, redactor: Redactor): string {
  const place = at === "" ? "" : ` at \`${at}\``;
  const instead = found === undefined ? `without \`${at}\`` : `with ${shown(found, redactor)}${place}`;
  return `${instead}: expected ${expected}`;
}

/** Masked before it is cut: half a secret would not be recognized. */
function shown(found: unknown, redactor: Redactor): string {
  const text = redactor.text(JSON.stringify(redactor.value(found)));
  return text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text;
}
