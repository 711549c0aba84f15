import { settingKey } from "../core/settings";
import type { Credential, Endpoint, LogEntry, OverruledKey } from "./types";

const keyOf = (account: string | undefined): string =>
  `the key of ${account === undefined ? "the default account" : `account \`${account}\``}`;

/** Says that a key of the environment is not used. */
export const overruledText = ({ account, setting, unused }: OverruledKey): string =>
  `${keyOf(account)} comes from the config \`${settingKey(setting)}\`, which wins over another one in ${unused}; leave it out of the stack's config where the environment's is meant`;

/**
 * Tells, once for each key and origin, where a program or a project's files decide where a key of the environment is
 * sent. Whoever starts a command sees it, and can stop. A service on this machine is not reported.
 */
export function createDestinations(
  log: (entry: LogEntry) => void,
): (credential: Credential, endpoint: Endpoint) => void {
  const reported = new Set<string>();
  return ({ account, from }, { origin, loopback, from: source }) => {
    if (loopback || from !== "environment" || source === undefined || source === from) return;
    const text = `${keyOf(account)} comes from the environment and is sent to ${origin}, which ${source === "project" ? "the stack's config" : "the program"} names`;
    if (reported.has(text)) return;
    reported.add(text);
    log({ level: "info", text });
  };
}

/** Passes on each text once. */
export function remarker(say: (text: string) => void): (texts: readonly string[]) => void {
  const passed = new Set<string>();
  return (texts) => {
    for (const text of texts.filter((candidate) => !passed.has(candidate))) {
      passed.add(text);
      say(text);
    }
  };
}
