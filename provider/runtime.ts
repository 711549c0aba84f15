import { unsupportedReason } from "./core/node-version";
import { engineAddress } from "./pulumi/engine-link";
import type { createService } from "./pulumi/service";

/** The provider object of an SDK's dynamic-provider process, which is this one. */
export function dynamicService(): ReturnType<typeof createService> {
  const refusal = unsupportedReason(process.versions.node);
  if (refusal !== undefined) throw briefError(refusal);
  // An older Node.js cannot even read the rest.
  const { hostProcess } = require("./pulumi/process") as typeof import("./pulumi/process");
  const service = require("./pulumi/service") as typeof import("./pulumi/service");
  return service.createService(hostProcess(engineAddress(process.argv)).environment);
}

/** The SDK answers the message with every resource, and prints the error as a text and its stack besides. */
function briefError(refusal: string): Error {
  const error = new Error(refusal);
  error.stack = "";
  error.toString = () => "This Node.js is too old; the error is shown with each resource";
  return error;
}

let service: ReturnType<typeof dynamicService> | undefined;

/**
 * The provider object of this process, for the SDK's dynamic-provider process. Every state holds texts that call it by
 * this name: it MUST keep its name, take no argument and answer for every kind.
 */
export function provider(): ReturnType<typeof dynamicService> {
  service ??= dynamicService();
  return service;
}
