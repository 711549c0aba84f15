import { spawn } from "node:child_process";

/** A shell as a person has one, to which a page's blocks are given one after the other. */
export class Shell {
  private readonly child;
  private seen = "";
  private readonly waiting = new Set<() => void>();

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn("bash", ["--noprofile", "--norc"], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on("data", (chunk: Buffer) => {
        this.seen += chunk.toString("utf8");
        for (const look of this.waiting) look();
      });
    // Jobs are process groups, as they are at a terminal.
    this.child.stdin.write("set -m\ntrap 'failed=\"$failed $?\"' ERR\n");
  }

  /** Runs `text` in the shell to its end. `codes`: those of the commands that did not end with 0. */
  async run(text: string): Promise<{ codes: number[]; output: string; cwd: string }> {
    const [begin, mark] = [this.seen.length, `end-of-${this.seen.length}`];
    // What the commands start may not touch the pipe that the shell reads from; jobs that have ended are forgotten, as
    // they are at a prompt, so that the next one is number 1 again.
    this.child.stdin.write(
      `failed=\n{\n${text}\n} < /dev/null\njobs > /dev/null\nprintf '\\n%s "%s" %s\\n' ${mark} "$failed" "$PWD"\n`,
    );
    const end = new RegExp(`^(.*)\\n${mark} "([\\d ]*)" (.*)\\n`, "s");
    const [, output = "", failed = "", cwd = ""] = await this.until(begin, end);
    return { codes: failed.split(" ").filter(Boolean).map(Number), output, cwd };
  }

  /** Resolves once what has been printed from `begin` on matches; only the test's own time limit ends it otherwise. */
  until(begin: number, pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = pattern.exec(this.seen.slice(begin));
        if (!found) return;
        this.waiting.delete(look);
        resolve(found);
      };
      this.waiting.add(look);
      look();
    });
  }

  get printed(): number {
    return this.seen.length;
  }

  get everything(): string {
    return this.seen;
  }

  /** Ends the shell and what it still runs in the background. */
  close(): void {
    this.child.stdin.end("kill $(jobs -p) 2>/dev/null\nexit\n");
  }
}
