import { Command, type ErrorOptions, Help, type Option } from "commander";
import { commandLine, ownCommand } from "../../io/text/command-line";
import { usageError } from "./failure";

/** What is read only where a line is wrong. */
const loadAdvice = () => ({
  ...(require("fastest-levenshtein") as typeof import("fastest-levenshtein")),
  ...(require("../../provider/core/values/did-you-mean") as typeof import("../../provider/core/values/did-you-mean")),
  ...(require("./synonyms") as typeof import("./synonyms")),
});

/** The heading of the commands that run and edit stacks, most of which the Pulumi CLI has as well. */
export const stackGroup = "Your stack:";

/** Deletes a whole stack: never a guess. */
const neverGuessed = "destroy";

/** A command that answers a line it does not understand with what was meant, in one sentence. */
export class AdvisingCommand extends Command {
  constructor(
    name: string | undefined,
    private readonly makeHelp: () => Help,
  ) {
    super(name);
  }

  override createCommand(name?: string): AdvisingCommand {
    return new AdvisingCommand(name, this.makeHelp);
  }

  override createHelp(): Help {
    return this.makeHelp();
  }

  override parseOptions(args: string[]): ReturnType<Command["parseOptions"]> {
    const end = args.indexOf("--");
    for (const arg of end < 0 ? args : args.slice(0, end)) {
      const [, name] = /^(?:[–—]-?|-)([a-z][a-z-]{2,})(?:=.*)?$/.exec(arg) ?? [];
      if (name !== undefined && (!arg.startsWith("-") || this.isFlag(name)))
        throw usageError(`\`${arg}\` is not a flag: write \`--${name}\`, with two hyphens.`);
    }
    return super.parseOptions(args);
  }

  /** Flags of a command are not known before it is. */
  private isFlag(name: string): boolean {
    return !this.parent || this.flagsHere().includes(`--${name}`);
  }

  override error(message: string, options?: ErrorOptions): never {
    const text = message.replace(/^error: /, "");
    const [, typed = ""] = /^unknown (?:option|command) '([^']+)'$/.exec(text) ?? [];
    if (options?.code === "commander.unknownCommand") throw usageError(`${text}. ${this.adviceOnCommand(typed)}`);
    if (options?.code === "commander.unknownOption") {
      const flag = flagOf(typed);
      throw usageError(`unknown option '${flag}'. ${this.adviceOnFlag(flag)}`);
    }
    if (options?.code === "commander.excessArguments") throw usageError(this.adviceOnArguments());
    throw usageError(`${text.replace(/\.$/, "")}. ${this.toHelp()}`);
  }

  private adviceOnCommand(typed: string): string {
    const known = this.commands.map((command) => command.name()).filter((name) => name !== neverGuessed);
    return (
      loadAdvice().commandSynonyms[this.parent ? this.name() : ""]?.[typed.toLowerCase()] ??
      adviceOnPulumi(typed) ??
      guess(typed, known) ??
      this.toHelp()
    );
  }

  private runsStacks(): boolean {
    return this.parent instanceof AdvisingCommand && (this.helpGroup() === stackGroup || this.parent.runsStacks());
  }

  private adviceOnFlag(typed: string): string {
    const known = this.flagsHere();
    const { flagSynonyms, noFlag } = loadAdvice();
    const same = flagSynonyms.get(typed.toLowerCase());
    if (same !== undefined && known.includes(same.split(" ")[0]!)) return `Did you mean \`${same}\`?`;
    return noFlag[typed] ?? guess(typed, known) ?? `${this.toHelp()}${this.runsStacks() ? ` ${leftToPulumi}` : ""}`;
  }

  /** An unexpected argument of a group's default command may be a misspelled subcommand of the group. */
  private adviceOnArguments(): string {
    const { parent, args, registeredArguments } = this;
    const word = args[registeredArguments.length] ?? "";
    if (parent instanceof AdvisingCommand && parent.isDefault(this))
      return `unknown command '${word}'. ${parent.adviceOnCommand(word)}`;
    const takes = registeredArguments.length === 0 ? "no argument" : `only ${namesOf(registeredArguments)}`;
    return `\`${this.name()}\` takes ${takes}, and \`${word}\` is another. ${this.adviceOnWord(word)}`;
  }

  private adviceOnWord(word: string): string {
    if (!/^[\w./-]+$/.test(word)) return "Put a value that has spaces in quotes.";
    return this.flagsHere().includes("--stack") ? `If it is the stack, write \`--stack ${word}\`.` : this.toHelp();
  }

  private isDefault(command: Command): boolean {
    return this.parent !== null && (this as unknown as Named)._defaultCommandName === command.name();
  }

  private flagsHere(): string[] {
    const own = this.options.flatMap(({ long }) => long ?? []);
    return this.parent instanceof AdvisingCommand ? [...own, ...this.parent.flagsHere()] : [...own, "--help"];
  }

  private toHelp(): string {
    return `\`${pathOf(this)} --help\` shows how it is used.`;
  }
}

