import { execFileSync } from "node:child_process";
import type { InlineSite } from "../inline/site";
import { notePasted } from "./written-commands";

const bare = /(?<!`)npx pulumi-modelplatform [^`]+$/;

/** Commands in a message, in its order: what is in backticks, or ends it, and begins with a program or a variable. */
export const commandsIn = (message: string): string[] => [
  ...[...message.matchAll(/`((?:[A-Z_]+=\S+ )?(?:npx pulumi-modelplatform|pulumi) [^`]+)`/g)].map(
    ([, command]) => command!,
  ),
  ...(bare.exec(message)?.map((command) => command.trim()) ?? []),
];

/** Whoever stands before the terminal agrees to what a command asks. */
const agreeing = () => ({ isTTY: true, answers: ["yes", "yes", "yes"] });

/** Shows what a shell has called it with, and in which environment. */
const npx = `npx() {
  [ "$1" = pulumi-modelplatform ] && shift || return 127
  printf '%s\\0' "$#" "$@"
  env -0
}`;

/** A terminal at the program of a site: a shell reads each command as it is printed, and this process runs it. */
export class Terminal {
  constructor(private readonly site: InlineSite) {}

  /** Pastes a command, which must end with `code`. Resolves to what it prints. */
  async paste(command: string | undefined, code = 0): Promise<string> {
    if (command === undefined) throw new Error("the message has no such command");
    notePasted(command);
    const { args, env } = this.read(command);
    const ended = await this.site.play(args, { cwd: this.site.program, env, ...agreeing() });
    if (ended.code === code) return ended.output;
    throw new Error(`\`${command}\` ended with ${ended.code}:\n${ended.output}`);
  }

  private read(command: string): { args: string[]; env: Record<string, string> } {
    const env = { ...this.site.env, PATH: process.env["PATH"] };
    const [count, ...told] = execFileSync("sh", ["-c", `${npx}\n${command}`], { encoding: "utf8", env }).split("\0");
    const variables = told.slice(Number(count)).filter((line) => line.includes("="));
    const given = variables.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
    return { args: told.slice(0, Number(count)), env: Object.fromEntries(given) };
  }
}
