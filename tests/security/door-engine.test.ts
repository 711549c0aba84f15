import { engineProbes } from "./doors/engine";
import { runDoor } from "./doors/run";

runDoor(engineProbes);
