import { runAll } from "./probe";
import { textProbes } from "./probes/text";

runAll(textProbes);
