import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "./page";
import type { Shell } from "./shell";

/** What a block has come to. */
export interface BlockResult {
  block: Block;
  /** Of commands: what they printed, and the exit codes other than 0 that the page does not announce. */
  output: string;
  codes?: readonly number[];
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
      const announced = announcedIn(text);
      steps.push({ block, codes: codes.join() === announced.join() ? [] : codes, output });
      if (codes.join() !== announced.join()) return steps;
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

/** The exit codes that a block's comments announce. */
const announcedIn = (commands: string): number[] =>
  [...commands.matchAll(/#.*\bends with (\d+)/g)].map(([, code]) => Number(code));

/** `…` stands for anything; how many spaces there are counts for nothing. */
function patternOf(line: string): RegExp {
  const literal = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/ +/g, " +");
  return new RegExp(line.split("…").map(literal).join(".*"));
}
