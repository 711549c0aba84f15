import { manifest } from "../../io/files/package";
import type { DriftReport } from "./document";

/** The tool that reports name as their author. */
export function thisTool(): DriftReport["tool"] {
  return { name: "modelplatform", version: manifest().version };
}
