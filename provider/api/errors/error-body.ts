import type { ResourceSpec } from "../../core/declaration/resource";
import { grpcCodes } from "../../core/errors";
import { isObject, type Values } from "../../core/values/values";
import { isHtml, parseJson } from "../http/body";

/** What an error answer says, whatever its form (A091). */
export interface ErrorBody {
  /** gRPC number; absent where the body has none. */
  code?: number | undefined;
  message: string;
  /** Machine-readable reasons of the details. */
  reasons: readonly string[];
  /** Places in the request that the details reject, as the service spells them. */
  places: readonly string[];
  /** Names of the details' types, without the domain: `QuotaFailure`. */
  detailTypes: readonly string[];
  /** A web page instead of JSON: most likely the API did not answer. */
  html: boolean;
}

/** Whether a read of a missing object may get this answer, besides 404 (A053). */
export const mayMeanMissing = (
  { spec, verb }: { spec: ResourceSpec; verb: string },
  status?: number,
  code?: number,
): boolean =>
  verb === "get" && (spec.missingAnswers ?? []).some((answer) => answer.status === status && answer.code === code);

const longestMessage = 1000;

/**
 * Reads the body of an error answer: flat, nested, `{error}`, `{message}`, `{detail}`,
 * text, HTML, empty or cut short. Never throws.
 */
export function readErrorBody(text: string, contentType = ""): ErrorBody {
  if (isHtml(text, contentType)) return { message: "", reasons: [], places: [], detailTypes: [], html: true };
  const json = parsed(text);
  if (json === undefined)
    return {
      message: shortened(text.trim().startsWith("{") ? "" : text.trim()),
      reasons: [],
      places: [],
      detailTypes: [],
      html: false,
    };
  const nested = isObject(json["error"]) ? json["error"] : json;
  const code = codeOf(nested);
  const details = Array.isArray(nested["details"]) ? nested["details"].filter(isObject) : [];
  return {
    message: shortened(messageOf(nested) ?? textOf(json["error"]) ?? textOf(json["detail"]) ?? wholeOf(json)),
    reasons: [...textsOf(details, "reason"), ...textsOf([nested], "reason")],
    places: textsOf(
      details.flatMap(({ fieldViolations }) =>
        Array.isArray(fieldViolations) ? fieldViolations.filter(isObject) : [],
      ),
      "field",
    ),
    detailTypes: textsOf(details, "@type").map((type) =>
      type.slice(Math.max(type.lastIndexOf("/"), type.lastIndexOf(".")) + 1),
    ),
    html: false,
    code,
  };
}

function parsed(text: string): Values | undefined {
  try {
    const json = parseJson(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** In the nested form `code` is the HTTP status and `status` the gRPC name. */
function codeOf(body: Values): number | undefined {
  const named = numberOf(body["status"]);
  const { code } = body as { code?: unknown };
  if (named !== undefined) return named;
  if (typeof code === "string") return numberOf(code.toUpperCase());
  return typeof code === "number" && code >= 1 && code <= 16 ? code : undefined;
}

const numberOf = (name: unknown): number | undefined =>
  typeof name === "string" && Object.hasOwn(grpcCodes, name) ? grpcCodes[name as keyof typeof grpcCodes] : undefined;

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const messageOf = (body: Values): string | undefined => textOf(body["message"]) ?? textOf(body["detail"]);

/** Longest body, in code points, that stands for a message that it does not have. */
const longestBody = 200;

/** A body in a form of its own: what it says is in there somewhere. */
function wholeOf(json: Values): string {
  const text = Object.keys(json).length === 0 ? "" : JSON.stringify(json);
  const letters = [...text];
  return letters.length <= longestBody ? text : `${letters.slice(0, longestBody).join("")}…`;
}

const textsOf = (details: readonly Values[], name: string): string[] =>
  details.flatMap((detail) => textOf(detail[name]) ?? []);

/** Messages are for users; one that fills the screen is cut, by code points so that no letter breaks. */
function shortened(text: string): string {
  const letters = [...text.slice(0, longestMessage * 2)];
  return letters.length <= longestMessage && text.length <= longestMessage * 2
    ? text
    : `${letters.slice(0, longestMessage).join("")}…`;
}
