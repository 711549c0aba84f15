import { createPalette, type Palette, wantsColour } from "../../engine/display/palette";
import type { CliContext } from "./context";

export const paletteOf = ({ env, stdout, colour }: CliContext): Palette =>
  createPalette(colour ?? wantsColour(env, stdout.isTTY));
