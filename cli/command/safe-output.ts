import { sanitizeOutput } from "../../io/text/printable";
import type { CliContext, Output } from "./context";

/**
 * The same context, in which nothing reaches the terminal or the log of a runner unfiltered: control characters in the
 * text of a service, a state or a file have no effect. Colours are for standard output, for what is redrawn, and for
 * `error:`.
 */
export function withSafeOutput(unsafeContext: CliContext): CliContext {
  const context: CliContext = {
    ...unsafeContext,
    stdout: filterOutput(unsafeContext.stdout, () => mayBeStyled(context)),
    stderr: withErrorColour(unsafeContext.stderr, () => isErrorColoured(context)),
    prompt: (question, options) => unsafeContext.prompt(sanitizeOutput(question), options),
    openCanvas: async (on) => {
      const canvas = await unsafeContext.openCanvas(on);
      return { ...canvas, draw: (text) => canvas.draw(sanitizeOutput(text, { styled: true })) };
    },
  };
  return context;
}

/** Standard error with `error:` at the beginning of what is written in red, which no text from elsewhere can do. */
const withErrorColour = (raw: Output, isColoured: () => boolean): Output => {
  const output = filterOutput(raw, () => false);
  return withWriter(raw, (text) => {
    const [mark] = /^error:/.exec(text) ?? [];
    if (mark === undefined || !isColoured()) return output.write(text);
    raw.write(red(mark));
    output.write(text.slice(mark.length));
  });
};

/** Whether the output is a terminal that can be redrawn. */
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

const filterOutput = (output: Output, styled: () => boolean): Output =>
  withWriter(output, (text) => output.write(sanitizeOutput(text, { styled: styled() })));

/** The same terminal or pipe, to which something else writes. */
export const withWriter = (output: Output, write: Output["write"]): Output => ({
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
