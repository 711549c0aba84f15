import { fileDoorProbes } from "./doors/files";
import { runAll } from "./probe";

runAll(fileDoorProbes);
