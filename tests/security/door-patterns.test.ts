import { patternProbes } from "./doors/patterns";
import { runAll } from "./probe";

runAll(patternProbes);
