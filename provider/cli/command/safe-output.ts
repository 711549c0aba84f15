import { disarm } from "../../text/printable";
import type { CliContext, Output } from "./context";

/**
 * The same context, in which nothing reaches the terminal or the log of a runner unfiltered: whatever a service, a
 * state or a file has to say is shown and does nothing. Colours are for standard output and for what is drawn over.
 */
export function guarded(given: CliContext): CliContext {
  const context: CliContext = {
    ...given,
    stdout: safe(given.stdout, () => mayBeStyled(context)),
    stderr: safe(given.stderr, () => false),
    ask: (question, options) => given.ask(disarm(question), options),
    openCanvas: async (on) => {
      const canvas = await given.openCanvas(on);
      return { ...canvas, draw: (text) => canvas.draw(disarm(text, { styled: true })) };
    },
  };
  return context;
}

/** The flag for colours comes first: it is known once the command line is parsed. */
const mayBeStyled = ({ stdout, env, colour }: CliContext): boolean =>
  colour ?? (!env["NO_COLOR"] && (stdout.isTTY || Boolean(env["FORCE_COLOR"])));

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
