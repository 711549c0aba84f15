import type { AccessOpening } from "./opening";

/**
 * What a field declares about its behaviour. Every reader (check, diff, update, emulator, schema, docs, drift) acts on
 * these words alone; none of them asks which resource or field it has.
 */
export interface Markers {
  /** A change needs a replacement. */
  immutable?: true;
  /** Credentials and signed URLs: encrypted in state, masked wherever something is printed. */
  secret?: true;
  /** Accepted by the service, never answered. */
  inputOnly?: true;
  /** Answered as a new value on each read; never stored (A097). */
  volatile?: true;
  /** Must be in the body of every update. */
  alwaysSent?: true;
  /** The order of the list is irrelevant; with a name, members are identified by that field. */
  setOf?: true | string;
  /** Numbers that the service keeps with 32 bits (A074). */
  float32?: true;
  /** How two spellings of one value are recognised. */
  sameAs?: "duration" | "instant" | "letterCase" | "resolvedVersion";
  /**
   * An input that leaves the choice to the service: whatever it answers is as
   * wanted, until an answer is recorded (A047).
   */
  anyValue?: string;
  /** Whether zero is a value like another, or means "not set", where that is not the same for all fields (A094). */
  zero?: "value" | "unset";
  /** What happens when a program stops setting the field (A035). Default: `keep`. */
  onRemoval?: "clear" | "reset" | "keep";
  /**
   * The documented default, which `onRemoval: "reset"` restores and no answer shows; it may be the larger of another
   * field and a number.
   */
  resetTo?: string | number | boolean | { largerOf: readonly [field: string, least: number] };
  /** The default in words, if no other marker says it. */
  default?: string;
  /** The unit of a number, if the API's description gives it and the name does not. */
  unit?: string;
  /** A value as a program writes it, where the form of the field does not show one. */
  example?: unknown;
  /** The TypeScript type of what a program gives, where the declaration cannot tell it. */
  writtenAs?: string;
  /** If unset, the service chooses a value: after clearing, the field may keep its old value (A035). */
  serverDefault?: true;
  /** The value of an enum that answers may leave out, where it is not spelt `…_UNSPECIFIED` (A094). */
  unsetValue?: string;
  /**
   * The message is a complete statement: a member that the program leaves out
   * is unset, not the service's to fill (A034).
   */
  whole?: true;
  /** The field still works; this says what to use instead. It is never a difference by itself (A004). */
  deprecated?: string;
  /**
   * Compared by drift even where no program sets it (A049); of what only the
   * service sets, a change means another object.
   */
  watched?: true;
  /** Moved by the service on its own; sent only when the program gives it (A004). */
  serverMoved?: true;
  /**
   * A member that only the service sets, in a message that a program gives: never sent, never compared (A004, A018).
   */
  outputOnly?: true;
  /**
   * Decided by the object that the named field refers to, while that field is set; `as` is its name there (A031, A047).
   */
  ownedBy?: { field: string; as?: string | undefined };
  /** Sent only where the program sets it and it differs from the live value (A061). */
  sentIfChanged?: true;
  /** Can only be given at creation; a later difference is recorded and nothing else (A070). */
  recordedOnly?: true;
  /** A query parameter of create (A005). */
  directive?: true;
  /** A map of values whose change, not whose removal, asks for a new object (A070). */
  restarts?: true;
  /** A difference writes the named field again, whose value cannot be compared (A054). */
  rewrites?: string;
  /**
   * What an import writes if the field that this one rewrites cannot be read: members, and the fields that supply their
   * values.
   */
  importedAs?: Readonly<Record<string, string>>;
  /**
   * An option that, where it is `keep`, lets an adoption leave the named field as
   * it is: its value cannot be compared (A054).
   */
  spares?: string;
  /** An option of this provider, not of the service; `default` is what it does when absent. */
  behaviour?: { default?: string | number | boolean };
  /** Each value is the name of one of the resource's own fields. */
  namesFields?: true;
  /** The program's choice of the last segment of the resource name. */
  resourceId?: true;
  /** Only map keys with this prefix belong to the program (A046). */
  keyPrefix?: string;
  /**
   * Entries of a map in which this provider names the object's owner. They do not belong to the program, and are
   * neither compared nor shown.
   */
  carriesOwner?: { stack: string; urn: string };
  /** Changed by a separate request, or by these verbs if that is refused (A046). */
  ownRequest?: { set: string; remove: string };
  /** Values of an enum, by what each means. Other values are accepted if the enum may grow (A090). */
  meanings?: Readonly<Record<string, string>>;
  /**
   * A limit set by a convention: breaking it is a warning, not a failure (A002). For maps it applies to keys and
   * values.
   */
  convention?: Convention;
  /** The access that a change of the value may grant. */
  opens?: AccessOpening;
  /** How bad a change outside the program is. Default: `warning`. */
  severity?: "error" | "warning" | "note";
  /** Names fields of the answer, separated by commas (A095). */
  fieldMask?: true;
  /** A reference to another object, by the collection in its name. */
  refersTo?: string;
  /** The id of the object that is referred to is enough. */
  idAlone?: true;
  /** Keys of a map that the service is known to read; another one is probably misspelt. */
  knownKeys?: readonly string[];
  /** That object may be another account's, where it is public. Any other reference stays within the account. */
  ofAnyAccount?: true;
  /** An output that is known as soon as the object's name is, as in the preview of an update. */
  follows?: Following;
}

/**
 * What an output is made of. `template` takes the object's whole `{name}`, its `{account}`, and a `{value}`: the first
 * of `from` that is set, where `id` is the object's own id. The service answers an output without `from` as well; one
 * with it is this provider's own.
 */
export interface Following {
  template: string;
  from?: readonly string[];
}

export interface Convention {
  number: string;
  /** The rule, as the end of a sentence. */
  rule: string;
  /** Of a text, or of a map's keys. */
  pattern?: RegExp;
  /** Least length of a time, in seconds. */
  atLeastSeconds?: number;
  /** Least and greatest number. */
  range?: { least: number; greatest?: number };
  /** Most members of a map. */
  most?: number;
  /** Characters of a map's values. */
  valueLength?: { min: number; max: number };
}
