import { settled, surroundings } from "./machine";
import { findMarks, type Place, writeAt } from "./page";

/** Whether texts go into their pages. */
const writes = process.env["PAGE"] === "write";

export type Written = Place & { text: string };

/**
 * One run of a bench. All rows of its tables are of this run. What it had no time for, or what failed, it names and ends
 * with 1, and its pages stay as they are.
 */
export class BenchRun {
  private readonly notRun: string[] = [];
  private readonly problems: string[] = [];

  constructor(
    readonly about: string,
    /** When no other part begins. */
    private readonly ends: number,
    private readonly clock: { now(): number } = performance,
  ) {}

  /** Begins once the machine is idle, where pages are to be written. `BUDGET` is in minutes. */
  static async begin(...places: readonly Place[]): Promise<BenchRun> {
    const ends = performance.now() + Number(process.env["BUDGET"] ?? 600) * 60_000;
    if (writes) {
      places.forEach(findMarks);
      await settled();
    }
    return new BenchRun(surroundings(), ends);
  }

  /** Runs a part, if there is time; undefined where it did not run, or not to its end. */
  async part<Result>(title: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.clock.now() >= this.ends) return this.skip(title, "no time was left");
    try {
      return await work();
    } catch (error) {
      return this.skip(title, (error as Error).message);
    }
  }

  private skip(title: string, reason: string): undefined {
    this.notRun.push(`${title}: ${reason}`);
    console.error(`did not run: ${title}: ${reason}`);
  }

  /** A target that a figure is above. */
  hold(what: string, figure: number, most: number): void {
    const line = `${what}: ${figure.toFixed(2)} times, at most ${most}`;
    console.log(line);
    if (!(figure <= most)) this.problems.push(`Above its target: ${line}`);
  }

  /** Prints the texts and, where they are whole, writes them. */
  end(written: readonly Written[]): void {
    console.log(written.map(({ text }) => text).join("\n\n"));
    if (this.notRun.length === 0 && writes) for (const each of written) writeAt(each, each.text);
    const notRun = this.notRun.map((part) => `Did not run: ${part}`);
    for (const line of [...notRun, ...this.problems]) console.log(line);
    if (notRun.length > 0 && writes) console.log("The page stays as it is.");
    if (notRun.length + this.problems.length > 0) process.exitCode = 1;
  }
}
