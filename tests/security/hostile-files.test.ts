import { runAll } from "./probe";
import { checkoutProbes } from "./probes/checkout";
import { fileProbes } from "./probes/files";

runAll([...checkoutProbes, ...fileProbes]);
