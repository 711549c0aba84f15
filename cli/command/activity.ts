import type { CliContext, Output } from "./context";
import { isDrawable, withWriter } from "./safe-output";

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
/** Milliseconds between two frames. */
const interval = 100;
/** Seconds for which nobody wonders how long it takes. */
const unnoticed = 2;

/**
 * Says on standard error what a command does while it has nothing to show yet: a line that is drawn over on a terminal,
 * until something else is written there; one line elsewhere.
 */
export class Activity {
  private erase: (() => void) | undefined;

  /** `context` is what it is drawn on. */
  constructor(private readonly context: Pick<CliContext, "stderr" | "env" | "clock">) {}

  /** What of a context writes or asks, so that it ends the activity first. */
  endedBy({ stdout, stderr, prompt, openCanvas }: CliContext): Partial<CliContext> {
    const end = (): void => this.end();
    return {
      stdout: endOnWrite(stdout, end),
      stderr: endOnWrite(stderr, end),
      prompt: (question, options) => {
        end();
        return prompt(question, options);
      },
      // It takes a while until there is something to draw.
      openCanvas: async (on) => {
        const canvas = await openCanvas(on);
        return {
          draw: (text) => {
            end();
            canvas.draw(text);
          },
          erase: () => {
            end();
            canvas.erase();
          },
        };
      },
    };
  }

  begin(words: string, { nonInteractive = false } = {}): void {
    const { stderr, env, clock } = this.context;
    if (!isDrawable(stderr, { env, nonInteractive })) return stderr.write(`${words} …\n`);
    const begun = clock.now();
    let frame = 0;
    const draw = (): void => {
      const seconds = Math.floor((clock.now() - begun) / 1000);
      const elapsed = seconds < unnoticed ? "" : `  ${seconds}s`;
      stderr.write(`\r\u001b[K${frames[frame++ % frames.length]} ${words} …${elapsed}`);
    };
    draw();
    const stop = clock.every(interval, draw);
    this.erase = () => {
      stop();
      stderr.write("\r\u001b[K");
    };
  }

  end(): void {
    this.erase?.();
    this.erase = undefined;
  }
}

const endOnWrite = (output: Output, end: () => void): Output =>
  withWriter(output, (text) => {
    end();
    output.write(text);
  });
