import type { Credential, Settings } from "../../api/types";
import { Concealed } from "../../core/redact";
import { type Finding, warning } from "./finding";

/**
 * The settings without keys that only the project's files put to use. Someone who examines an unknown checkout has not
 * run its code yet: here its files start no program, and no key of the environment is sent to an address of theirs.
 */
export function withoutProject(settings: Settings): { settings: Settings; findings: Finding[] } {
  const findings: Finding[] = [];
  const credentials = settings.credentials.filter((credential) => {
    const reason = reasonAgainst(credential, settings);
    if (reason === undefined) return true;
    findings.push(warning(`trust in ${credential.account ?? "the default account"}`, reason, advice));
    return false;
  });
  return { settings: { ...settings, credentials }, findings };
}

const advice =
  "If you trust the project, repeat this with `--trust-project`; otherwise set the key and the base URL in the environment.";

function reasonAgainst({ key, from, endpoint }: Credential, settings: Settings): string | undefined {
  const target = endpoint ?? settings.endpoint;
  if (from === "project" && !(key instanceof Concealed))
    return `not checked: the project's files name \`${key.command[0]}\` as the command that makes its key, which has not been run`;
  if (from !== "project" && target?.from === "project")
    return `not checked: the key is the environment's and the base URL, ${target.origin}, is the project's files'; the key has not been sent there`;
  return undefined;
}
