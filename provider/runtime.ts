import { engineAddress } from "./pulumi/engine-link";
import { hostProcess } from "./pulumi/process";
import { createService } from "./pulumi/service";

let service: ReturnType<typeof createService> | undefined;

/**
 * The provider object of this process, for the SDK's dynamic-provider process. Every state holds texts that call it by
 * this name: it MUST keep its name, take no argument and answer for every kind.
 */
export function provider(): ReturnType<typeof createService> {
  service ??= createService(hostProcess(engineAddress(process.argv)).world);
  return service;
}
