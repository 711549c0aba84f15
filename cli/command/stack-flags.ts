import type { StackSources } from "../../drift/scan/stacks";
import type { CliContext } from "./context";
import { usageError } from "./failure";
import { type FlagsOf, flag, repeatable } from "./flags";

/** Selects stacks whose states a command reads. `all`: without a flag, every one of the backend at hand is read. */
export const stackFlags = ({ all = true } = {}) => [
  repeatable(
    "-s, --stack <name>",
    `a stack of the backend, by its short or full name${all ? " (default: all of them)" : ""}`,
  ),
  repeatable(
    "--backend <path>",
    "a backend, by folder or URL (default: PULUMI_BACKEND_URL, else the one of the project in this folder)",
  ),
  flag("--project <name>", "of the backend, only this project"),
  repeatable("--stack-file <path>", "a stack as `pulumi stack export` writes it, or a state file"),
];

export type StackFlags = FlagsOf<typeof stackFlags>;

/** A folder is as good as its URL. */
const addressOf = (backend: string): string =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(backend) ? backend : `file://${backend}`;

/** The stacks that flags name; where they name no place, those of the backend at hand. */
export async function stackSources(flags: StackFlags, context: CliContext): Promise<StackSources> {
  const { stackFile: files, project, stack: stacks = [] } = flags;
  if (files !== undefined && stacks.length === 0 && flags.backend === undefined) return { files, project };
  const { findProject: projectAtHand, defaultBackend: backendAtHand, warnOfOpenBackends } = loadOwnBackend();
  const named = flags.backend?.map(addressOf);
  const home = await projectAtHand(context).catch((error: unknown) => {
    if (named === undefined) throw error;
    return undefined;
  });
  const backends = named ?? (await backendAtHand(home, context));
  await warnOfOpenBackends(backends, context);
  return { files, backends, stacks, project, home: home?.name };
}

/** What reads a project is loaded only where one counts. */
const loadOwnBackend = () => require("./stack-choice") as typeof import("./stack-choice");

const isEmpty = ({ files = [], backends = [], stacks = [] }: StackSources): boolean =>
  files.length + backends.length + stacks.length === 0;

const either = (...ways: readonly string[]): string => `${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}`;

/** The same, for a command that is of no use without stacks. */
export async function requireSources(
  command: string,
  flags: StackFlags,
  context: CliContext,
  instead: readonly string[] = [],
): Promise<StackSources> {
  const sources = await stackSources(flags, context);
  if (!isEmpty(sources)) return sources;
  throw usageError(
    `${command} needs to know which stacks: run it in the folder of a project that has some, or give ${either("--backend", "--stack-file", ...instead)}.`,
  );
}

/** Whether flags say which stacks; `--project` alone chooses among those of the backend at hand. */
export const selectsStacks = (flags: StackFlags): boolean =>
  flags.stackFile !== undefined || flags.backend !== undefined || (flags.stack ?? []).length > 0;
