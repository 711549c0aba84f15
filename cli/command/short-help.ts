import { type Command, Help, type Option } from "commander";
import { usageError } from "./failure";

/**
 * The flags that the help of a command shows; `--help all` shows every one. A command that is not here shows its first
 * eight. A subcommand takes of its group's flags those that are here and no others.
 */
const everyday: Readonly<Record<string, readonly string[]>> = {
  preview: ["stack", "diff", "target", "refresh", "expect-no-changes", "save-plan", "config", "json"],
  review: ["preview-json", "cost-json", "exit-code", "fail-on", "fail-above", "format", "output", "link"],
  up: ["stack", "yes", "skip-preview", "diff", "target", "replace", "refresh", "json"],
  refresh: ["stack", "yes", "skip-preview", "preview-only", "diff", "target", "expect-no-changes", "json"],
  destroy: ["stack", "yes", "skip-preview", "preview-only", "target", "exclude-protected", "continue-on-error", "json"],
  codify: ["kind", "filter", "account", "all-accounts", "stack", "target", "mode", "output"],
  drift: ["stack", "backend", "account", "all-accounts", "unmanaged", "fail-on", "format", "output"],
  audit: ["stack", "backend", "account", "all-accounts", "policy-pack-config", "fail-on", "format", "output"],
  cost: ["stack", "preview-json", "live", "account", "by", "format", "output", "fail-above"],
  accept: ["stack", "backend", "report", "only", "allow", "write", "patch", "interactive"],
  emulator: ["port", "account", "key", "seed", "data", "clock", "speed", "strict"],
  "drift history": ["history", "format", "output", "json"],
  "drift merge": ["format", "output", "json", "history", "notify", "program", "patches"],
  "audit merge": ["format", "output", "json"],
};

/** How many flags a command without an entry shows. */
const mostEveryday = 8;

/** `drift history`: what is typed after the program's name. */
const lineOf = (command: Command): string =>
  command.parent ? `${lineOf(command.parent)} ${command.name()}`.trim() : "";

const nameOf = ({ long = "" }: Option): string => long.replace(/^--(no-)?/, "");

/** Of the group's flags those that its subcommand takes. */
function inheritedOptions(group: Command, command: Command): Option[] {
  const names = everyday[lineOf(command)] ?? [];
  return group.options.filter((option) => names.includes(nameOf(option)));
}

/** A flag of the group that was given to a subcommand which does not take it: `drift history --stack dev`. */
export function assertNoGroupFlags(command: Command): void {
  const { parent } = command;
  const names = everyday[lineOf(command)];
  if (!parent?.parent || !names) return;
  const isSetByUser = (option: Option): boolean => parent.getOptionValueSource(option.attributeName()) === "cli";
  const other = parent.options.find((option) => isSetByUser(option) && !names.includes(nameOf(option)));
  if (other)
    throw usageError(
      `\`${lineOf(command)}\` does not take ${other.long}. It takes ${names.map((name) => `--${name}`).join(", ")}.`,
    );
}

/** A help that shows what is used every day, and says how to see the rest; the whole of it after `--help all`. */
export class ShortHelp extends Help {
  constructor(
    private readonly showsAll: boolean,
    private readonly describe: (option: Option) => string,
  ) {
    super();
    this.showGlobalOptions = true;
  }

  override optionDescription(option: Option): string {
    return this.describe(option);
  }

  override visibleOptions(command: Command): Option[] {
    const all = super.visibleOptions(command);
    if (this.showsAll || !command.parent) return all;
    const [help] = all.filter(({ long }) => long === "--help");
    const flags = all.filter((option) => option !== help);
    const names = everyday[lineOf(command)] ?? flags.slice(0, mostEveryday).map(nameOf);
    const visible = flags.filter((option) => names.includes(nameOf(option)));
    return help ? [...visible, help] : visible;
  }

  override visibleGlobalOptions(command: Command): Option[] {
    const { parent } = command;
    if (!parent) return [];
    const taken = parent.parent ? inheritedOptions(parent, command) : [];
    return this.showsAll ? [...taken, ...rootOf(command).options.filter(({ hidden }) => !hidden)] : taken;
  }

  override formatHelp(command: Command, helper: this): string {
    const text = super.formatHelp(command, helper);
    const rest = this.hiddenOf(command);
    if (rest === 0) return text;
    const line = `npx pulumi-modelplatform ${lineOf(command)} --help all`;
    return `${text}\n${rest} more ${rest === 1 ? "flag" : "flags"}: ${line}\n`;
  }

  private hiddenOf(command: Command): number {
    if (this.showsAll || !command.parent) return 0;
    return super.visibleOptions(command).length - this.visibleOptions(command).length + rootOf(command).options.length;
  }
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

/** A command line without the `all` after `--help`, and whether it had one. */
export function withoutAll(args: readonly string[]): { args: readonly string[]; showsAll: boolean } {
  const flag = args.findIndex((arg) => arg === "--help" || arg === "-h");
  const at = flag >= 0 ? flag + 1 : args.length - 1;
  const isHelp = flag >= 0 || (args[0] === "help" && args.length > 2);
  if (!isHelp || args[at] !== "all") return { args, showsAll: false };
  return { args: args.filter((_, index) => index !== at), showsAll: true };
}
