/**
 * Headings of `docs/errors.md`. An error says one next step; whatever else there is to know about it stands under the
 * heading that it links. A test compares the two.
 */
export const errorTopics = [
  "the-answer-is-not-the-apis",
  "no-connection",
  "the-key-is-not-accepted",
  "no-key-account-or-base-url",
  "an-operation-at-another-path",
  "the-outcome-is-unknown",
  "an-update-is-refused-or-loses-fields",
  "the-object-already-exists",
  "an-interrupted-run-left-an-object",
  "the-state-has-lost-the-object",
  "the-journal-cannot-be-written",
  "another-declaration-has-the-object",
  "another-stack-has-the-object",
  "the-object-was-created-again",
  "two-objects-want-the-same-values",
  "the-object-failed",
  "the-object-is-protected",
  "the-object-cannot-be-deleted",
] as const;

export type ErrorTopic = (typeof errorTopics)[number];

/** The package carries its documentation, so that a link needs no network and fits the installed release. */
const page = "pulumi-modelplatform/docs/errors.md";

/** What an error names for whoever needs more than its one step. */
export const linkTo = (topic: ErrorTopic): string => `${page}#${topic}`;
