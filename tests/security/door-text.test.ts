import { everyNth } from "../nightly";
import { textDoorProbes, writerProbes } from "./doors/text";
import { runAll } from "./probe";

// By day each text meets one of the writers, and each writer a third of the texts.
everyNth(3, 0, writerProbes, runAll);
runAll(textDoorProbes.filter((probe) => !writerProbes.includes(probe)));
