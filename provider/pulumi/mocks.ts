import * as pulumi from "@pulumi/pulumi";

/**
 * Whether the program is under Pulumi's mocks, as in a unit test: nothing may reach a service then, or the journal of
 * this machine. The client of an engine has no `mocks`.
 */
export function isMocked(): boolean {
  const monitor: object | undefined = pulumi.runtime.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}
