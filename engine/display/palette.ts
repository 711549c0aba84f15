import { createColors } from "picocolors";
import type { Op } from "../events";

export type Paint = (text: string) => string;

/** Colours by meaning. Colour never carries information alone. */
export interface Palette {
  plain: Paint;
  title: Paint;
  faint: Paint;
  add: Paint;
  change: Paint;
  remove: Paint;
  replace: Paint;
  good: Paint;
  warning: Paint;
  error: Paint;
  heading: Paint;
}

export function createPalette(coloured: boolean): Palette {
  const colors = createColors(coloured);
  return {
    plain: (text) => text,
    title: colors.bold,
    faint: colors.dim,
    add: colors.green,
    change: colors.yellow,
    remove: colors.red,
    replace: colors.magenta,
    good: colors.green,
    warning: colors.yellow,
    error: (text) => colors.bold(colors.red(text)),
    heading: (text) => colors.bold(colors.cyan(text)),
  };
}

const paints: { [op in Op]: keyof Palette } = {
  same: "plain",
  create: "add",
  update: "change",
  delete: "remove",
  replace: "replace",
  "create-replacement": "replace",
  "delete-replaced": "replace",
  read: "plain",
  discard: "plain",
  refresh: "change",
  import: "add",
};

export const paintOf = (palette: Palette, op: Op): Paint => palette[paints[op]];

/** NO_COLOR and FORCE_COLOR as their conventions say (empty means unset); TERM=dumb has no colours. */
export function wantsColour(env: { [name: string]: string | undefined }, isTTY: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0";
  return isTTY && env["TERM"] !== "dumb";
}
