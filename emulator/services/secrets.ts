import { ApiError } from "../types";
import type { Service } from "./service";

/** A read of a secret that is not there fails in one of two ways (A053). */
export const secrets: Service = {
  missing: ({ settings, request, name }) =>
    request.method === "GET" && settings.missingSecret === 500
      ? new ApiError(500, 13, `internal error while reading ${name}`)
      : undefined,
};
