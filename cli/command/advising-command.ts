import { Command, type ErrorOptions, type Help } from "commander";
import { usageError } from "./failure";

/** What is read only where a line is wrong. */
const loadAdvice = () => ({
  ...(require("fastest-levenshtein") as typeof import("fastest-levenshtein")),
  ...(require("../../provider/core/values/closest") as typeof import("../../provider/core/values/closest")),
  ...(require("./synonyms") as typeof import("./synonyms")),
});

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
    if (options?.code === "commander.unknownOption") throw usageError(`${text}. ${this.adviceOnFlag(typed)}`);
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

  private adviceOnFlag(typed: string): string {
    const known = this.flagsHere();
    const { flagSynonyms, noFlag } = loadAdvice();
    const same = flagSynonyms.get(typed.toLowerCase());
    if (same !== undefined && known.includes(same.split(" ")[0]!)) return `Did you mean \`${same}\`?`;
    return noFlag[typed] ?? adviceOnPulumi(typed) ?? guess(typed, known) ?? this.toHelp();
  }

  /** A word after a command that has none of that name is one after its group, where the command stands for it. */
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
  loadAdvice().pulumiOnly.has(typed)
    ? `${typed} is the Pulumi CLI's and not supported here. Use that CLI: both share the stack's state.`
    : undefined;
