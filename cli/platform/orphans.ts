import type { FileBackend } from "../../engine/state/backend";
import { commandLine } from "../../io/text/command-line";
import type { ClientSettings } from "../../provider/api/types";
import { isModelPlatformError } from "../../provider/core/errors";
import { dynamicUrn, resourceNameIn } from "../../provider/core/fields/tokens";
import { objectCommand } from "../../provider/lifecycle/commands";
import { mayBeInUse } from "../../provider/lifecycle/creation/recovery";
import { stackOf } from "../../provider/lifecycle/identity";
import { type CreateAttempt, nameOfAttempt } from "../../provider/lifecycle/journal/history";
import { openAttemptsIn } from "../../provider/lifecycle/journal/journal-files";
import { managedSpecs } from "../../provider/resources/index";
import type { CliContext } from "../command/context";
import { journalFolderIn } from "./doctor/journal";
import { projectFindings } from "./doctor/project";
import { settingsFindings } from "./doctor/settings";
import { isHere, type LostObject, lostObjectsIn, lostText } from "./lost-objects";
import { openClient } from "./platform";

type Values = Readonly<Record<string, unknown>>;

/** How long an answer is waited for. */
const timeoutMs = 15_000;

/** At most so many lines are said unasked. */
const maxLines = 3;

interface OrphanOptions {
  /** Also objects that the stack had and that no state has any longer. */
  namesLost?: boolean;
}

/**
 * What interrupted creates of a stack have made that its state does not hold, a line for each. To be asked once nothing
 * will resume them any longer: after an `up` of a program without them, after a `destroy`, before the stack is removed.
 * Says nothing where the state cannot be read, or while another run has the stack.
 */
export async function orphansOf(
  context: CliContext,
  requestedStack: string | undefined,
  { namesLost = false }: OrphanOptions = {},
): Promise<string[]> {
  const { config, recorded, stack, isBusy, backend } = await projectFindings(context, requestedStack);
  if (recorded === undefined || stack === undefined || isBusy) return [];
  const { settings } = settingsFindings({ env: context.env, config });
  const folder = journalFolderIn(settings?.intents, context.cwd, context.env);
  const held = { urns: recorded.keys(), names: recorded.values() };
  const open = unrecordedAttempts(folder, settings, held).filter(({ urn }) => stackOf(urn) === stack);
  const lost = namesLost && backend ? await lostWithout(backend, { folder, stack, settings }) : [];
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

/** Creates at the services of the settings whose end is open, without those that a state holds by URN or by name. */
export function unrecordedAttempts(
  folder: string,
  settings: ClientSettings | undefined,
  held: { urns: Iterable<string>; names: Iterable<string> },
): CreateAttempt[] {
  const urns = new Set([...held.urns].map(dynamicUrn));
  const names = new Set(held.names);
  return openAttemptsIn(folder).filter((attempt) => {
    const name = nameOfAttempt(attempt);
    // A state may hold another object of the declaration.
    const isHeld = name === undefined ? urns.has(attempt.urn) : names.has(name);
    return isHere(attempt, settings) && !isHeld && !attempt.isRefused;
  });
}

/** Objects in no state of the backend. Settings remain: an account always has them. */
async function lostWithout(backend: FileBackend, journal: Parameters<typeof lostObjectsIn>[0]): Promise<LostObject[]> {
  const recorded = await idsIn(backend).catch(() => undefined);
  const isSingleton = (kind: string) => managedSpecs.some((each) => each.kind === kind && each.singleton);
  return recorded ? lostObjectsIn(journal, recorded).filter(({ kind }) => !isSingleton(kind)) : [];
}

/** Ids in all states of the backend. */
async function idsIn(backend: FileBackend): Promise<ReadonlySet<string>> {
  const stacks = await backend.listStacks();
  const states = await Promise.all(stacks.map(({ project, name }) => backend.stack(project, name).load()));
  return new Set(states.flatMap((state) => state?.resources.flatMap(({ id }) => id ?? []) ?? []));
}

/** `live`: the object as the service answers it; "gone"; undefined where it cannot be asked. */
function describe(attempt: CreateAttempt, live: Values | "gone" | undefined): string[] {
  const { kind, urn, account } = attempt;
  const name = nameOfAttempt(attempt);
  const spec = managedSpecs.find((each) => each.kind === kind);
  if (!spec || spec.singleton || live === "gone") return [];
  const resource = resourceNameIn(urn);
  if (name === undefined)
    return [
      `An interrupted run may have created a ${kind} of ${account} as ${resource}: its answer was lost. Run \`npx pulumi-modelplatform drift --unmanaged\`, which lists what no state holds.`,
    ];
  const headline = `${kind} ${name} was created as ${resource} by an interrupted run, and no state holds it.`;
  return mayBeInUse(spec, live)
    ? [`${headline} It may still be running: look at it with ${objectCommand("get", spec, name)}.`]
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
export async function warnOfOrphans(context: CliContext, stack: string, options?: OrphanOptions): Promise<void> {
  const lines = await orphansOf(context, stack, options).catch(() => []);
  const rest = lines.length - maxLines;
  const visibleLines =
    rest > 0
      ? [
          ...lines.slice(0, maxLines),
          `and ${rest} more: \`${commandLine(["npx", "pulumi-modelplatform", "doctor", "--leftovers", "--stack", stack])}\``,
        ]
      : lines;
  for (const text of visibleLines) context.stderr.write(`warning: ${text}\n`);
}
