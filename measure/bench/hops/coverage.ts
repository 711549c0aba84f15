import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Functions that ran: those that a reader has to open, and the rest. */
export interface RanFunctions {
  /** Those that have a name and more than three lines. */
  named: number;
  /** Closures, and functions of up to three lines. */
  small: number;
}

/** By their files: paths of modules below the folder. */
export type Hops = ReadonlyMap<string, RanFunctions>;

/** Counts what runs of the modules below a folder. Modules loaded before are not counted rightly. */
export class FunctionCounter {
  private readonly session = new Session();
  private readonly prefix: string;

  private constructor(folder: string) {
    this.session.connect();
    this.prefix = `${pathToFileURL(folder).href}/`;
  }

  static async start(folder: string): Promise<FunctionCounter> {
    const counter = new FunctionCounter(folder);
    await counter.session.post("Profiler.enable");
    await counter.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    return counter;
  }

  /** Files and distinct functions that run until `work` has answered; not the modules' top level. */
  async during(work: () => Promise<unknown>): Promise<Hops> {
    await this.session.post("Profiler.takePreciseCoverage");
    await work();
    const { result } = await this.session.post("Profiler.takePreciseCoverage");
    const ran = result
      .filter(({ url }) => url.startsWith(this.prefix))
      .map(({ url, functions }) => {
        const called = functions.filter((each) => !isTopLevel(each) && each.ranges[0]!.count > 0);
        const named = called.filter((each) => each.functionName !== "" && linesOf(url, each.ranges[0]!) > 3).length;
        return [url.slice(this.prefix.length), { named, small: called.length - named }] as const;
      });
    return new Map(ran.filter(([, { named, small }]) => named + small > 0));
  }

  stop(): void {
    this.session.disconnect();
  }
}

const isTopLevel = ({ functionName, ranges }: { functionName: string; ranges: { startOffset: number }[] }): boolean =>
  functionName === "" && ranges[0]!.startOffset === 0;

const texts = new Map<string, string>();

function linesOf(url: string, { startOffset, endOffset }: { startOffset: number; endOffset: number }): number {
  if (!texts.has(url)) texts.set(url, readFileSync(fileURLToPath(url), "utf8"));
  return texts.get(url)!.slice(startOffset, endOffset).split("\n").length;
}
