import { nameProbes } from "./doors/names";
import { runAll } from "./probe";

runAll(nameProbes);
