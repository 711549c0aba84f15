import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DriftReport } from "./document";

/** The tool that reports name as their author. */
export function thisTool(): DriftReport["tool"] {
  const { version } = JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as {
    version: string;
  };
  return { name: "modelplatform", version };
}
