#!/usr/bin/env node
import { unsupportedReason } from "../core/node-version";

// An older Node.js cannot even read the rest.
const refusal = unsupportedReason(process.versions.node);
if (refusal === undefined) void (require("./server") as typeof import("./server")).start();
else {
  process.stderr.write(`error: ${refusal}\n`);
  process.exitCode = 1;
}
