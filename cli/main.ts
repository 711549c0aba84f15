#!/usr/bin/env node
import { unsupportedReason } from "../provider/core/node-version";

/** Modules ask for the folder of work as they are loaded. */
function missingFolderReason(): string | undefined {
  try {
    process.cwd();
    return undefined;
  } catch (_gone) {
    return "the folder that the command was started in is gone. Change to one that exists.";
  }
}

// An older Node.js cannot even read the rest.
const unsupported = unsupportedReason(process.versions.node);
const refusal = unsupported === undefined ? missingFolderReason() : unsupported;
if (refusal === undefined) (require("./start") as typeof import("./start")).start();
else {
  process.stderr.write(`error: ${refusal}\n`);
  process.exitCode = 1;
}
