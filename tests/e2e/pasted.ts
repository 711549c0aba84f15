import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { putPlayedNpx } from "../docs/played/npx";
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

/** A terminal at the program of a site, in whose shell commands run as they are printed. */
export class Terminal {
  private constructor(
    private readonly site: InlineSite,
    private readonly bin: string,
    readonly close: () => void,
  ) {}

  static async open(site: InlineSite): Promise<Terminal> {
    const bin = join(site.folder, "bin");
    mkdirSync(bin);
    const npx = await putPlayedNpx(bin, (args, place) => site.play(args, { ...place, ...agreeing() }));
    return new Terminal(site, bin, () => npx.close());
  }

  /** Pastes a command, which must end with `code`. Resolves to what it prints. */
  paste(command: string | undefined, code = 0): Promise<string> {
    if (command === undefined) throw new Error("the message has no such command");
    notePasted(command);
    const { program: cwd, env } = this.site;
    const path = [this.bin, process.env["PATH"]].join(delimiter);
    return new Promise((resolve, reject) =>
      execFile("sh", ["-c", command], { cwd, env: { ...env, PATH: path } }, (error, stdout, stderr) =>
        (error ? error.code : 0) === code
          ? resolve(stdout + stderr)
          : reject(new Error(`\`${command}\` ended with ${error?.code}:\n${stdout}${stderr}`)),
      ),
    );
  }
}
