import { fieldsOf } from "../core/fields/fields";
import type { Redactor } from "../core/redact";
import { matchTemplate } from "../core/values/names";
import { memoizeByKey } from "../core/values/once";
import { isObject, type Values } from "../core/values/values";
import type { Dialect } from "../core/wire/dialect";
import {
  type ErrorBody,
  emptyErrorBody,
  errorInHeaders,
  errorWithin,
  readErrorBody,
  statusInWords,
} from "./error-body";
import { type HttpResponse, isHtml, isXml } from "./http/transport";
import { isNamed, messageFields } from "./message-values";
import type { ApiOperation } from "./types";

interface Reading {
  /** The response's JSON; undefined if it is not JSON. */
  value: unknown;
  redactor: Redactor;
  /** How the service spells names, if that differs. */
  dialect: Dialect | undefined;
  /** Only some fields were requested. */
  isMasked: boolean;
}

/** No object for a read by name. */
const absent: ErrorBody = { ...emptyErrorBody, status: 404 };

/**
 * The error in a successful response: one without any requested member that reads as an error in some form (A091), or
 * nothing in place of an object. It is masked like a rejection. Undefined if the response is not an error, or cannot be
 * read at all.
 */
export function answeredError(
  operation: ApiOperation,
  { headers, text }: HttpResponse,
  { value, redactor, dialect, isMasked }: Reading,
): ErrorBody | undefined {
  const contentType = headers["content-type"] ?? "";
  if (errorInHeaders(headers)) return readErrorBody(redactor.text(text), contentType, headers);
  const isBlank = text.trim() === "" || value === null || (isObject(value) && Object.keys(value).length === 0);
  if (isBlank && !isMasked && operation.verb === "get" && isNamed(operation.spec) && !operation.spec.singleton)
    return absent;
  if (text.trim() === "" || isHtml(text, contentType)) return undefined;
  if (value === undefined) return errorInText(redactor.text(text), contentType);
  const translated = dialect ? dialect.ours.answer(operation, value) : value;
  if (hasAsked(operation, translated)) return undefined;
  const isSilent = operation.method === "DELETE" || operation.method === "PATCH" || isVerb(operation);
  return errorWithin(value, isSilent) && errorWithin(redactor.value(value), isSilent);
}

/** The word for a write may be any text. Words that imply a status are an error, and so is XML of that name. */
function errorInText(text: string, contentType: string): ErrorBody | undefined {
  const body = readErrorBody(text, contentType);
  const isError = isXml(text, contentType) && /^\s*(<\?xml[^>]*>\s*)?<(\w+:)?(error|fault|exception)/i.test(text);
  const status = body.status ?? statusInWords(body.message);
  return isError || status !== undefined ? { ...body, status } : undefined;
}

const isVerb = ({ verb, answersMessage, lists }: ApiOperation): boolean =>
  !answersMessage && !lists && !["get", "create", "update"].includes(verb);

/** Whether a response has what the operation promises, or a part of it. */
function hasAsked(operation: ApiOperation, response: unknown): boolean {
  if (!isObject(response)) return false;
  const { spec, lists } = operation;
  if (lists) return hasMembers(response[spec.collection]) || hasToken(response);
  const { name } = response;
  // An operation that has failed has a name of its own.
  const isOfOperation = typeof name === "string" && /(^|\/)operations\//.test(name);
  if (
    typeof name === "string" &&
    !isOfOperation &&
    (name.includes("/") || matchTemplate(spec.name, name) !== undefined)
  )
    return true;
  const names = operation.answersMessage ? answerNames(operation) : objectNames(operation);
  return Object.entries(response).some(([member, value]) => value !== null && names.has(member));
}

const hasMembers = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : isObject(value));

const hasToken = ({ nextPageToken }: Values): boolean => typeof nextPageToken === "string" && nextPageToken !== "";

/** Members that objects and errors share. */
const shared: ReadonlySet<string> = new Set([
  ...["name", "error", "errors", "status", "code", "message", "details", "detail", "type", "reason", "title"],
  ...["description", "state"],
]);

const objectNames = memoizeByKey(
  ({ spec }: ApiOperation): ReadonlySet<string> =>
    new Set([...messageFields(spec).all.keys()].filter((name) => !shared.has(name))),
);

const answerNames = memoizeByKey(({ spec, verb }: ApiOperation): ReadonlySet<string> => {
  const { answer } = spec.operations[verb]!;
  return new Set(answer ? fieldsOf(answer).map(({ name }) => name) : []);
});
