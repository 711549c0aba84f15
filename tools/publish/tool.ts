import { spawn } from "node:child_process";

/** A program that ended with an error, or could not be started. */
export class ToolError extends Error {
  override readonly name = "ToolError";

  constructor(
    command: string,
    /** Everything that it printed. */
    readonly output: string,
    reason: string,
  ) {
    super(`\`${command}\` ${reason}`);
  }
}

interface ToolOptions {
  cwd?: string;
  /** Variables in addition to those of this process. */
  env?: Readonly<Record<string, string>>;
  /** Arguments that no message may show. */
  secret?: readonly string[];
}

/** Starts a program, and resolves to its standard output. */
export type Tool = (command: string, args: readonly string[], options?: ToolOptions) => Promise<string>;

const lastLines = (text: string, count: number): string => text.trimEnd().split("\n").slice(-count).join("\n");

/** Programs with this environment, whose output must not show its secrets. */
export function toolWith(env: Readonly<Record<string, string | undefined>>, mask: (text: string) => string): Tool {
  return (command, args, options = {}) =>
    new Promise((resolve, reject) => {
      const line = mask([command, ...args].join(" "));
      const child = spawn(command, [...args, ...(options.secret ?? [])], {
        ...(options.cwd !== undefined && { cwd: options.cwd }),
        env: { ...env, ...options.env },
        stdio: ["ignore", "pipe", "pipe"],
        // There, `npm` is a batch file.
        shell: process.platform === "win32",
      });
      const [printed, all]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on("data", (chunk: Buffer) => {
        printed.push(chunk);
        all.push(chunk);
      });
      child.stderr.on("data", (chunk: Buffer) => all.push(chunk));
      child.on("error", (error: NodeJS.ErrnoException) =>
        reject(
          new ToolError(
            line,
            "",
            error.code === "ENOENT"
              ? `cannot start: \`${command}\` is not on the PATH; install it`
              : `cannot start: ${error.message}`,
          ),
        ),
      );
      child.on("close", (code, signal) => {
        const output = mask(Buffer.concat(all).toString());
        if (code === 0) resolve(Buffer.concat(printed).toString());
        else reject(new ToolError(line, output, `ended with ${code ?? signal}:\n${lastLines(output, 12)}`));
      });
    });
}
