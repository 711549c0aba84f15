/**
 * Codes of errors of the life cycle, by what each says. The list is closed: programs, tests and `--json` tell errors
 * apart by them, and never by their words. `docs/errors.md` has them as a table.
 */
export const errorCodes = {
  "adopted-never-replaced": "A change needs a replacement, which would delete an adopted object.",
  "already-created": "This declaration has created the object, and only one such object can exist at a time.",
  "already-exists": "The object exists, and nothing shows that this declaration created it.",
  "another-account": "The recorded object is of another account than the one that is declared.",
  "another-address": "The recorded object was made at another base URL.",
  "another-stacks": "The object carries the marks of another stack.",
  "answered-with-another": "The create was answered with an object that was not asked for.",
  "automatic-id-exists": "An object has the automatic id of this declaration, and nothing shows who created it.",
  "bad-timeout": "A timeout is not a duration.",
  "begun-by-another-stack": "An interrupted run of a stack of another name created the object.",
  "begun-by-state": "An interrupted run began a create here, and nothing shows whether this is its object.",
  "cannot-become": "The object cannot become what the program declares.",
  "cannot-take": "The object that is to be taken back cannot become what the program declares.",
  "changed-by-another": "Somebody else has changed the settings since they were recorded.",
  "cleanup-failed": "What a failed create left could not be deleted.",
  "created-as-another": "This stack has created the object as another resource.",
  "created-meanwhile": "The object was created while this create was under way, and is not exactly what was sent.",
  "declared-by-another": "Another resource of the program declares the object that is to be deleted.",
  "deletion-not-seen": "The service accepted the deletion, and reads show the object as it was.",
  "deletion-unfinished": "The service accepted the deletion, and the object is not gone in time.",
  differs: "The object that is to be adopted as it is differs from the program.",
  "drain-interrupted": "A run was interrupted while the object drained.",
  "existed-before": "The object existed before the create that it answers.",
  failed: "The object has failed, and does not go on by itself.",
  "file-changed": "A file changed while it was read.",
  "file-unreadable": "A file cannot be read.",
  gone: "The object that is to be updated is gone.",
  "held-by-another": "Another resource of the same program has the object.",
  "held-by-another-stack": "The state of another stack has the object.",
  "host-serves": "The host serves what this stack has not loaded.",
  "host-unreadable": "What the host serves cannot be read.",
  "id-used-up": "The id can never be used again.",
  "in-transition": "Another change of the object is under way, and does not end in time.",
  "journal-unwritable": "The journal of what is about to be created cannot be read or written.",
  "key-taken": "Another object has the value that the change gives to this one.",
  "left-at-its-id": "An interrupted run left the object at the id that is to be used.",
  "loosens-policy": "The change makes a policy less strict, and the program does not consent.",
  "lost-by-state": "The resource had an object that is live and that the state has lost.",
  "moved-back": "An update failed, and what it had moved serves from its former place again.",
  "never-replaced": "A change needs a replacement of a kind that is never replaced automatically.",
  "no-delete-operation": "The service has no operation that deletes the object.",
  "no-files": "The place that is to be uploaded holds no file.",
  "no-free-id": "Every automatic id of the declaration is taken.",
  "no-upload-address": "The service gave no address to upload a file to.",
  "not-a-file": "A path to upload is not a file.",
  "not-a-name": "An id is not the name of an object of this kind.",
  "not-serving": "The object does not serve in time.",
  "not-visible": "The object that was just made does not show in reads yet.",
  "outcome-unknown": "The answer to a create was lost, and looking for its object failed.",
  protected: "`deletionProtection` is set for the object.",
  "recorded-twice": "The state has the object for two resources of the program.",
  "refused-because-of": "The service refused the create because of an object that shows exactly what was sent.",
  "replaced-by-another": "Another object has the name of the recorded one.",
  "replaced-by-own": "Another resource of this stack has created the object that has the recorded name.",
  "replacement-refused": "The object is not deleted, because its replacement would be refused.",
  "served-lately": "The service deletes no object that has served within the last hour.",
  "settings-not-cleared": "The service accepted the removal of settings and did not make it.",
  "settings-not-removed": "The service refuses to remove settings.",
  "soft-deleted": "A deleted object keeps its id until it is purged.",
  "source-unreadable": "The file of a value cannot be read.",
  "source-unset": "The environment variable of a value is not set.",
  "successor-unready": "The successor did not become ready, and the object stays.",
  unsettled: "The object has not reached the desired state.",
  "unusable-answer": "An answer of this run cannot be used, and no create is sent.",
  "update-altered": "The service made something else of an update.",
  "update-ignored": "The service did not apply an update.",
  "update-lost-fields": "The service replaced the object with the body of an update.",
  "upload-refused": "The service refused the uploaded files.",
  "upload-unready": "The object is not ready in time after its upload.",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** What an error is about, beside the resource that it is reported for. */
export interface ErrorSubject {
  /** Name of the live object that is in the way. */
  object?: string;
  /** URN of the other resource. */
  resource?: string;
  /** Name of the other stack. */
  stack?: string;
}

/** Settings and values with which the same situation ends otherwise. Each is for one more `up`. */
export interface ErrorAnswers {
  /** Values of `recover` (`MODELPLATFORM_RECOVER`). */
  recover?: readonly ("take" | "new")[];
  /** Values of the resource's `adopt`. */
  adopt?: readonly ("ifEqual" | "overwrite")[];
  /** Another id or key for the resource; the object stays. With `recover: new` where the state has lost the object. */
  otherId?: true;
  /** Value of the resource's `acceptDrift`: the object becomes the recorded one. */
  acceptDrift?: string;
  /** The other resource's name among the `aliases` of this one. */
  alias?: string;
  /** Deleting the object by hand. */
  delete?: true;
  /** `up --refresh`. */
  refresh?: true;
  /** `deleteBeforeReplace: true`. */
  deleteBeforeReplace?: true;
  /** One `up` without this resource, and one with it. */
  leaveOut?: string;
  /** The same command again, once the other resource has released the object. */
  again?: true;
}
