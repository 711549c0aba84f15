import { ModelPlatformError } from "../core/errors";
import type { Records } from "../core/records";
import type { Values } from "./types";

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Loopback origins count as one: an emulator gets another port each time (A006). */
export const canonical = (origin: string): string =>
  loopback.test(new URL(origin).hostname) ? "loopback" : new URL(origin).origin;

/** A wrong base URL must not turn every object into one that is gone, so recorded objects are only looked for where they were found (A006). */
export function refuseOtherEndpoint(title: string, outputs: Values, origin: string, allowed: boolean): void {
  const recorded = (outputs as Partial<Records>).endpoint;
  if (recorded === undefined || allowed || canonical(recorded) === canonical(origin)) return;
  throw new ModelPlatformError(`${title} was recorded at ${recorded}, and the base URL is now ${origin}`, {
    advice:
      "Set `modelplatform:baseUrl` back, or set `modelplatform:allowEndpointChange` to true if the service has really moved.",
  });
}
