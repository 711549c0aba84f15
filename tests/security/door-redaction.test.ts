import { redactionProbes } from "./doors/redaction";
import { runAll } from "./probe";

runAll(redactionProbes);
