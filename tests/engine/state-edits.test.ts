// First, so that the engine is read with its processes replaced.
import "../matrix/in-process";
import { playBoxes } from "./inline-boxes";
import { StateEdits, testStateEdits } from "./state-edits";

const edits = new StateEdits(playBoxes);
beforeAll(() => edits.begin());
afterAll(edits.end);

testStateEdits(edits);
