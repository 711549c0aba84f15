import { redactionProbes } from "./doors/redaction";
import { runDoor } from "./doors/run";

runDoor(redactionProbes);
