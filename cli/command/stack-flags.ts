import { Option } from "commander";
import type { StackSources } from "../../drift/scan/stacks";
import type { CliContext } from "./context";
import { usageError } from "./failure";

/** Selects stacks, for every command that reads states. */
export interface StackFlags {
  stackFile?: string[];
  backend?: string[];
  project?: string;
  stack?: string[];
}

export const repeatableOption = (flags: string, description: string): Option =>
  new Option(flags, `${description}; may be repeated`).argParser((text: string, before: string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);

export const withHelpGroup = (heading: string, options: readonly Option[]): Option[] =>
  options.map((option) => option.helpGroup(heading));

/** `all`: without a flag, every stack of the backend at hand is read. */
export const stackFlags = (heading?: string, { all = true } = {}): Option[] => {
  const options = [
    repeatableOption(
      "-s, --stack <name>",
      `a stack of the backend, by its short or full name${all ? " (default: all of them)" : ""}`,
    ),
    repeatableOption(
      "--backend <path>",
      "a backend, by folder or URL (default: PULUMI_BACKEND_URL, else the one of the project in this folder)",
    ),
    new Option("--project <name>", "of the backend, only this project"),
    repeatableOption("--stack-file <path>", "a stack as `pulumi stack export` writes it, or a state file"),
  ];
  return heading === undefined ? options : withHelpGroup(heading, options);
};

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
