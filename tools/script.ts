import { parseArgs } from "node:util";

/** A flag of a script. */
interface Flag {
  /** What it takes, as in `<version>`; a switch has none. */
  value?: string;
  about: string;
}

type Flags = Readonly<Record<string, Flag>>;

/** A program that a script of package.json starts, as its usage describes it. */
export interface Script<F extends Flags = Flags> {
  /** As it is typed: `npm run generate`. */
  command: string;
  /** One sentence. */
  about: string;
  flags?: F;
  /** What it takes besides flags, and how many. */
  takes?: { form: string; about: string; least: number; most: number };
  /** Loads what the program would load only when it runs: `--help` shows that everything is there. */
  load?: () => void;
}

/** What a command line asks of a script. */
export interface Asked<F extends Flags> {
  flags: { readonly [Name in keyof F]: F[Name] extends { value: string } ? string | undefined : boolean };
  args: readonly string[];
}

/** A command line that a script does not take, as a sentence. */
export class UsageError extends Error {}

const usageExit = 64;

export function usageOf({ command, about, flags = {}, takes }: Script): string {
  const forms = [
    ...(takes ? [[takes.form, takes.about] as const] : []),
    ...Object.entries(flags).map(([name, flag]) => [[`--${name}`, flag.value].join(" ").trim(), flag.about] as const),
    ["--help", "prints this, and does nothing"] as const,
  ];
  const width = Math.max(...forms.map(([form]) => form.length));
  const taken = [
    ...(takes ? [takes.least > 0 ? takes.form : `[${takes.form}]`] : []),
    ...(Object.keys(flags).length > 0 ? ["[flags]"] : []),
  ];
  return [
    `Usage: ${[command, ...(taken.length > 0 ? ["--", ...taken] : [])].join(" ")}`,
    `\n${about}\n`,
    ...forms.map(([form, text]) => `  ${form.padEnd(width)}  ${text}`),
  ].join("\n");
}

/** What `args` ask for; undefined for help. */
export function askedOf<F extends Flags>(script: Script<F>, args: readonly string[]): Asked<F> | undefined {
  const declared = Object.entries<Flag>(script.flags ?? {}).map(
    ([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const,
  );
  const options = { ...Object.fromEntries(declared), help: { type: "boolean", short: "h" } } as const;
  const { values, positionals } = parsed(args, options);
  if (values["help"]) return undefined;
  const { form, least, most } = script.takes ?? { form: "", least: 0, most: 0 };
  if (positionals.length < least) throw new UsageError(`\`${script.command}\` takes ${form}.`);
  if (positionals.length > most)
    throw new UsageError(`\`${script.command}\` does not take \`${positionals.slice(most).join(" ")}\`.`);
  const flags = declared.map(([name, { type }]) => [name, values[name] ?? (type === "boolean" ? false : undefined)]);
  return { flags: Object.fromEntries(flags) as Asked<F>["flags"], args: positionals };
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function parsed(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Behind the first sentence, it advises how to pass a flag as an argument.
    throw new UsageError(`${(error as Error).message.split(/\. |\n/)[0]!.replace(/\.$/, "")}.`);
  }
}

/** Runs the program of a script by this process's command line; `work` returns the exit code. */
export async function runScript<F extends Flags>(
  script: Script<F>,
  work: (asked: Asked<F>) => number | Promise<number>,
): Promise<void> {
  try {
    const asked = askedOf(script, process.argv.slice(2));
    if (asked === undefined) {
      script.load?.();
      console.log(usageOf(script));
    } else process.exitCode = await work(asked);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${usageOf(script)}`);
    process.exitCode = usageExit;
  }
}
