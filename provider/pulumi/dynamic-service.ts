import { unsupportedReason } from "../core/node-version";
import { engineAddress } from "./engine-link";
import type { createService } from "./service";

/** The provider object of an SDK's dynamic-provider process, which is this one. */
export function dynamicService(): ReturnType<typeof createService> {
  const refusal = unsupportedReason(process.versions.node);
  if (refusal !== undefined) throw briefError(refusal);
  // An older Node.js cannot even read the rest.
  const { hostProcess } = require("./process") as typeof import("./process");
  const service = require("./service") as typeof import("./service");
  return service.createService(hostProcess(engineAddress(process.argv)).environment);
}

/** The SDK answers the message with every resource, and prints the error as a text and its stack besides. */
function briefError(refusal: string): Error {
  const error = new Error(refusal);
  error.stack = "";
  error.toString = () => "This Node.js is too old; the error is shown with each resource";
  return error;
}
