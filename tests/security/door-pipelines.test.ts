import { pipelineProbes } from "./doors/pipelines";
import { runAll } from "./probe";

runAll(pipelineProbes);
