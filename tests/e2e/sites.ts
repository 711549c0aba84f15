// First, so that the engine is read with its processes replaced.
import { join } from "node:path";
import { InlineSite } from "../inline/site";
import { isNightly, nightly } from "../nightly";
import { type Ended, start } from "./commands";
import { builtIn, type Engine, onEachEngine } from "./engines";
import { Site, type SiteOptions } from "./site";

/** Opens a site of its own for a test. */
export type OpenSite = (options?: SiteOptions) => Promise<Site>;

/**
 * The same tests on the built-in engine with its processes run in this one, which every run does, and on each engine
 * with real processes. For what does not depend on where one process ends and the next begins.
 */
export function onEachSite(tests: (open: OpenSite) => void): void {
  describe("on the built-in engine, in one process", () => tests((options) => InlineSite.start(options)));
  nightly("each command starts three processes; the built-in engine runs the same in one", () =>
    onEachEngine((engine) => tests((options) => Site.open(engine, options))),
  );
}

/**
 * A site for tests of processes that are struck: those of what is given to `start` are real ones. What is given to
 * `run` and `expect` is to look at what they have left, and runs in this process but for the nightly run.
 */
export const openForProcesses = (engine: Engine, options: SiteOptions = {}): Promise<Site> =>
  engine.isBuiltIn && !isNightly ? InlineSite.start(options, Date.now()) : Site.open(engine, options);

/** Runs a command of this package as it is, beside whichever engine runs the program: where `site` runs its own. */
export async function runAsIs(site: Site, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const place = { cwd: site.program, env: { ...site.env, ...env } as Record<string, string> };
  if (site instanceof InlineSite) return site.play(args, place);
  return start(builtIn, args, { ...place, rollCall: join(site.folder, "processes") }).ended;
}
