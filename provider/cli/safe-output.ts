import { disarm } from "../text/printable";
import type { CliContext, Output } from "./context";

/**
 * The same context, in which nothing reaches the terminal or the log of a runner unfiltered: whatever a service, a state or a file has
 * to say is shown and does nothing. Colours are for standard output and for what is drawn over.
 */
export const guarded = (context: CliContext): CliContext => ({
  ...context,
  stdout: safe(context.stdout, () => mayBeStyled(context)),
  stderr: safe(context.stderr, () => false),
  ask: (question, options) => context.ask(disarm(question), options),
  openCanvas: async (on) => {
    const canvas = await context.openCanvas(on);
    return { ...canvas, draw: (text) => canvas.draw(disarm(text, { styled: true })) };
  },
});

const mayBeStyled = ({ stdout, env }: CliContext): boolean =>
  !env["NO_COLOR"] && (stdout.isTTY || Boolean(env["FORCE_COLOR"]));

const safe = (output: Output, styled: () => boolean): Output => ({
  write: (text) => output.write(disarm(text, { styled: styled() })),
  get isTTY() {
    return output.isTTY;
  },
  get columns() {
    return output.columns;
  },
  get rows() {
    return output.rows;
  },
});
