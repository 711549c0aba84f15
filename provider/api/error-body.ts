import type { ResourceSpec } from "../core/declaration/resource";
import { grpcCodes } from "../core/errors";
import { isObject, type Values } from "../core/values/values";
import { readDetails, type ServiceDetails } from "./error-details";
import { isHtml, isXml, parseJson } from "./http/transport";

interface ErrorCode {
  /** gRPC number; absent for any other code. */
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

/** Reads a gRPC number or name, an HTTP status, or a name of another convention; undefined for any other value. */
function errorCodeOf(value: unknown): ErrorCode | undefined {
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

/** The words of errors without a code, and the status that they amount to. */
const wordsOfStatus: readonly (readonly [RegExp, number])[] = [
  [/\b(not found|does ?n[o']t exist|no such|no longer exists)\b/i, 404],
  [/\balready exists\b/i, 409],
  [/\b(unauthenticated|invalid (api )?key|invalid token|not authenticated)\b/i, 401],
  [/\b(permission denied|access denied|forbidden|not (allowed|authorized|permitted)|unauthorized)\b/i, 403],
  [/\b(rate limit|too many requests)/i, 429],
  [/\b(unavailable|overloaded|try again later)\b/i, 503],
  [/\binternal (server )?error\b/i, 500],
];

/** The status that the words of an error amount to; undefined if they imply none. */
export const statusInWords = (message: string): number | undefined =>
  wordsOfStatus.find(([words]) => words.test(message))?.[1];

/** What an error response says, in any form (A091). */
export interface ErrorBody {
  /** gRPC number; absent if the body has none. */
  code?: number | undefined;
  /** HTTP status that the body names or its code means; absent if it has neither. */
  status?: number | undefined;
  message: string;
  /** Machine-readable reasons of the details. */
  reasons: readonly string[];
  /** Paths in the request that the details reject, as the service spells them. */
  fieldPaths: readonly string[];
  /** Names of the details' types, without the domain: `QuotaFailure`. */
  detailTypes: readonly string[];
  /** What the details say beside the message. */
  details: ServiceDetails;
  /** A web page instead of JSON: most likely the API did not respond. */
  html: boolean;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Whether a read of a missing object may get this response, besides 404 (A053). */
export const mayMeanMissingObject = (
  { spec, verb }: { spec: ResourceSpec; verb: string },
  status?: number,
  code?: number,
): boolean =>
  verb === "get" &&
  (spec.missingAnswers ?? []).some((response) => response.status === status && response.code === code);

const longestMessage = 1000;

/**
 * Reads the body of an error response: flat, nested, lists of errors, problems, XML, text, HTML, empty or cut short,
 * and the headers in which gRPC responds. Never throws.
 */
export function readErrorBody(text: string, contentType = "", headers: Headers = {}): ErrorBody {
  const ofHeaders = errorInHeaders(headers);
  if (isHtml(text, contentType)) return { ...emptyErrorBody, ...ofHeaders, html: true };
  const json = parseBody(text);
  const read = json === undefined ? readText(text, contentType) : readJson(json);
  return {
    ...read,
    code: read.code ?? ofHeaders?.code,
    status: read.status ?? ofHeaders?.status,
    message: read.message === "" ? (ofHeaders?.message ?? "") : read.message,
  };
}

/** An error that says nothing. */
export const emptyErrorBody: ErrorBody = {
  ...{ message: "", reasons: [], fieldPaths: [], detailTypes: [], html: false },
  details: { fields: [], others: [] },
};

/** The gRPC status beside the body; undefined if it is OK or missing. */
export function errorInHeaders(headers: Headers): (ErrorCode & { message: string }) | undefined {
  const code = errorCodeOf(headers["grpc-status"]);
  return code && { ...code, message: truncate(percentDecoded(headers["grpc-message"] ?? "")) };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The JSON, or the first one in a list of errors. */
function parseBody(text: string): Values | undefined {
  try {
    const json = parseJson(text);
    const [first] = Array.isArray(json) ? json : [json];
    if (typeof first === "string") return { message: first };
    return isObject(first) ? first : undefined;
  } catch {
    return undefined;
  }
}

function readText(text: string, contentType: string): ErrorBody {
  const trimmed = text.trim();
  if (isXml(trimmed, contentType)) return readXml(trimmed);
  // Text that begins like JSON and is not was cut short.
  return { ...emptyErrorBody, message: truncate(/^[{[]/.test(trimmed) ? "" : trimmed) };
}

/** An element's name without its prefix, and the text behind the tag. */
const xmlElement = /<(?:\w+:)?(\w+)(?:\s[^<>]*)?>([^<]*)/g;

function readXml(text: string): ErrorBody {
  const texts = new Map<string, string>();
  for (const [, name = "", content = ""] of text.matchAll(xmlElement)) {
    const words = withoutEntities(content).trim();
    if (words !== "" && !texts.has(name.toLowerCase())) texts.set(name.toLowerCase(), words);
  }
  const element = (...names: readonly string[]): string | undefined =>
    names.map((name) => texts.get(name)).find((words) => words !== undefined);
  const message = element("message", "errormessage", "error_description", "detail", "faultstring", "description");
  const code = errorCodeOf(element("code", "errorcode", "statuscode", "faultcode", "status"));
  const words = withoutEntities(text.replace(/<[^<>]*>/g, " ").replace(/\s+/g, " ")).trim();
  return { ...emptyErrorBody, ...code, message: truncate(message ?? words) };
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const withoutEntities = (text: string): string =>
  text.replace(/&(\w+);/g, (entity, name: string) => (Object.hasOwn(entities, name) ? entities[name]! : entity));

function readJson(json: Values): ErrorBody {
  const errors = errorsIn(json);
  const first = errors[0] ?? json;
  const details = errors.flatMap(({ details: own }) => (Array.isArray(own) ? own.filter(isObject) : []));
  const message = messageOf(first) ?? messageOf(json) ?? localized(details) ?? validationText(json) ?? wholeOf(json);
  return {
    ...emptyErrorBody,
    ...(codeOf(first) ?? codeOf(json)),
    message: truncate(message),
    reasons: [...textsOf(details, "reason"), ...textsOf([first], "reason")],
    details: readDetails(details, message),
    fieldPaths: [...new Set([...violatedPlaces(details), ...errors.flatMap(placeOf), ...validatedPlaces(json)])],
    detailTypes: textsOf(details, "@type").map((type) =>
      type.slice(Math.max(type.lastIndexOf("/"), type.lastIndexOf(".")) + 1),
    ),
  };
}

/** Members that hold the error of a body, or several. */
const containers = ["error", "errors", "fault", "Error", "errorInfo"] as const;

/** Errors within others are rarely deeper. */
const deepestError = 3;

/** The errors that a body wraps, the innermost first; the body itself if it wraps none. */
function errorsIn(json: Values, depth = 1): Values[] {
  const inner = containers.flatMap((name) => {
    const value = json[name];
    return (Array.isArray(value) ? value : [value]).filter(isObject);
  });
  const status = isObject(json["status"]) && "code" in json["status"] ? [json["status"]] : [];
  const wrapped = [...inner, ...status];
  if (wrapped.length === 0 || depth > deepestError) return [json];
  return wrapped.flatMap((each) => errorsIn(each, depth + 1));
}

/** In the nested form `code` is the HTTP status and `status` the gRPC name. */
function codeOf(body: Values): ErrorCode | undefined {
  const codes = [body["status"], body["code"], body["statusCode"], body["status_code"], body["errorCode"]];
  const detail = isObject(body["detail"]) ? [body["detail"]["errorcode"], body["detail"]["code"]] : [];
  const read = [...codes, ...detail].flatMap((code) => errorCodeOf(code) ?? []);
  // The error name in other members is not a gRPC code: it may be about the route.
  const [named] = [body["error"], body["reason"], body["type"]].flatMap((name) => errorCodeOf(name) ?? []);
  return read.find(({ code }) => code !== undefined) ?? read[0] ?? (named && { status: named.status });
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

const textsIn = (value: unknown): string | undefined => {
  const texts = Array.isArray(value) ? value.flatMap((each) => textOf(each) ?? []) : [];
  return textOf(value) ?? (texts.length > 0 ? texts.join("; ") : undefined);
};

const messageNames = [
  ...["message", "detail", "error_description", "errorMessage", "error_message", "description", "faultstring", "msg"],
  ...["Message", "title", "reason", "error", "errors"],
];

const messageOf = (body: Values): string | undefined =>
  messageNames.reduce<string | undefined>((text, name) => text ?? textsIn(body[name]), undefined);

const localized = (details: readonly Values[]): string | undefined =>
  details.map(({ message, detail }) => textOf(message) ?? textOf(detail)).find((text) => text !== undefined);

/** `{errors: {field: [text]}}`. */
const errorsByField = ({ errors }: Values): [string, string][] =>
  isObject(errors)
    ? Object.entries(errors).flatMap(([field, texts]) => (textsIn(texts) ? [[field, textsIn(texts)!]] : []))
    : [];

/** `{detail: [{loc, msg}]}`. */
const locatedDetails = ({ detail }: Values): Values[] =>
  Array.isArray(detail) ? detail.filter(isObject).filter(({ loc }) => Array.isArray(loc)) : [];

function validationText(json: Values): string | undefined {
  const located = locatedDetails(json).flatMap(({ msg }) => textOf(msg) ?? []);
  const texts = [...errorsByField(json).map(([field, text]) => `${field}: ${text}`), ...located];
  return texts.length > 0 ? texts.join("; ") : undefined;
}

const validatedPlaces = (json: Values): string[] => [
  ...errorsByField(json).map(([field]) => field),
  ...locatedDetails(json).map(({ loc }) => (loc as unknown[]).filter((part) => part !== "body").join(".")),
];

const violatedPlaces = (details: readonly Values[]): string[] =>
  textsOf(
    details.flatMap(({ fieldViolations }) => (Array.isArray(fieldViolations) ? fieldViolations.filter(isObject) : [])),
    "field",
  );

/** The path that an error of a list is about. */
function placeOf({ field, path, param, source }: Values): string[] {
  const pointer = isObject(source) ? textOf(source["pointer"]) : undefined;
  const place = textOf(field) ?? textOf(path) ?? textOf(param);
  return place !== undefined ? [place] : pointer === undefined ? [] : [pointer.replace(/^\//, "").replaceAll("/", ".")];
}

/** Longest body, in code points, that serves as its own missing message. */
const longestBody = 200;

/** A body in a form of its own: its message is in there somewhere. */
function wholeOf(json: Values): string {
  const text = Object.keys(json).length === 0 ? "" : JSON.stringify(json);
  const letters = [...text];
  return letters.length <= longestBody ? text : `${letters.slice(0, longestBody).join("")}…`;
}

const textsOf = (details: readonly Values[], name: string): string[] =>
  details.flatMap((detail) => textOf(detail[name]) ?? []);

/** Messages are for users; one that fills the screen is cut, by code points so that no letter breaks. */
function truncate(text: string): string {
  const letters = [...text.slice(0, longestMessage * 2)];
  return letters.length <= longestMessage && text.length <= longestMessage * 2
    ? text
    : `${letters.slice(0, longestMessage).join("")}…`;
}

/** Members that only errors have; `message` and `code` may as well report a success. */
const errorNames = ["error", "errors", "fault", "Error", "error_description", "errorMessage", "error_message"];

/** No error in any spelling: nothing, or nothing that went wrong. */
const isNoError = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/**
 * The error that a successful response contains, if any. `isSilent`: the request needs no response, so that words alone
 * may report its success.
 */
export function errorWithin(value: unknown, isSilent: boolean): ErrorBody | undefined {
  const json = Array.isArray(value) ? value[0] : value;
  if (!isObject(json)) return undefined;
  const failed = json["success"] === false || json["ok"] === false;
  const named = errorNames.some((name) => !isNoError(json[name]));
  const body = readJson(json);
  const status = body.status ?? statusInWords(body.message);
  const isWorded = messageOf(json) !== undefined && (!isSilent || status !== undefined);
  if (!failed && !named && body.status === undefined && !isWorded) return undefined;
  // `{code: 0, message: "done"}`, `{status: "ok"}`.
  return !failed && !named && saysSuccess(json) ? undefined : { ...body, status };
}

const saysSuccess = (json: Values): boolean =>
  [json["code"], json["status"], json["success"], json["ok"], json["statusCode"]].some(
    (value) =>
      value === true ||
      value === 0 ||
      (typeof value === "number" && value >= 200 && value < 300) ||
      (typeof value === "string" && /^(ok|success(ful)?|done|accepted|deleted|0|2\d\d)$/i.test(value.trim())),
  );
