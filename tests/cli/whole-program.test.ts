// First, so that the engine is read with its processes replaced.
import "../inline/processes";
import { embeddedEngine } from "../../cli/operation/embedded-engine";
import { playBoxes } from "../engine/inline-boxes";
import { environmentOf } from "../engine/runners";
import { modelplatform } from "./terminal";
import { liveThrough } from "./whole-program";

test("a program goes up, drifts, is healed and destroyed, and the exit codes tell", () =>
  liveThrough(
    (workshop, line) =>
      modelplatform(line, {
        cwd: workshop.program,
        env: environmentOf(workshop),
        engine: () => Promise.resolve(embeddedEngine()),
      }),
    playBoxes,
  ));
