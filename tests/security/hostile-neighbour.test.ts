import { runAll } from "./probe";
import { neighbourProbes } from "./probes/neighbour";

runAll(neighbourProbes);
