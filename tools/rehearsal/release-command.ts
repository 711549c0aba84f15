import { join } from "node:path";
import { packageRoot } from "../../io/files/package";

/** The command line that builds a release and publishes it, as the workflow of a release runs it. */
export const releaseCommand: readonly string[] = [join(packageRoot, "dist", "tools", "release.js")];
