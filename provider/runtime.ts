import { dynamicService } from "./pulumi/dynamic-service";

let service: ReturnType<typeof dynamicService> | undefined;

/**
 * The provider object of this process, for the SDK's dynamic-provider process. Every state holds texts that call it by
 * this name: it MUST keep its name, take no argument and answer for every kind.
 */
export function provider(): ReturnType<typeof dynamicService> {
  service ??= dynamicService();
  return service;
}
