import { access, constants, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { describeSystemError } from "../../../io/text/disk-error";
import { dynamicUrn } from "../../../provider/core/fields/tokens";
import { objectCommand } from "../../../provider/lifecycle/commands";
import { stackOf } from "../../../provider/lifecycle/identity";
import { type CreateAttempt, nameOfAttempt } from "../../../provider/lifecycle/journal/history";
import { journalFolder, openAttemptsIn } from "../../../provider/lifecycle/journal/journal-files";
import { managedSpecs } from "../../../provider/resources/index";
import { type DoctorFinding, error, ok, warning } from "./finding";

const hour = 60 * 60 * 1000;

/** What is known of the selected stack. */
interface KnownStack {
  /** URNs and ids that its state holds. */
  recorded?: ReadonlyMap<string, string>;
  /** As its URNs begin. */
  stack?: string;
}

/**
 * The folder of the ownership journal, and creates that neither a run nor a state has shown since: all of the stack
 * whose state is known, and what other stacks have started long ago. `claimOf`: what stands at that name now and says
 * whose it is, in words.
 */
export async function journalFindings(
  folder: string,
  now: number,
  { recorded = new Map(), stack }: KnownStack = {},
  claimOf: (subject: AttemptSubject) => Promise<string | undefined> = async () => undefined,
): Promise<DoctorFinding[]> {
  try {
    const place = await nearestExisting(folder);
    if (!(await stat(place)).isDirectory()) throw Object.assign(new Error(place), { code: "ENOTDIR" });
    await access(place, constants.R_OK | constants.W_OK);
    const held = new Map([...recorded].map(([urn, id]) => [dynamicUrn(urn), id]));
    const names = new Set(recorded.values());
    const isRecorded = (attempt: CreateAttempt): boolean => {
      const name = nameOfAttempt(attempt);
      return name === undefined ? held.has(attempt.urn) : names.has(name);
    };
    const open = openAttemptsIn(folder).filter((each) => !isRecorded(each));
    const old = open.filter(({ at, urn }) => (stack === undefined ? now - at > hour : stackOf(urn) === stack));
    if (old.length === 0) return [ok("intents", `${folder}, ${open.length} creates that no later run has shown yet`)];
    const named = await Promise.all(
      old.slice(0, 5).map(async (each) => attemptText(each, await claimOf(attemptSubject(each)))),
    );
    return [
      warning(
        "intents",
        `${old.length} creates were started, and no run since has found them in a state: ${named.join("; ")}${old.length > 5 ? "; …" : ""}`,
        "Unless a run is under way, run `preview` of their stacks here: `up` resumes what it would create; delete the rest as named.",
      ),
    ];
  } catch (cause) {
    return [
      error(
        "intents",
        `${folder} cannot be used: ${describeSystemError(cause).reason}`,
        "Set `modelplatform:intents` (`MODELPLATFORM_INTENTS`) to a folder that can be written, so that no crash orphans an object.",
      ),
    ];
  }
}

/** What a create was about. */
interface AttemptSubject {
  kind: string;
  name?: string | undefined;
}

function attemptSubject(attempt: CreateAttempt): AttemptSubject {
  const name = nameOfAttempt(attempt);
  return { kind: attempt.kind, name };
}

function attemptText(attempt: CreateAttempt, claim: string | undefined): string {
  const { kind, urn, account } = attempt;
  const name = nameOfAttempt(attempt);
  const spec = managedSpecs.find((each) => each.kind === kind);
  const command = name === undefined || !spec || spec.singleton ? "" : `, ${objectCommand("delete", spec, name)}`;
  return `${kind} ${name ?? urn} of ${account}${claim === undefined ? "" : ` (${claim})`}${command}`;
}

/** A relative folder is one of the project, whose folder providers run in. */
export const journalFolderIn = (
  configuredFolder: string | undefined,
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): string => (configuredFolder === undefined ? journalFolder(env) : resolve(project, configuredFolder));

/** The folder itself, or the one in which it will be made. */
async function nearestExisting(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}
