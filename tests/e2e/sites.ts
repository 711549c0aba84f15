// First, so that the engine is read with its processes replaced.
import { InlineSite } from "../matrix/inline-site";
import { nightly } from "../nightly";
import { onEachEngine } from "./engines";
import { Site, type SiteOptions } from "./site";

/** Opens a site of its own for a test. */
export type OpenSite = (options?: SiteOptions) => Promise<Site>;

/**
 * The same tests on the built-in engine with its processes played in this one, which every run does, and on each engine
 * with real processes. For what does not depend on where one process ends and the next begins.
 */
export function onEachSite(tests: (open: OpenSite) => void): void {
  describe("on the built-in engine, in one process", () => tests((options) => InlineSite.start(options)));
  nightly("each command starts three processes; the built-in engine plays the same in one", () =>
    onEachEngine((engine) => tests((options) => Site.open(engine, options))),
  );
}
