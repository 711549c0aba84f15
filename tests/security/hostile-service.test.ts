import { runAll } from "./probe";
import { serviceProbes } from "./probes/service";

runAll(serviceProbes);
