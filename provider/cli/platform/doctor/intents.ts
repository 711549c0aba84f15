import { access, constants, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { messageOf } from "../../../core/errors";
import { intentsFolder, intentsIn } from "../../../lifecycle/identity/intents";
import type { Intent } from "../../../lifecycle/ports/intents";
import { type DoctorFinding, error, ok, warning } from "./finding";

const hour = 60 * 60 * 1000;

/**
 * The folder of creation intents, and creates that were started long ago and that neither a run nor `recorded`, the
 * stack's state, has shown since. `claimOf`: what stands at that name now and says whose it is, in words.
 */
export async function intentFindings(
  folder: string,
  now: number,
  recorded: ReadonlyMap<string, string> = new Map(),
  claimOf: (intent: Intent) => Promise<string | undefined> = async () => undefined,
): Promise<DoctorFinding[]> {
  try {
    await access(await nearest(folder), constants.R_OK | constants.W_OK);
    const isRecorded = ({ of, urn, name }: Intent): boolean =>
      recorded.has(of ?? urn) && (recorded.get(of ?? urn) === name || (name ?? of) === undefined);
    // What somebody else has made is not left over where its adoption was broken off.
    const isTheirs = ({ taken, own }: Intent): boolean => taken === true && !own;
    const open = (await intentsIn(folder)).filter((each) => !each.settled && !isTheirs(each) && !isRecorded(each));
    const old = open.filter(({ time }) => now - time > hour);
    if (old.length === 0) return [ok("intents", `${folder}, ${open.length} creates that no later run has shown yet`)];
    const named = await Promise.all(old.slice(0, 5).map(async (intent) => told(intent, await claimOf(intent))));
    return [
      warning(
        "intents",
        `${old.length} creates were started more than an hour ago, and no run since has found them in a state: ${named.join("; ")}${old.length > 5 ? "; …" : ""}`,
        "Run `preview` of their stacks on this machine; where it would create them, `up` resumes with what was created. Delete what is no longer needed by hand.",
      ),
    ];
  } catch (cause) {
    return [
      error(
        "intents",
        `${folder} cannot be used: ${messageOf(cause)}`,
        "Set `modelplatform:intents` or `MODELPLATFORM_INTENTS` to a folder that can be written: without it a crash could leave an object that no state knows.",
      ),
    ];
  }
}

const told = ({ kind, name, of, urn, account }: Intent, claim: string | undefined): string =>
  `${kind} ${name ?? of ?? urn} of ${account}${claim === undefined ? "" : ` (${claim})`}`;

/** A relative folder is one of the project, whose folder providers run in. */
export const folderOfIntents = (
  given: string | undefined,
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): string => (given === undefined ? intentsFolder(env) : resolve(project, given));

/** The folder itself, or the one in which it will be made. */
async function nearest(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
