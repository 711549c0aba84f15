import { isHeld } from "../../../drift/scan/recorded-object";
import { stacksIn } from "../../../drift/scan/stacks";
import type { PendingOperation } from "../../../engine/state/resource-state";
import { type CommandRest, commandLine, ownCommand, quotedCommand } from "../../../io/text/command-line";
import type { ClientSettings } from "../../../provider/api/types";
import { dynamicUrn, hasParent, memberOf, resourceNameIn, resourceTypeIn } from "../../../provider/core/pulumi-names";
import { settingVariable } from "../../../provider/core/settings";
import type { Values } from "../../../provider/core/values/values";
import { objectCommand } from "../../../provider/lifecycle/commands";
import { mayBeInUse } from "../../../provider/lifecycle/creation/orphans";
import { type CreateAttempt, nameOfAttempt } from "../../../provider/lifecycle/memory/history";
import { projectOf, stackNameOf, stackOf } from "../../../provider/lifecycle/memory/identity";
import { managedSpecs } from "../../../provider/resources/index";
import type { CliContext } from "../../command/context";
import type { DoctorFinding } from "./finding";
import { doubtsOf, journalFolderIn, lostObjectsIn, openService } from "./orphans";
import type { ProjectReport } from "./project";
import { settingsFindings } from "./settings";

/** One thing to do, and what is known afterwards. */
export interface NextStep {
  /** Absent where something has to be corrected first. */
  command?: string | undefined;
  note: string;
  /** What nobody knows until then, one entry each. */
  unknown: string[];
}

/** What a stack's runs have left unknown, and where to look. */
interface Traces extends ProjectReport {
  project: string;
  /** As its URNs begin. */
  stack: string;
  /** The Pulumi CLI runs the stacks of a backend that the engine cannot read. */
  program: readonly string[];
  /** Names of the backend's stacks; undefined where they cannot be read. */
  stacks: ReadonlySet<string> | undefined;
  /** Ids that some stack of the backend holds. */
  recordedUrns: ReadonlySet<string>;
  attempts: readonly CreateAttempt[];
  folder: string;
  settings: ClientSettings | undefined;
  find(kind: string, name: string | undefined): Promise<Values | "gone" | undefined>;
}

/**
 * What is unknown about a stack, in the order in which it can be ended: first what hinders every command, then the
 * lock, operations without an end, creates, and objects that the state has lost. Sends reads and changes nothing.
 */
export async function nextSteps(
  context: CliContext,
  requestedStack: string | undefined,
  report: ProjectReport,
  findings: readonly DoctorFinding[],
): Promise<NextStep[]> {
  const service = openService(context, report.config);
  try {
    const traces = await tracesOf(context, requestedStack, report, service.find);
    const needed = report.recorded === undefined ? ["project", "stack"] : ["project"];
    const obstacles = findings.filter(
      ({ level, subject }) => level === "error" || (level === "warning" && needed.includes(subject)),
    );
    if (!traces) return obstacles.map(correction);
    if (traces.isBusy) return [...obstacles.map(correction), ...lockSteps(findings, traces)];
    const own = await attemptSteps(traces);
    const lost = await lostObjects(traces);
    const isLost = own.length + lost.length > 0 && traces.stacks?.has(stackNameOf(traces.stack)) === false;
    const rest = obstacles.filter(({ subject }) => !isLost || subject !== "stack").map(correction);
    const init = isLost ? [recreateStackStep(traces)] : [];
    return [...rest, ...init, ...pendingSteps(traces), ...own, ...(await otherStackSteps(traces)), ...lost];
  } finally {
    await service.end();
  }
}

const correction = ({ subject, found, advice = "" }: DoctorFinding): NextStep => ({
  note: advice,
  unknown: [`${subject}: ${found}`],
});

async function tracesOf(
  { cwd, env }: CliContext,
  requestedStack: string | undefined,
  report: ProjectReport,
  find: Traces["find"],
): Promise<Traces | undefined> {
  const { project, backend, config, recorded } = report;
  const short = requestedStack?.split("/").at(-1);
  const stack = report.stack ?? (short === undefined ? undefined : `urn:pulumi:${short}::${project}`);
  if (project === undefined || stack === undefined) return undefined;
  const { settings } = settingsFindings({ env, config });
  const folder = journalFolderIn(settings?.intents, cwd, env);
  const states = backend && (await stacksIn(backend).catch(() => undefined));
  const recordedUrns = new Set(states?.flatMap(({ objects }) => objects.filter(isHeld).map(({ name }) => name)));
  const attempts = doubtsOf(folder, settings, { urns: recorded?.keys() ?? [], names: recordedUrns });
  const stacks = backend && states && new Set((await backend.listStacks(project)).map(({ name }) => name));
  const program = backend ? ownCommand : ["pulumi"];
  return { ...report, project, stack, program, stacks, recordedUrns, attempts, folder, settings, find };
}

const stackFlag = ({ stack }: Traces): Pick<CommandRest, "flags"> => ({
  flags: [["--stack", stackNameOf(`${stack}::`)]],
});

const line = (traces: Traces, words: readonly string[], rest: CommandRest = {}): string | undefined =>
  commandLine([...traces.program, ...words], { ...rest, ...stackFlag(traces) });

const lockSteps = (findings: readonly DoctorFinding[], traces: Traces): NextStep[] => [
  {
    command: line(traces, ["cancel"]),
    note: "Only if that run has ended. Otherwise wait for it: what follows may still be under way.",
    unknown: findings.flatMap(({ subject, found }) =>
      subject === "lock" ? `whether the run still works: ${found}` : [],
    ),
  },
];

