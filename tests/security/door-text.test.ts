import { runDoor } from "./doors/run";
import { textDoorProbes } from "./doors/text";

runDoor(textDoorProbes);
