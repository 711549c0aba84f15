import { engineProbes } from "./doors/engine";
import { runAll } from "./probe";

runAll(engineProbes);
