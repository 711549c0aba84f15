import { runAll } from "./probe";
import { checkoutProbes } from "./probes/checkout";

runAll(checkoutProbes);
