import { pipelineProbes } from "./doors/pipelines";
import { runDoor } from "./doors/run";

runDoor(pipelineProbes);
