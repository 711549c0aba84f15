import { ApiError } from "../types";

/** Largest body that is read, in bytes. */
export const maxBodyBytes = 10 * 1024 * 1024;

/** Maximum nesting of a body; the service's messages stay far below. */
const maxDepth = 100;

export const tooLargeError = (): ApiError => new ApiError(413, 8, `the body is larger than ${maxBodyBytes} bytes`);

/** Most members and elements of a body of the API: checking many more would hold all other callers for seconds. */
const maxMembers = 20_000;

/**
 * The body of a request to `path` as JSON; undefined for an empty one, an `ApiError` for a malformed or excessive one.
 * A world that is loaded may have any number of members.
 */
export function jsonIn(text: string, path: string): unknown {
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's own words quote the body, which may hold a secret.
    const place = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    return new ApiError(400, 3, `the body is not JSON${place === undefined ? "" : ` (position ${place})`}`);
  }
  const left = { members: path.startsWith(controlPrefix) ? Number.POSITIVE_INFINITY : maxMembers };
  return unfitness(value, 0, left) ?? value;
}

function unfitness(value: unknown, depth: number, left: { members: number }): ApiError | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= maxDepth) return new ApiError(400, 3, `the body is nested deeper than ${maxDepth} levels`);
  if (Object.hasOwn(value, "__proto__"))
    return new ApiError(400, 3, "`__proto__` is not allowed as the name of a member");
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  left.members -= members.length;
  if (left.members < 0) return new ApiError(400, 3, `the body has more than ${maxMembers} members`);
  for (const member of members) {
    const refusal = unfitness(member, depth + 1, left);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Where the control plane's paths begin. */
export const controlPrefix = "/_emulator/";

/** Where the paths of uploaded files begin. */
export const uploadPrefix = `${controlPrefix}uploads/`;

export const isUpload = (method: string, path: string): boolean => method === "PUT" && path.startsWith(uploadPrefix);
