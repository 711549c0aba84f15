import { access, constants, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { journalFolder } from "../../../lifecycle/identity/state-folder";
import type { CreateAttempt } from "../../../lifecycle/journal/history";
import { openAttemptsIn } from "../../../lifecycle/journal/journal-files";
import { refusalOf } from "../../../text/disk-error";
import { type DoctorFinding, error, ok, warning } from "./finding";

const hour = 60 * 60 * 1000;

/**
 * The folder of the ownership journal, and creates that were started long ago and that neither a run nor `recorded`,
 * the stack's state, has shown since. `claimOf`: what stands at that name now and says whose it is, in words.
 */
export async function journalFindings(
  folder: string,
  now: number,
  recorded: ReadonlyMap<string, string> = new Map(),
  claimOf: (begun: Begun) => Promise<string | undefined> = async () => undefined,
): Promise<DoctorFinding[]> {
  try {
    const place = await nearest(folder);
    if (!(await stat(place)).isDirectory()) throw Object.assign(new Error(place), { code: "ENOTDIR" });
    await access(place, constants.R_OK | constants.W_OK);
    const isRecorded = (attempt: CreateAttempt): boolean => {
      const name = nameOf(attempt);
      return recorded.has(attempt.urn) && (name === undefined || recorded.get(attempt.urn) === name);
    };
    const open = openAttemptsIn(folder).filter((each) => !isRecorded(each));
    const old = open.filter(({ at }) => now - at > hour);
    if (old.length === 0) return [ok("intents", `${folder}, ${open.length} creates that no later run has shown yet`)];
    const named = await Promise.all(old.slice(0, 5).map(async (each) => told(each, await claimOf(begunBy(each)))));
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
        `${folder} cannot be used: ${refusalOf(cause).reason}`,
        "Set `modelplatform:intents` or `MODELPLATFORM_INTENTS` to a folder that can be written: without it a crash could leave an object that no state knows.",
      ),
    ];
  }
}

/** What a create was about. */
interface Begun {
  kind: string;
  name?: string;
}

function begunBy(attempt: CreateAttempt): Begun {
  const name = nameOf(attempt);
  return { kind: attempt.kind, ...(name !== undefined && { name }) };
}

const nameOf = ({ made, place }: CreateAttempt): string | undefined => made?.name ?? place.name;

const told = (attempt: CreateAttempt, claim: string | undefined): string =>
  `${attempt.kind} ${nameOf(attempt) ?? attempt.urn} of ${attempt.account}${claim === undefined ? "" : ` (${claim})`}`;

/** A relative folder is one of the project, whose folder providers run in. */
export const journalFolderIn = (
  given: string | undefined,
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): string => (given === undefined ? journalFolder(env) : resolve(project, given));

/** The folder itself, or the one in which it will be made. */
async function nearest(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
