import { settingKey } from "../../core/settings";
import type { Credential, Endpoint, OverriddenKey } from "../types";

const keyOf = (account: string | undefined): string =>
  `the key of ${account === undefined ? "the default account" : `account \`${account}\``}`;

/** Reports that a key of the environment is not used. */
export const overriddenKeyWarning = ({ account, setting, unused }: OverriddenKey): string =>
  `${keyOf(account)} comes from the config \`${settingKey(setting)}\`, which wins over another one in ${unused}; leave it out of the stack's config where the environment's is meant`;

/**
 * Warns if a program or a project's files decide where a key of the environment is sent, so that the user can stop.
 * Undefined if the environment decides both, and for a service on this machine.
 */
export function foreignDestination(
  { account, from }: Credential,
  { origin, loopback, from: source }: Endpoint,
): string | undefined {
  if (loopback || from !== "environment" || source === undefined || source === from) return undefined;
  const who = source === "project" ? "the stack's config" : "the program";
  return `${keyOf(account)} comes from the environment and is sent to ${origin}, which ${who} names`;
}
