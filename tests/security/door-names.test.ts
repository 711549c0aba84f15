import { nameProbes } from "./doors/names";
import { runDoor } from "./doors/run";

runDoor(nameProbes);
