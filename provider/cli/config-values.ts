import { readStackConfig, writeStackConfig } from "../state/project";
import { usageFailure } from "./failure";
import type { Session } from "./stack-choice";

const soundsSecret =
  /(api|access|private|secret)[_-]?keys?$|(password|passphrase|secret|token)$|^modelplatform:accounts$/i;

/** A value in plain text stands in a file that is often committed. */
export function refuseReadableSecret(key: string, advice: string): void {
  if (soundsSecret.test(key)) throw usageFailure(`\`${key}\` sounds like a secret. ${advice}`);
}

/** Sets the `key=value` pairs of `--config` in the stack's file. */
export async function setConfig({ project }: Session, stack: string, pairs: readonly string[]): Promise<void> {
  if (pairs.length === 0) return;
  const config = await readStackConfig(project, stack);
  for (const pair of pairs) {
    const cut = pair.indexOf("=");
    if (cut < 1) throw usageFailure(`--config ${pair}: write it as key=value.`);
    const key = pair.slice(0, cut);
    refuseReadableSecret(key, `Set it once with \`npx pulumi-modelplatform config set --secret ${key}\`.`);
    config.set(key, pair.slice(cut + 1));
  }
  await writeStackConfig(config);
}
