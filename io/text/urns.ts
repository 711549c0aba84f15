/**
 * A text from outside, such as a request's, may be any of these and is assignable to each. Where one is compared with
 * another on purpose, it is written `as string`.
 */
type UrnOf<Meaning extends string> = string & { readonly meaning?: Meaning };

/** Of a resource as the program of this run declares it. */
export type DeclaredUrn = UrnOf<"declared">;

/** The URN under which a state or the journal has an object: the program may have renamed its resource since. */
export type RecordedUrn = UrnOf<"recorded">;

/** What a recorded URN is in this run: the declared one that continues it, or itself where none does. */
export type CurrentUrn = UrnOf<"declared" | "recorded">;
