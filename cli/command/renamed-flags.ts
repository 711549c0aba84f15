/** A flag that has another name now. The old one works on. */
interface RenamedFlag {
  commands: readonly string[];
  /** As typed, the short form included. */
  old: readonly string[];
  takesValue: boolean;
  /** What replaces it. */
  replacement(value: string): string[];
  /** For users, on standard error. Without one, the old name stays for good. */
  note?: string;
}

/** `callsService`: the command takes settings of the service for one run. */
export const renamedFlags = (command: string, callsService: boolean): readonly RenamedFlag[] =>
  [
    {
      commands: ["codify"],
      old: ["--mode"],
      takesValue: true,
      replacement: (value: string) => (value === "import" ? ["--import"] : value === "adopt" ? [] : ["--mode", value]),
      note: "`--mode import` is now `--import`, and `--mode adopt` the default",
    },
    { commands: ["codify"], old: ["--target"], takesValue: true, replacement: (value: string) => ["--for", value] },
    {
      commands: callsService ? [command] : [],
      old: ["-c", "--config"],
      takesValue: true,
      replacement: (value: string) => ["--setting", value],
      note: "`--config` is now `--setting`",
    },
    {
      commands: ["drift", "audit", "accept"],
      old: ["--allow-error"],
      takesValue: false,
      replacement: () => ["--baseline-errors"],
    },
    {
      commands: ["drift"],
      old: ["--write-baseline"],
      takesValue: true,
      replacement: (value: string) => ["--write-baseline", value],
      note: "`drift --write-baseline <file>` is now `drift baseline --output <file>`",
    },
    {
      commands: ["accept"],
      old: ["--body"],
      takesValue: true,
      replacement: (value: string) => ["--format", "markdown", "--output", value],
      note: "`--body <file>` is now `--format markdown --output <file>`",
    },
  ].filter(({ commands }) => commands.includes(command));

/** The line with the current names of its flags, and the notes of those that it renamed. */
export function withCurrentFlags(
  line: readonly string[],
  renamed: readonly RenamedFlag[],
): { line: string[]; notes: string[] } {
  const end = line.includes("--") ? line.indexOf("--") : line.length;
  const result: string[] = [];
  const notes = new Set<string>();
  for (let at = 0; at < end; at++) {
    const arg = line[at]!;
    const { name, value: attached } = splitFlag(arg);
    const flag = renamed.find(({ old }) => old.includes(name));
    const value = flag?.takesValue ? (attached ?? line[at + 1]) : "";
    if (!flag || value === undefined) {
      result.push(arg);
      continue;
    }
    if (flag.takesValue && attached === undefined) at++;
    result.push(...flag.replacement(value));
    if (flag.note !== undefined) notes.add(flag.note);
  }
  return { line: [...result, ...line.slice(end)], notes: [...notes] };
}

/** `--flag=value`, `-fkey=value`, or the flag alone. */
function splitFlag(arg: string): { name: string; value?: string } {
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? /^(-[a-z])([^=]+=.*)$/s.exec(arg) ?? [];
  return name === undefined || value === undefined ? { name: arg } : { name, value };
}
