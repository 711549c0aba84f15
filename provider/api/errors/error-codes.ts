import { grpcCodes } from "../../core/errors";

/** What the code of an error stands for. */
export interface ErrorCode {
  /** gRPC number; absent where the code is another one. */
  code?: number | undefined;
  /** HTTP status. */
  status: number;
}

/** HTTP statuses of gRPC codes (A091). */
const statuses: Readonly<Record<keyof typeof grpcCodes, number>> = {
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
};

/** Codes of other conventions, without their separators. */
const otherNames: Readonly<Record<string, number>> = {
  BADREQUEST: 400,
  INVALIDREQUEST: 400,
  VALIDATIONERROR: 400,
  UNAUTHORIZED: 401,
  INVALIDTOKEN: 401,
  FORBIDDEN: 403,
  ACCESSDENIED: 403,
  INSUFFICIENTSCOPE: 403,
  NOSUCHKEY: 404,
  RESOURCENOTFOUND: 404,
  GONE: 410,
  CONFLICT: 409,
  RESOURCEALREADYEXISTS: 409,
  UNPROCESSABLEENTITY: 422,
  TOOMANYREQUESTS: 429,
  RATELIMITED: 429,
  RATELIMITEXCEEDED: 429,
  INTERNALERROR: 500,
  INTERNALSERVERERROR: 500,
  SERVERERROR: 500,
  NOTIMPLEMENTED: 501,
  SERVICEUNAVAILABLE: 503,
  TEMPORARILYUNAVAILABLE: 503,
  GATEWAYTIMEOUT: 504,
};

const lettersOf = (name: string): string => name.replace(/[^A-Za-z]/g, "").toUpperCase();

const grpcNames = Object.keys(grpcCodes) as (keyof typeof grpcCodes)[];

/** Names of gRPC codes by their letters: they are spelled in any case, with any separators. */
const grpcByLetters = new Map(grpcNames.map((name) => [lettersOf(name), name]));
const grpcByNumber = new Map<number, keyof typeof grpcCodes>(grpcNames.map((name) => [grpcCodes[name], name]));

const ofGrpc = (name: keyof typeof grpcCodes): ErrorCode => ({ code: grpcCodes[name], status: statuses[name] });

/** Reads a gRPC number or name, an HTTP status, or a name of another convention; undefined for what is no error's. */
export function errorCodeOf(value: unknown): ErrorCode | undefined {
  const number = typeof value === "string" && /^\s*\d{1,3}\s*$/.test(value) ? Number(value) : value;
  if (typeof number === "number") {
    const name = grpcByNumber.get(number);
    if (name) return ofGrpc(name);
    return Number.isInteger(number) && number >= 400 && number < 600 ? { status: number } : undefined;
  }
  if (typeof number !== "string" || number.length > 100) return undefined;
  // The last part of a name that is a path: `urn:problem:not-found`, `https://errors.example.com/not-found`.
  const letters = lettersOf(number.slice(Math.max(number.lastIndexOf("/"), number.lastIndexOf(":")) + 1));
  const name = grpcByLetters.get(letters);
  if (name) return ofGrpc(name);
  return Object.hasOwn(otherNames, letters) ? { status: otherNames[letters]! } : undefined;
}

/** What errors say that have no code, and the status that it amounts to. */
const wordsOfStatus: readonly (readonly [RegExp, number])[] = [
  [/\b(not found|does ?n[o']t exist|no such|no longer exists)\b/i, 404],
  [/\balready exists\b/i, 409],
  [/\b(unauthenticated|invalid (api )?key|invalid token|not authenticated)\b/i, 401],
  [/\b(permission denied|access denied|forbidden|not (allowed|authorized|permitted)|unauthorized)\b/i, 403],
  [/\b(rate limit|too many requests)/i, 429],
  [/\b(unavailable|overloaded|try again later)\b/i, 503],
  [/\binternal (server )?error\b/i, 500],
];

/** The status that the words of an error amount to; undefined where they tell none. */
export const statusInWords = (message: string): number | undefined =>
  wordsOfStatus.find(([words]) => words.test(message))?.[1];
