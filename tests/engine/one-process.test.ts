// First, so that the engine is read with its processes replaced.
import "../inline/processes";
import { playBoxes } from "./inline-boxes";
import { testProgram } from "./programs";

describe("a program of dynamic resources", () => testProgram(playBoxes));
