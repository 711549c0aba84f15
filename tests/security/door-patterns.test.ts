import { patternProbes } from "./doors/patterns";
import { runDoor } from "./doors/run";

runDoor(patternProbes);
