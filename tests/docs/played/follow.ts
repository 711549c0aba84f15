import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "./page";
import type { Shell } from "./shell";

/** What a block has come to. */
export interface BlockResult {
  block: Block;
  /** Of commands: what they printed, and the exit codes other than 0 that the page does not announce. */
  output: string;
  codes?: readonly (number | "none")[];
  /** Of an output: lines of it that were not printed. */
  missing?: readonly string[];
}

export interface Reader {
  /** Commands as this reader types them. */
  change(text: string): string;
  /** Whether the page says what these commands print. */
  shows(commands: string): boolean;
  hasCli: boolean;
}

/** Does what a page says, to the first block that fails. */
export async function follow(
  blocks: readonly Block[],
  shell: Shell,
  { change, shows, hasCli }: Reader,
): Promise<BlockResult[]> {
  const steps: BlockResult[] = [];
  let [cwd, begin, commands] = ["", 0, ""];
  for (const block of blocks) {
    const text = change(block.text);
    if (block.kind === "commands" || (block.kind === "cli commands" && hasCli)) {
      [begin, commands] = [shell.printed, text];
      const { codes, output, ...after } = await shell.run(text);
      cwd = after.cwd;
      const unexpected = unexpectedIn(text, codes);
      steps.push({ block, codes: unexpected, output });
      if (unexpected.length > 0) return steps;
    } else if (block.kind === "file") {
      writeFileSync(join(cwd, block.name), text);
      steps.push({ block, output: "" });
    } else if (block.kind === "output" && shows(commands)) {
      const lines = text.trimEnd().split("\n").map(patternOf);
      // What runs on in the background may not have said it yet.
      if (commands.trimEnd().endsWith("&")) for (const line of lines) await shell.until(begin, line);
      const output = shell.everything.slice(begin);
      steps.push({ block, output, missing: lines.filter((line) => !line.test(output)).map(String) });
    }
  }
  return steps;
}

/** Codes that the comments of a block do not announce, or `none` where they announce one and the commands end well. */
function unexpectedIn(commands: string, codes: readonly number[]): (number | "none")[] {
  const announced = [...commands.matchAll(/#.*\bends with (\d+)/g)].map(([, code]) => Number(code));
  if (codes.join() === announced.join()) return [];
  return codes.length > 0 ? [...codes] : ["none"];
}

/** `…` stands for anything; how many spaces there are counts for nothing. */
function patternOf(line: string): RegExp {
  const literal = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ +/g, " +");
  return new RegExp(line.split("…").map(literal).join(".*"));
}
