/**
 * What a field declares about its behaviour. Every reader (check, diff, update, emulator, schema, docs, drift) acts on
 * these words alone; none of them asks which resource or field it has.
 */
export interface Markers
  extends EqualityMarkers,
    ChangeMarkers,
    DefaultMarkers,
    TransportMarkers,
    Naming,
    Options,
    LimitMarkers,
    SettingMarkers,
    DocMarkers {}

/** When a recorded, a declared and a live value are equal. */
interface EqualityMarkers {
  /** The order of the list is irrelevant; with a name, members are identified by that field. */
  setOf?: true | string;
  /** Numbers that the service keeps with 32 bits (A074). */
  float32?: true;
  /**
   * How two spellings of one value are recognised. `freeText`: in one Unicode form, with any ends of lines;
   * `grpcCode`: by number, or by name in any letters.
   */
  sameAs?: "duration" | "instant" | "letterCase" | "resolvedVersion" | "freeText" | "grpcCode";
  /**
   * An input that leaves the choice to the service: any value is as desired until one is recorded (A047).
   */
  anyValue?: string;
  /** Whether zero is a value like another, or means "not set", where that is not the same for all fields (A094). */
  zero?: "value" | "unset";
  /** The value of an enum that answers may leave out, where it is not spelt `…_UNSPECIFIED` (A094). */
  unsetValue?: string;
  /**
   * The message is a complete statement: a member that the program leaves out
   * is unset, not the service's to fill (A034).
   */
  whole?: true;
  /** Answered as a new value on each read; never stored (A097). */
  volatile?: true;
}

/** What a difference leads to, in an update and in a drift scan. */
interface ChangeMarkers {
  /** A change needs a replacement. */
  immutable?: true;
  /** A map of values whose change, not whose removal, asks for a new object (A070). */
  restarts?: true;
  /** Can only be given at creation; a later difference is recorded and nothing else (A070). */
  recordedOnly?: true;
  /** A difference writes the named field again, whose value cannot be compared (A054). */
  rewrites?: string;
  /**
   * Compared by drift even where no program sets it (A049); of what only the
   * service sets, a change means another object.
   */
  watched?: true;
  /** How bad a change outside the program is. Default: `warning`. */
  severity?: "error" | "warning" | "note";
  /** The access that a change of the value may grant. */
  opens?: AccessGrant;
}

/** Who decides the value that no program sets. */
interface DefaultMarkers {
  /** What happens when a program stops setting the field (A035). Default: `keep`. */
  onRemoval?: "clear" | "reset" | "keep";
  /**
   * The documented default, which `onRemoval: "reset"` restores and no answer shows; it may be the larger of another
   * field and a number.
   */
  resetTo?: string | number | boolean | { largerOf: readonly [field: string, least: number] };
  /** If unset, the service chooses a value: after clearing, the field may keep its old value (A035). */
  serverDefault?: true;
  /** Moved by the service on its own; sent only when the program gives it (A004). */
  serverMoved?: true;
  /**
   * Decided by the object that the named field refers to, while that field is set; `as` is its name there (A031, A047).
   */
  ownedBy?: { field: string; as?: string | undefined };
}

/** How the field travels: in which requests, in which answers, and who may see it. */
interface TransportMarkers {
  /** Credentials and signed URLs: encrypted in state, masked wherever something is printed. */
  secret?: true;
  /** Accepted by the service, never answered. */
  inputOnly?: true;
  /**
   * A member that only the service sets, in a message that a program gives: never sent, never compared (A004, A018).
   */
  outputOnly?: true;
  /** Must be in the body of every update. */
  alwaysSent?: true;
  /** Sent only where the program sets it and it differs from the live value (A061). */
  sentIfChanged?: true;
  /** Changed by a separate request, or by these verbs if that is refused (A046). */
  ownRequest?: { set: string; remove: string };
  /** A query parameter of create (A005). */
  directive?: true;
  /** Names fields of the answer, separated by commas (A095). */
  fieldMask?: true;
}

/** What the value names: this object, another one, or its owner. */
interface Naming {
  /** The program's choice of the last segment of the resource name. */
  resourceId?: true;
  /** A reference to another object. */
  refersTo?: Reference;
  /** An output that is known as soon as the object's name is, as in the preview of an update. */
  follows?: Derivation;
  /**
   * Entries of a map in which this provider names the object's owner. They do not belong to the program, and are
   * neither compared nor displayed.
   */
  carriesOwner?: { stack: string; urn: string };
}

/** Options of this provider, which the service never sees. */
interface Options {
  /** `default` is what it does when absent. */
  behaviour?: { default?: string | number | boolean };
  /**
   * An option that, where it is `keep`, lets an adoption leave the named field as
   * it is: its value cannot be compared (A054).
   */
  spares?: string;
  /** Each value is the name of one of the resource's own fields. */
  namesFields?: true;
}

/** What a program may give: breaking a limit is a failure where the service is known to refuse, else a warning. */
interface LimitMarkers {
  /** Only map keys with this prefix belong to the program (A046). */
  keyPrefix?: string;
  /** Keys of a map that the service is known to read; another one is probably misspelt. */
  knownKeys?: readonly string[];
  /** A message to which newer releases of the API add members: one that nobody declares is reported, and passed on. */
  grows?: true;
  /** Values of an enum, by what each means. Other values are accepted if the enum may grow (A090). */
  meanings?: Readonly<Record<string, string>>;
  /**
   * A limit set by a convention: breaking it is a warning, not a failure (A002). For maps it applies to keys and
   * values.
   */
  convention?: Convention;
  /** The field still works; this says what to use instead. It is never a difference by itself (A004). */
  deprecated?: string;
}

/** What only documentation and types show. */
interface DocMarkers {
  /** The default in words, if no other marker says it. */
  default?: string;
  /** The unit of a number, if the API's description gives it and the name does not. */
  unit?: string;
  /** A value as a program writes it, where the form of the field does not show one. */
  example?: unknown;
  /** The TypeScript type of what a program gives, where the declaration cannot tell it. */
  writtenAs?: string;
}

/** What a setting of the provider may do in the wrong hands, and who must not choose it. */
interface SettingMarkers {
  /**
   * `address`: where requests and the keys in them go; `key`: which keys are used, and which commands make them;
   * `path`: which files are written. A command takes such a setting from a checkout only if its policy says so.
   */
  chooses?: "address" | "key" | "path";
}

/** A reference to another object, by its resource name. */
interface Reference {
  /** The collection in that name. */
  collection: string;
  /** It may be another account's, where it is public. Any other reference stays within the account. */
  ofAnyAccount?: true;
  /** Its id alone is enough. */
  idAlone?: true;
}

/**
 * What an output is made of. `template` takes the object's whole `{name}`, its `{account}`, and a `{value}`: the first
 * of `from` that is set, where `id` is the object's own id. The service answers an output without `from` as well; one
 * with it is this provider's own.
 */
export interface Derivation {
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

/** The access that a change of a value may grant to more people. */
export interface AccessGrant {
  /** Name of the rule that somebody has to name before such a change is written into a program. */
  rule: string;
  /** Values from the narrowest on; one that is not listed is wider than any, and unset is as narrow as can be. */
  order: readonly unknown[];
}
