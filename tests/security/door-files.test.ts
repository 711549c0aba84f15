import { fileDoorProbes } from "./doors/files";
import { runDoor } from "./doors/run";

runDoor(fileDoorProbes);
