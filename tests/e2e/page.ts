import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a page has its reader do, in order. */
export type Block =
  | { kind: "commands"; text: string }
  /** `name`, relative to where the commands have led. */
  | { kind: "file"; name: string; text: string }
  /** What the commands before it print; `…` stands for anything. */
  | { kind: "output"; text: string };

const fence = /^```(\w+)\n(.*?)^```$/gms;

/** The fenced blocks of a page. A file's name stands in the paragraph before it, as the first thing in backticks. */
export function blocksOf(path: string): Block[] {
  const page = readFileSync(path, "utf8");
  return [...page.matchAll(fence)].map(({ 1: language = "", 2: text = "", index }) => {
    if (language === "sh") return { kind: "commands", text };
    if (language === "text") return { kind: "output", text };
    const paragraph = page.slice(0, index).trimEnd().split("\n\n").at(-1) ?? "";
    const name = /`([^`]+)`/.exec(paragraph)?.[1];
    if (name === undefined) throw new Error(`the page does not say what file this is:\n${text}`);
    return { kind: "file", name, text };
  });
}

/** What a block has come to. */
export interface BlockResult {
  block: Block;
  /** Of commands: the exit code of the last one, and what they printed. */
  code?: number;
  output: string;
  /** Of an output: lines of it that were not printed. */
  missing?: readonly string[];
}

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
    this.child.stdin.write("set -m\n");
  }

  /** Runs `text` in the shell to its end. */
  async run(text: string): Promise<{ code: number; output: string; cwd: string }> {
    const [begin, mark] = [this.seen.length, `end-of-${this.seen.length}`];
    // What the commands start may not touch the pipe that the shell reads from.
    this.child.stdin.write(`{\n${text}\n} < /dev/null\nprintf '\\n%s %s %s\\n' ${mark} $? "$PWD"\n`);
    const [, output = "", code, cwd = ""] = await this.until(begin, new RegExp(`^(.*)\\n${mark} (\\d+) (.*)\\n`, "s"));
    return { code: Number(code), output, cwd };
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

  close(): void {
    this.child.stdin.end("kill %1 2>/dev/null\nexit\n");
  }
}

/** Does what a page says, to the first command that fails. `shows`: whether the page says what these commands print. */
export async function follow(
  blocks: readonly Block[],
  shell: Shell,
  { change, shows }: { change(text: string): string; shows(commands: string): boolean },
): Promise<BlockResult[]> {
  const steps: BlockResult[] = [];
  let [cwd, begin, commands] = ["", 0, ""];
  for (const block of blocks) {
    const text = change(block.text);
    if (block.kind === "commands") {
      [begin, commands] = [shell.printed, text];
      const { code, output, ...after } = await shell.run(text);
      cwd = after.cwd;
      steps.push({ block, code, output });
      if (code !== 0) return steps;
    } else if (block.kind === "file") {
      writeFileSync(join(cwd, block.name), text);
      steps.push({ block, output: "" });
    } else if (shows(commands)) {
      const lines = text.trimEnd().split("\n").map(patternOf);
      // What runs on in the background may not have said it yet.
      if (commands.trimEnd().endsWith("&")) for (const line of lines) await shell.until(begin, line);
      const output = shell.everything.slice(begin);
      steps.push({ block, output, missing: lines.filter((line) => !line.test(output)).map(String) });
    }
  }
  return steps;
}

/** `…` stands for anything; how many spaces there are counts for nothing. */
function patternOf(line: string): RegExp {
  const literal = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ +/g, " +");
  return new RegExp(line.split("…").map(literal).join(".*"));
}
