import fc from "fast-check";
import type { Draw } from "../../core/answering-service";

/** Draws the same values for the same seed. Nothing is made smaller afterwards: that takes minutes, and this none. */
export const drawingFrom = (seed: number): Draw => fc.sample(fc.gen(), { seed, numRuns: 1 })[0]!;
