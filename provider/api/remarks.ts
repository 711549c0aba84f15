import { settingKey } from "../core/settings";
import type { Credential, Endpoint, LogEntry, OverruledKey } from "./types";

const keyOf = (account: string | undefined): string =>
  `the key of ${account === undefined ? "the default account" : `account \`${account}\``}`;

/** Says that a key of the environment is not used. */
export const overruledText = ({ account, setting, unused }: OverruledKey): string =>
  `${keyOf(account)} comes from the config \`${settingKey(setting)}\`, which wins over another one in ${unused}; leave it out of the stack's config where the environment's is meant`;

/**
 * Tells, once for each key and origin, where a key of the environment is sent by the word of a program or of a
 * project's files. Who starts a command has then seen it, and can stop. This machine itself is not told of.
 */
export function createDestinations(
  log: (entry: LogEntry) => void,
): (credential: Credential, endpoint: Endpoint) => void {
  const told = new Set<string>();
  return ({ account, from }, { origin, loopback, from: word }) => {
    if (loopback || from !== "environment" || word === undefined || word === from) return;
    const text = `${keyOf(account)} comes from the environment and is sent to ${origin}, which ${word === "project" ? "the stack's config" : "the program"} names`;
    if (told.has(text)) return;
    told.add(text);
    log({ level: "info", text });
  };
}

/** Passes on each text once. */
export function remarker(say: (text: string) => void): (texts: readonly string[]) => void {
  const said = new Set<string>();
  return (texts) => {
    for (const text of texts.filter((candidate) => !said.has(candidate))) {
      said.add(text);
      say(text);
    }
  };
}
