import { checkoutDoorProbes } from "./doors/checkout";
import { runAll } from "./probe";

runAll(checkoutDoorProbes);
