import type { Values } from "../values";

/**
 * A service of the API, written from its description alone. Where that is silent the service decides in its own way,
 * which is another than this package expects: settings have to be enough to work with it.
 */
export interface Deviations extends Hooks {
  /** Secrets are read, listed, made and deleted under another path. */
  otherPaths?: boolean;
  /** Update masks are in camel case; any other is refused. */
  camelMasks?: boolean;
  /** Errors are sentences, not JSON. */
  textErrors?: boolean;
  /** An update replaces the whole object by the body, whatever its mask says. */
  replaces?: boolean;
  /** `validateOnly` is not known, so that such a create makes an object. */
  obeysValidations?: boolean;
  /** The service names what is made, whatever id was asked for. */
  ownIds?: boolean;
  /** A create at an id that is taken overwrites the object, and answers it. */
  overwrites?: boolean;
  /** Lists come one by one, with an empty page between and no total. */
  smallPages?: boolean;
  /** Writes are accepted with 202, and done two reads later. */
  takesTime?: boolean;
  /** Fields and parameters that the description does not have are refused. */
  strict?: boolean;
  /** Answers have every field, with its zero value where it is unset. */
  emitsUnset?: boolean;
  /** A single secret cannot be read. */
  readsNoSecret?: boolean;
  /** What is deleted stays for a while, in the state DELETED. */
  tombstones?: boolean;
  /** Names have a version, numbers are text, words are in one form or cut, and each answer has a new etag. */
  ownForms?: boolean;
}

/** Where a service may decide in its own way. Each has the object or answer as the description would have it. */
export interface Hooks {
  /** What becomes of a request before the service reads it; a `Refusal` refuses it. */
  takes?(asked: Asked): Asked;
  /** What is kept of an object that is written. */
  stores?(object: Values, collection: string): Values;
  /** An object as answers have it. */
  shows?(object: Values, asked: Asked): Values;
  /** A list as answers have it. */
  lists?(list: Values, collection: string): unknown;
  /** What a write answers. */
  answers?(answer: Answered, asked: Asked): Answered;
  refuses?(refusal: Refused, asked: Asked): Answered;
  /** What reads find of a deleted object; default: nothing. */
  buries?(object: Values): Values;
  /** What goes over the wire. */
  sends?(sent: Sent, asked: Asked): Sent;
}

/** A request as a service reads it. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Values;
}

export interface Refused {
  status: number;
  code: number;
  message: string;
}

/** `text` instead of JSON where it is given. */
export interface Answered {
  status: number;
  body?: unknown;
  text?: string;
}

export interface Sent {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

export class Refusal extends Error implements Refused {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** What a user has to set so that this package works with such a service. */
export function settingsFor({ otherPaths, camelMasks, replaces, readsNoSecret }: Deviations): Record<string, string> {
  const secrets = "/v1/accounts/{account}/vault";
  const moved = Object.fromEntries([
    ...["getSecret", "deleteSecret"].map((name) => [name, { path: `${secrets}/{secretId}` }]),
    ...["listSecrets", "createSecret"].map((name) => [name, { path: secrets }]),
  ]) as Record<string, unknown>;
  const operations = { ...(otherPaths && moved), ...(readsNoSecret && { getSecret: "off" }) };
  return {
    ...(Object.keys(operations).length > 0 && { "modelplatform:operations": JSON.stringify(operations) }),
    ...(camelMasks && { "modelplatform:updateMask": "camel" }),
    ...(replaces && !camelMasks && { "modelplatform:updateMask": "off" }),
  };
}
