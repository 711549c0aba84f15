import { manifest } from "../../io/files/package";
import type { DriftReport } from "./document";

/** The tool that reports name as their author. */
export const thisTool = (): DriftReport["tool"] => ({ name: "modelplatform", version: manifest().version });
