import { runAll } from "./probe";
import { checkoutProbes } from "./probes/checkout";
import { fileProbes } from "./probes/files";
import { stackExportProbes } from "./probes/stack-export";

runAll([...checkoutProbes, ...stackExportProbes, ...fileProbes]);