/** Without its value, which may be a secret. */
const flagOf = (typed: string): string => (typed.startsWith("--") ? typed.split("=")[0]! : typed.slice(0, 2));

/** The library keeps it for itself. */
interface Named {
  _defaultCommandName?: string;
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

const namesOf = (items: readonly { name(): string }[]): string => items.map((each) => `<${each.name()}>`).join(" ");

function guess(typed: string, known: readonly string[]): string | undefined {
  const { distance, hint } = loadAdvice();
  const near = hint(typed, known) ?? known.find((name) => name.length > 5 && distance(typed, name) <= 2);
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}

const adviceOnPulumi = (typed: string): string | undefined =>
  loadAdvice().pulumiCommands.has(typed)
    ? `${typed} is the Pulumi CLI's and not supported here. Use that CLI: both share the stack's state.`
    : undefined;

const leftToPulumi = "For what only the Pulumi CLI takes, use that CLI: both share the stack's state.";

/**
 * The flags that the help of a command shows; `--help all` shows every one. A command that is not here shows its first
 * eight.
 */
const everyday: Readonly<Record<string, readonly string[]>> = {
  preview: ["stack", "diff", "target", "refresh", "expect-no-changes", "save-plan", "config", "json"],
  review: ["preview-json", "cost-json", "exit-code", "fail-on", "fail-above", "format", "output", "link"],
  up: ["stack", "yes", "skip-preview", "diff", "target", "replace", "refresh", "json"],
  refresh: ["stack", "yes", "skip-preview", "preview-only", "diff", "target", "expect-no-changes", "json"],
  destroy: ["stack", "yes", "skip-preview", "preview-only", "target", "exclude-protected", "continue-on-error", "json"],
  codify: ["kind", "filter", "account", "all-accounts", "stack", "for", "import", "output"],
  drift: ["stack", "backend", "account", "all-accounts", "unmanaged", "fail-on", "format", "output"],
  audit: ["stack", "backend", "account", "all-accounts", "policy-pack-config", "fail-on", "format", "output"],
  cost: ["stack", "preview-json", "live", "account", "by", "format", "output", "fail-above"],
  accept: ["stack", "backend", "report", "only", "allow", "write", "patch", "interactive"],
  emulator: ["port", "account", "key", "seed", "data", "clock", "speed", "strict"],
};

/** How many flags a command without an entry shows. */
const mostEveryday = 8;

/** `drift history`: what is typed after the program's name. */
const lineOf = (command: Command): string =>
  command.parent ? `${lineOf(command.parent)} ${command.name()}`.trim() : "";

const nameOf = ({ long = "" }: Pick<Option, "long">): string => long.replace(/^--(no-)?/, "");

/** By subcommand, the flags of its own and what it takes of its group's. */
const takenFlags = new WeakMap<Command, readonly string[]>();

/** Lets a subcommand take these flags, besides its own, and no others of its group, whose parser reads them. */
export function takeGroupFlags(command: Command, flags: readonly Pick<Option, "long">[]): Command {
  takenFlags.set(command, [...new Set([...command.options, ...flags].map(nameOf))]);
  return command;
}

/** Of the group's flags those that its subcommand takes. */
function inheritedOptions(group: Command, command: Command): Option[] {
  const names = takenFlags.get(command) ?? [];
  return group.options.filter((option) => names.includes(nameOf(option)));
}

/** Rejects a flag of the group that the subcommand does not take: `drift history --stack dev`. */
export function assertNoGroupFlags(command: Command): void {
  const { parent } = command;
  const names = takenFlags.get(command);
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
    const names = takenFlags.get(command) ?? everyday[lineOf(command)] ?? flags.slice(0, mostEveryday).map(nameOf);
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
    const line = commandLine([...ownCommand, ...lineOf(command).split(" "), "--help", "all"]);
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