const kindIn = (urn: string): string | undefined => memberOf(resourceTypeIn(urn));

/** What was begun with an object that the state has. */
function pendingSteps(traces: Traces): NextStep[] {
  const begun = (traces.pending ?? []).filter(({ type }) => type !== "creating");
  if (begun.length === 0) return [];
  const unknown = begun.map(({ type, resource: { urn } }) => `${subjectOf(urn)}: a run was interrupted while ${type}`);
  return [
    { command: line(traces, ["refresh"]), note: "Records the live state. `up` then does what is left.", unknown },
  ];
}

const subjectOf = (urn: string): string => `${kindIn(urn) ?? resourceTypeIn(urn)} ${resourceNameIn(urn)}`;

/** Creates of this stack. */
async function attemptSteps(traces: Traces): Promise<NextStep[]> {
  const { attempts, stack } = traces;
  const own = attempts.filter(({ urn }) => stackOf(urn) === stack);
  const unknown = (await Promise.all(own.map((each) => describe(traces, each)))).flat();
  const others = (traces.pending ?? []).filter((each) => isWithoutAttempt(each, own));
  const all = [
    ...new Set([
      ...unknown,
      ...others.map(({ resource: { urn } }) => `${subjectOf(urn)}: a run was interrupted while creating`),
    ]),
  ];
  if (all.length === 0) return [];
  const forget =
    others.length === 0
      ? ""
      : ` If nothing was created, ${quotedCommand([...traces.program, "refresh", "--clear-pending-creates"], stackFlag(traces))} forgets it.`;
  const note = `Takes over what the program declares, and creates what is not there.${forget}`;
  return [{ command: line(traces, ["up"]), note, unknown: all }];
}

const isWithoutAttempt = ({ type, resource }: PendingOperation, own: readonly CreateAttempt[]): boolean =>
  type === "creating" && !own.some(({ urn }) => urn === dynamicUrn(resource.urn));

/** Creates of stacks of this project that are not there: renamed, or removed. */
async function otherStackSteps(traces: Traces): Promise<NextStep[]> {
  const { attempts, project, stacks, stack } = traces;
  if (!stacks) return [];
  const former = attempts.filter(
    ({ urn }) => projectOf(urn) === project && stackOf(urn) !== stack && !stacks.has(stackNameOf(urn)),
  );
  const unknown = (await Promise.all(former.map((each) => describe(traces, each)))).flat();
  if (unknown.length === 0) return [];
  const names = [...new Set(former.map(({ urn }) => stackNameOf(urn)))].join(", ");
  const note = `The backend has no stack ${names}. If this one was called that, \`up\` takes over what the program declares.`;
  return [{ command: line(traces, ["up"]), note, unknown: [...new Set(unknown)] }];
}

/** What is known of a create without an end, and what to do where no program declares it any longer. */
async function describe(traces: Traces, attempt: CreateAttempt): Promise<string[]> {
  const { kind, urn, account } = attempt;
  const name = nameOfAttempt(attempt);
  const spec = managedSpecs.find((each) => each.kind === kind);
  const live = await traces.find(kind, name);
  if (!spec || live === "gone") return [];
  const subject = `${kind} ${resourceNameIn(urn)}`;
  if (name === undefined)
    return [
      `${subject} of ${account}: the answer to its create was lost. No longer declared: ${quotedCommand([...ownCommand, "drift", "--unmanaged"])}`,
    ];
  const sight = live === undefined ? "could not be looked at" : `is live${stateOf(live)}`;
  const verb = attempt.isRefused || mayBeInUse(spec, live) ? "get" : "delete";
  const other = spec.singleton ? "" : `. No longer declared: ${objectCommand(verb, spec, name)}`;
  const end = attempt.isRefused ? "refused by what may be its own result" : "interrupted";
  return [`${subject}: its create was ${end}; ${name} ${sight}, and no state has it${other}`];
}

const stateOf = ({ state }: Values): string => (state === undefined ? "" : ` (${String(state)})`);

/** What the stack had last and nothing has deleted, in no state now: that is a backup, was edited, or is gone. */
async function lostObjects(traces: Traces): Promise<NextStep[]> {
  const { stack, stacks, recordedUrns, folder, settings, find } = traces;
  if (!stacks) return [];
  const steps = await Promise.all(
    lostObjectsIn({ folder, stack, settings }, recordedUrns).map(
      async ({ kind, name, holder }): Promise<NextStep[]> => {
        const live = await find(kind, name);
        if (live === undefined || live === "gone") return [];
        const unknown = [
          `${subjectOf(holder)}: ${name} is live${stateOf(live)}, this stack had it last, and no state has it`,
        ];
        return [{ ...wayBack(traces, holder, name), unknown }];
      },
    ),
  );
  return steps.flat();
}

/** The objects of the stack are live, and it has no state. */
function recreateStackStep({ stack }: Traces): NextStep {
  const name = stackNameOf(stack);
  return {
    command: commandLine([...ownCommand, "stack", "init"], { args: [name] }),
    note: "Unless a backup has the state: restore that instead.",
    unknown: [`where the state of ${name} is: the backend has none, and its objects are live`],
  };
}

/** Only a run of the program puts a resource under its parents. */
function wayBack(traces: Traces, urn: string, name: string): Omit<NextStep, "unknown"> {
  const note = "To have it back. Leave it if it was given up on purpose.";
  if (hasParent(urn))
    return {
      command: line(traces, ["up", "--refresh"], { variables: { [settingVariable("recover")]: "take" } }),
      note,
    };
  return { command: line(traces, ["import"], { args: [resourceTypeIn(urn), resourceNameIn(urn), name] }), note };
}
