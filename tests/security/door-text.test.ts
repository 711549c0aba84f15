import { textDoorProbes } from "./doors/text";
import { runAll } from "./probe";

runAll(textDoorProbes);
