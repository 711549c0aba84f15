import { Session } from "node:inspector/promises";
import { pathToFileURL } from "node:url";

/** The names of the functions that ran, by their files: paths of modules below the folder. */
export type Hops = ReadonlyMap<string, readonly string[]>;

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
        return [url.slice(this.prefix.length), called.map(({ functionName }) => functionName)] as const;
      });
    return new Map(ran.filter(([, functions]) => functions.length > 0));
  }

  stop(): void {
    this.session.disconnect();
  }
}

const isTopLevel = ({ functionName, ranges }: { functionName: string; ranges: { startOffset: number }[] }): boolean =>
  functionName === "" && ranges[0]!.startOffset === 0;
