import { ApiError, type ApiResponse, type ErrorStyle, type Settings } from "./types";

export interface Violation {
  /** Place in the body, in property-path syntax; for a query parameter its name. */
  field: string;
  description: string;
}

/** How the JSON of a status names the type of a detail: the standard ones are known to clients by these names. */
const detailType = (name: string): string => `type.googleapis.com/google.rpc.${name}`;

/** The refusals that the service makes, each with its number (A091). */

export const invalidRequest = (violations: readonly Violation[]): ApiError =>
  new ApiError(400, 3, violations.map(({ field, description }) => `\`${field}\`: ${description}`).join("; "), {
    details: [{ "@type": detailType("BadRequest"), fieldViolations: violations }],
  });

export const invalidField = (field: string, description: string): ApiError => invalidRequest([{ field, description }]);

export const failedPrecondition = (message: string, reason?: string): ApiError =>
  new ApiError(400, 9, message, {
    details: reason === undefined ? [] : [{ "@type": detailType("ErrorInfo"), reason }],
  });

export const aborted = (message: string): ApiError => new ApiError(409, 10, message);

export const alreadyExists = (message: string): ApiError => new ApiError(409, 6, message);

export const permissionDenied = (message: string): ApiError => new ApiError(403, 7, message);

export const notFound = (name: string): ApiError => new ApiError(404, 5, `${name} does not exist`);

export const unimplemented = (message: string): ApiError => new ApiError(501, 12, message);

export const unauthenticated = (message: string): ApiError => new ApiError(401, 16, message);

const statusNames: Readonly<Record<number, string>> = {
  1: "CANCELLED",
  2: "UNKNOWN",
  3: "INVALID_ARGUMENT",
  4: "DEADLINE_EXCEEDED",
  5: "NOT_FOUND",
  6: "ALREADY_EXISTS",
  7: "PERMISSION_DENIED",
  8: "RESOURCE_EXHAUSTED",
  9: "FAILED_PRECONDITION",
  10: "ABORTED",
  11: "OUT_OF_RANGE",
  12: "UNIMPLEMENTED",
  13: "INTERNAL",
  14: "UNAVAILABLE",
  15: "DATA_LOSS",
  16: "UNAUTHENTICATED",
};

/** A refusal as the service words it, in one of the forms that services have (A091). */
export function errorResponse({ status, code, message, details }: ApiError, style: ErrorStyle): ApiResponse {
  switch (style) {
    case "flat":
      return { status, body: { code, message, details } };
    case "nested":
      return { status, body: { error: { code: status, status: statusNames[code] ?? "UNKNOWN", message, details } } };
    case "text":
      return { status, body: { error: message } };
    case "html":
      return {
        status,
        body: `<html><head><title>${status}</title></head><body><h1>${escapeHtml(message)}</h1></body></html>`,
        headers: { "content-type": "text/html; charset=utf-8" },
      };
    case "empty":
      return { status, body: undefined };
  }
}

/** A refusal in the form that an account's settings ask for, which may have one of its own for a 404. */
export const refusedBy = (error: ApiError, { errorStyle, gone }: Pick<Settings, "errorStyle" | "gone">): ApiResponse =>
  error.status === 404 && gone !== "plain" ? missingForms[gone](error) : errorResponse(error, errorStyle);

/** A 404 without the API's body. */
const missingForms: Readonly<Record<Exclude<Settings["gone"], "plain">, (refusal: ApiError) => ApiResponse>> = {
  bare: (refusal) => errorResponse(refusal, "empty"),
  html: (refusal) => errorResponse(refusal, "html"),
  problem: ({ status, message }) => ({
    status,
    body: { type: "about:blank", title: "Not Found", status, detail: message },
    headers: { "content-type": "application/problem+json" },
  }),
};

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
