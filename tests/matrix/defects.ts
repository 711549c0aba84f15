import type { Command } from "./commands";
import type { Subject } from "./subject";

/** A cell in which the product does not yet do what the model says. */
export interface Defect {
  command: string;
  fate: string;
  variant: string;
  reason: string;
}

/**
 * Red, and known to be: the suite fails when another cell turns red, and when one of these
 * turns green, which is struck from here then.
 */
export const defects: readonly Defect[] = [];

export const defectOf = ({ title }: Command, { fate, variant }: Subject): Defect | undefined =>
  defects.find((each) => each.command === title && each.fate === fate.title && each.variant === variant.title);
