import { access, constants, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { FileBackend } from "../../../engine/state/backend";
import { describeSystemError } from "../../../io/files/disk-error";
import { UnreadableFileError } from "../../../io/files/read";
import { ownCommand, quotedCommand } from "../../../io/text/command-line";
import { addressOf } from "../../../provider/api/settings/credentials";
import { baseOf } from "../../../provider/api/settings/endpoint";
import type { ClientSettings } from "../../../provider/api/types";
import { isModelPlatformError } from "../../../provider/core/errors";
import { dynamicUrn, memberOf, resourceNameIn, resourceTypeIn } from "../../../provider/core/pulumi-names";
import { groupBy } from "../../../provider/core/values/grouping";
import { objectCommand } from "../../../provider/lifecycle/commands";
import { mayBeInUse } from "../../../provider/lifecycle/creation/orphans";
import { type CreateAttempt, nameOfAttempt } from "../../../provider/lifecycle/memory/history";
import { canonicalBaseUrl, stackNameOf, stackOf } from "../../../provider/lifecycle/memory/identity";
import {
  heldObjectsIn,
  journalFolder,
  moveJournalAdvice,
  openAttemptsIn,
} from "../../../provider/lifecycle/memory/journal-files";
import { managedSpecs } from "../../../provider/resources/index";
import { openClient } from "../../command/client";
import type { CliContext } from "../../command/context";
import { CommandError } from "../../command/failure";
import { type DoctorFinding, error, ok, warning } from "./finding";
import { type ProjectReport, projectFindings } from "./project";
import { settingsFindings } from "./settings";

const hour = 60 * 60 * 1000;

interface KnownStack {
  /** URNs and ids that its state holds. */
  recorded?: ReadonlyMap<string, string>;
  /** As its URNs begin. */
  stack?: string;
}

/**
 * The folder of the ownership journal, and creates that neither a run nor a state has confirmed since: all of the stack
 * whose state is known, and those that other stacks started long ago. `claimOf`: the object at that name now and its
 * owner, in words.
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
    const open = doubtsOf(folder, undefined, { urns: recorded.keys(), names: recorded.values() });
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
    if (cause instanceof UnreadableFileError)
      return [error("intents", `${cause.path} ${cause.code}`, moveJournalAdvice)];
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
  const verb = attempt.isRefused ? "get" : "delete";
  const command = name === undefined || !spec || spec.singleton ? "" : `, ${objectCommand(verb, spec, name)}`;
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

/** An object that a stack had last, and that no state has. */
interface LostObject {
  kind: string;
  name: string;
  holder: string;
}

interface StackJournal {
  folder: string;
  /** As its URNs begin. */
  stack: string;
  settings: ClientSettings | undefined;
}

/** What the journal has of a stack, without what some state has. */
export const lostObjectsIn = ({ folder, stack, settings }: StackJournal, recorded: ReadonlySet<string>): LostObject[] =>
  heldObjectsIn(folder, stack).flatMap(({ name, holder, ...service }) => {
    const spec = managedSpecs.find(({ kind }) => kind === memberOf(resourceTypeIn(holder)));
    const isLost = spec && !recorded.has(name);
    return isLost && isHere(service, settings) ? [{ kind: spec.kind, name, holder }] : [];
  });

const lostText = ({ kind, name, holder }: LostObject): string =>
  `${kind} ${name} is live, this stack had it last as ${resourceNameIn(holder)}, and no state has it. ${quotedCommand([...ownCommand, "doctor", "--next"], { flags: [["--stack", stackNameOf(holder)]] })} names the commands to have it back.`;

/** Whether it is at a service that the settings name; at any if they, or a record, name none. */
export function isHere(
  { origin, account }: { origin: string | undefined; account: string },
  settings: ClientSettings | undefined,
): boolean {
  const endpoint = settings && addressOf(settings, account);
  if (endpoint === undefined || origin === undefined) return true;
  return canonicalBaseUrl(origin) === canonicalBaseUrl(baseOf(endpoint));
}

type Values = Readonly<Record<string, unknown>>;

/** How long an answer is waited for. */
const timeoutMs = 15_000;

/** The most lines that a run prints about orphans; the last one names the command that lists all. */
const maxLines = 3;

interface OrphanOptions {
  /** Also lists objects that the stack had and that are in no state now. */
  namesLost?: boolean;
}

/**
 * What interrupted creates of a stack have made that its state does not hold, a line for each. To be asked once nothing
 * will resume them any longer: after an `up` of a program without them, after a `destroy`, before the stack is removed.
 * Says nothing where the state cannot be read, or while another run has the stack.
 */
async function orphansOf(
  context: CliContext,
  report: ProjectReport,
  { namesLost = false }: OrphanOptions = {},
): Promise<string[]> {
  const { config, recorded, stack, isBusy, backend } = report;
  if (recorded === undefined || stack === undefined || isBusy) return [];
  const journal = journalOf(context, report);
  const open = openOf(report, journal);
  const lost = namesLost && backend ? await lostWithout(backend, { ...journal, stack }) : [];
  if (open.length + lost.length === 0) return [];
  const service = openService(context, config);
  const lines = await Promise.all(
    open.map(async (each) => describe(each, await service.find(each.kind, nameOfAttempt(each)))),
  );
  const others = await Promise.all(
    lost.map(async (each) => {
      const live = await service.find(each.kind, each.name);
      return live === undefined || live === "gone" ? [] : [lostText(each)];
    }),
  );
  await service.end();
  return [...new Set([...lines, ...others].flat())];
}

function journalOf({ env, cwd }: CliContext, { config }: ProjectReport) {
  const { settings } = settingsFindings({ env, config });
  return { settings, folder: journalFolderIn(settings?.intents, cwd, env) };
}

/** The doubts of the report's stack; none where its state cannot be read, or while another run has it. */
function openOf(
  { recorded, stack, isBusy }: ProjectReport,
  { folder, settings }: ReturnType<typeof journalOf>,
): CreateAttempt[] {
  if (recorded === undefined || stack === undefined || isBusy) return [];
  return doubtsOf(folder, settings, { urns: recorded.keys(), names: recorded.values(), stack });
}

/** What `doctor --leftovers` lists. Rejects where no state says which creates are recorded. */
export async function leftoversOf(context: CliContext, requestedStack: string | undefined): Promise<string[]> {
  const report = await projectFindings(context, requestedStack);
  if (report.recorded !== undefined && !report.isBusy) return orphansOf(context, report);
  const subjects = report.isBusy ? ["lock"] : ["project", "state", "stack"];
  const finding = report.findings.find(({ level, subject }) => level !== "ok" && subjects.includes(subject));
  const reason = finding?.found ?? "the built-in engine cannot read the states of this backend";
  const flags = requestedStack === undefined ? [] : [["--stack", requestedStack] as const];
  throw new CommandError(
    `What interrupted creates have left is not known: ${reason}. Run ${quotedCommand([...ownCommand, "doctor", "--next"], { flags })}, which names what they have begun.`,
  );
}

/**
 * Creates at the services of the settings of which nobody knows what they have made: their end is open, or they were
 * refused by what may be their own result. Not those that a state holds by URN or by name. With the state's stack, only
 * that one's. Of several about one object, the one that says most.
 */
export function doubtsOf(
  folder: string,
  settings: ClientSettings | undefined,
  held: { urns: Iterable<string>; names: Iterable<string>; stack?: string },
): CreateAttempt[] {
  const urns = new Set([...held.urns].map(dynamicUrn));
  const names = new Set(held.names);
  const doubts = openAttemptsIn(folder, held.stack).filter((attempt) => {
    const name = nameOfAttempt(attempt);
    // A state may hold another object of the declaration.
    const isHeld = name === undefined ? urns.has(attempt.urn) : names.has(name);
    return isHere(attempt, settings) && !isHeld;
  });
  // A take-over that did not end has sent its create once more, which was refused by what the first one made.
  return [...groupBy(doubts, subjectOf).values()].map((of) => of.find(({ isRefused }) => !isRefused) ?? of[0]!);
}

const subjectOf = (attempt: CreateAttempt): string => {
  const { id, urn, origin, account } = attempt;
  return JSON.stringify([urn, origin, account, nameOfAttempt(attempt) ?? id]);
};

/** Objects in no state of the backend. Settings remain: an account always has them. */
async function lostWithout(backend: FileBackend, journal: Parameters<typeof lostObjectsIn>[0]): Promise<LostObject[]> {
  const recorded = await idsIn(backend).catch(() => undefined);
  const isSingleton = (kind: string) => managedSpecs.some((each) => each.kind === kind && each.singleton);
  return recorded ? lostObjectsIn(journal, recorded).filter(({ kind }) => !isSingleton(kind)) : [];
}

async function idsIn(backend: FileBackend): Promise<ReadonlySet<string>> {
  const states = await Promise.all((await backend.listStates()).map((state) => state.load()));
  return new Set(states.flatMap((state) => state?.resources.flatMap(({ id }) => id ?? []) ?? []));
}

/** `live`: the object as the service answers it; "gone"; undefined where it cannot be asked. */
export function describe(attempt: CreateAttempt, live: Values | "gone" | undefined): string[] {
  const { kind, urn, account } = attempt;
  const name = nameOfAttempt(attempt);
  const spec = managedSpecs.find((each) => each.kind === kind);
  if (!spec || spec.singleton || live === "gone") return [];
  const resource = resourceNameIn(urn);
  if (name === undefined)
    return [
      `An interrupted run may have created a ${kind} of ${account} as ${resource}: its answer was lost. Run \`npx pulumi-modelplatform drift --unmanaged\`, which lists what no state holds.`,
    ];
  const headline = attempt.isRefused
    ? `${kind} ${name} may be of ${resource}: its create was refused because of it, and no state holds it.`
    : `${kind} ${name} was created as ${resource} by an interrupted run, and no state holds it.`;
  return attempt.isRefused || mayBeInUse(spec, live)
    ? [`${headline} It may be in use: look at it with ${objectCommand("get", spec, name)}.`]
    : [`${headline} If you do not need it, delete it with ${objectCommand("delete", spec, name)}.`];
}

/** The service, asked for single objects. */
export function openService(context: CliContext, config: { get(key: string): string | undefined } | undefined) {
  const client = (() => {
    try {
      return openClient(context, { effects: ["read"] }, config && { config });
    } catch {
      return undefined;
    }
  })();
  return {
    /** "gone"; undefined where it cannot be asked. */
    async find(kind: string, name: string | undefined): Promise<Values | "gone" | undefined> {
      const get = client?.catalogue.find(kind, "get");
      if (!client || !get || name === undefined) return undefined;
      const call = client.call(get.name, { parameters: { name }, deadline: context.time.now() + timeoutMs });
      return call.then(
        ({ value }) => {
          const object = (value ?? {}) as Values;
          return /DELET(ED|ING)$/.test(String(object["state"] ?? "")) ? "gone" : object;
        },
        (error: unknown) => (isModelPlatformError(error) && error.status === 404 ? "gone" : undefined),
      );
    },
    end: async () => client?.close(),
  };
}

/** Says so on the standard error; nothing fails for it. */
export const warnOfOrphans = (context: CliContext, stack: string, options?: OrphanOptions): Promise<void> =>
  warnOf(context, stack, (report) => orphansOf(context, report, options));

/** Says what the next `up` looks for of which the journal alone knows; the engine names what the state knows. */
export const warnOfBegun = (context: CliContext, stack: string): Promise<void> =>
  warnOf(context, stack, async (report) => {
    const named = new Set(report.pending?.map(({ resource }) => resource.urn));
    const lines = openOf(report, journalOf(context, report)).flatMap((attempt) =>
      named.has(attempt.urn) ? [] : begunText(attempt),
    );
    return [...new Set(lines)];
  });

function begunText(attempt: CreateAttempt): string[] {
  const { kind, urn } = attempt;
  const spec = managedSpecs.find((each) => each.kind === kind);
  if (!spec || spec.singleton) return [];
  const name = nameOfAttempt(attempt);
  const resource = resourceNameIn(urn);
  const what = name === undefined ? `A ${kind}` : `${kind} ${name}`;
  return [
    `${what} may have been created as ${resource} by an interrupted run, and no state has it. If the program still declares ${resource}, \`up\` looks for it before it creates another.`,
  ];
}

async function warnOf(
  context: CliContext,
  stack: string,
  linesOf: (report: ProjectReport) => Promise<string[]>,
): Promise<void> {
  const lines = await projectFindings(context, stack)
    .then(linesOf)
    .catch(() => []);
  const rest = lines.length - maxLines;
  const visibleLines =
    rest > 0
      ? [
          ...lines.slice(0, maxLines),
          `and ${rest} more: ${quotedCommand([...ownCommand, "doctor", "--leftovers"], { flags: [["--stack", stack]] })}`,
        ]
      : lines;
  for (const text of visibleLines) context.stderr.write(`warning: ${text}\n`);
}
