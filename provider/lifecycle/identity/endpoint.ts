import { isLoopback } from "../../api/settings/base-url";
import { recordsIn } from "../../core/declaration/own-records";
import { ModelPlatformError } from "../../core/errors";
import type { Values } from "../types";

/**
 * Loopback origins count as one: an emulator gets another port each time (A006). The path of a base URL belongs to it:
 * one origin may have several services. States of release 0.1.0 record no path.
 */
export function canonical(base: string): string {
  if (!URL.canParse(base)) return base;
  const { hostname, origin, pathname } = new URL(base);
  return `${isLoopback(hostname) ? "loopback" : origin}${pathname.replace(/\/$/, "")}`;
}

/**
 * A wrong base URL must not make every object look deleted, so recorded objects are only looked up where they were
 * found (A006).
 */
export function refuseOtherEndpoint(title: string, outputs: Values, base: string, allowed: boolean): void {
  const recorded = recordsIn(outputs).endpoint;
  if (recorded === undefined || recorded === base || allowed || canonical(recorded) === canonical(base)) return;
  throw new ModelPlatformError(`${title} was recorded at ${recorded}, and the base URL is now ${base}`, {
    advice:
      "Set `modelplatform:baseUrl` back, or set `modelplatform:allowEndpointChange` to true if the service has really moved.",
  });
}
