// First, so that the engine is read with its processes replaced.
import { join } from "node:path";
import { InlineSite } from "../inline/site";
import { isNightly, nightly } from "../nightly";
import { type Ended, start } from "./commands";
import { builtIn, type Engine, onTheCli, pulumiCli } from "./engines";
import { Site, type SiteOptions } from "./site";

/** Opens a site of its own for a test. */
export type OpenSite = (options?: SiteOptions) => Promise<Site>;

/** A site where nothing is struck: the built-in engine's processes run in this one. */
export const openSite = (engine: Engine, options: SiteOptions = {}): Promise<Site> =>
  engine.isBuiltIn ? InlineSite.start(options) : Site.open(engine, options);

/**
 * A site for tests of processes that are struck: those of what is given to `start` are real ones. What is given to
 * `run` and `expect` is to look at what they have left, and runs in this process but for the nightly run.
 */
export const openToStrike = (engine: Engine, options: SiteOptions = {}): Promise<Site> =>
  engine.isBuiltIn && !isNightly ? InlineSite.start(options, Date.now()) : Site.open(engine, options);

/**
 * The same tests on the built-in engine with its processes run in this one, and at night on the Pulumi CLI. For what
 * does not depend on where one process ends and the next begins.
 */
export function onEachSite(tests: (open: OpenSite) => void): void {
  describe("on the built-in engine, in one process", () => tests((options) => openSite(builtIn, options)));
  nightly("each command of the Pulumi CLI starts four processes", () =>
    onTheCli(() => tests((options) => openSite(pulumiCli, options))),
  );
}

/** The same, and at night with the processes of the built-in engine, too: for a few that show what those add. */
export function onEachDoor(tests: (open: OpenSite) => void): void {
  onEachSite(tests);
  nightly("each command starts three processes; the built-in engine runs the same in one", () =>
    describe(`on ${builtIn.title}`, () => tests((options) => Site.open(builtIn, options))),
  );
}

/** Runs a command of this package as it is, beside whichever engine runs the program: where `site` runs its own. */
export async function runAsIs(site: Site, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const place = { cwd: site.program, env: { ...site.env, ...env } as Record<string, string> };
  if (site instanceof InlineSite) return site.play(args, place);
  return start(builtIn, args, { ...place, rollCall: join(site.folder, "processes") }).ended;
}
