import { checkoutDoorProbes } from "./doors/checkout";
import { runDoor } from "./doors/run";

runDoor(checkoutDoorProbes);
