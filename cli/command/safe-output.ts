import { disarm } from "../../io/text/printable";
import type { CliContext, Output } from "./context";

/**
 * The same context, in which nothing reaches the terminal or the log of a runner unfiltered: whatever a service, a
 * state or a file has to say is shown and does nothing. Colours are for standard output, for what is drawn over, and
 * for `error:`.
 */
export function guarded(given: CliContext): CliContext {
  const context: CliContext = {
    ...given,
    stdout: safe(given.stdout, () => mayBeStyled(context)),
    stderr: marked(given.stderr, () => isErrorColoured(context)),
    ask: (question, options) => given.ask(disarm(question), options),
    openCanvas: async (on) => {
      const canvas = await given.openCanvas(on);
      return { ...canvas, draw: (text) => canvas.draw(disarm(text, { styled: true })) };
    },
  };
  return context;
}

/** Standard error with `error:` at the beginning of what is written in red, which no text from elsewhere can do. */
const marked = (raw: Output, isColoured: () => boolean): Output => {
  const output = safe(raw, () => false);
  return seenAs(raw, (text) => {
    const [mark] = /^error:/.exec(text) ?? [];
    if (mark === undefined || !isColoured()) return output.write(text);
    raw.write(red(mark));
    output.write(text.slice(mark.length));
  });
};

/** Whether what stands there can be drawn over. */
export const isDrawable = (
  output: Output,
  { env, nonInteractive }: Pick<CliContext, "env" | "nonInteractive">,
): boolean => output.isTTY && !nonInteractive && env["TERM"] !== "dumb";

const red = (text: string): string => `\u001b[1;31m${text}\u001b[0m`;

/** Whether standard error is a terminal that people read, or colours are asked for. */
const isErrorColoured = ({ stderr, env, colour }: CliContext): boolean =>
  colour ?? (!env["NO_COLOR"] && env["TERM"] !== "dumb" && (stderr.isTTY || Number(env["FORCE_COLOR"] || 0) > 0));

/** The flag for colours comes first: it is known once the command line is parsed. */
const mayBeStyled = ({ stdout, env, colour }: CliContext): boolean =>
  colour ?? (!env["NO_COLOR"] && (stdout.isTTY || Boolean(env["FORCE_COLOR"])));

const safe = (output: Output, styled: () => boolean): Output =>
  seenAs(output, (text) => output.write(disarm(text, { styled: styled() })));

/** The same terminal or pipe, to which something else writes. */
export const seenAs = (output: Output, write: Output["write"]): Output => ({
  write,
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
