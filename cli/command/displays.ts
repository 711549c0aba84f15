import type { Display } from "../../engine/display/display";
import { createJsonDisplay } from "../../engine/display/json-lines";
import { createLiveDisplay } from "../../engine/display/live";
import { createPlainDisplay } from "../../engine/display/plain";
import type { CliContext } from "./context";
import { paletteOf } from "./palette";
import { isDrawable } from "./safe-output";

/** Whether an operation is shown in place. */
export const isLive = (context: CliContext): boolean => isDrawable(context.stdout, context);

/** JSON lines on request, a live table on a capable terminal, plain lines elsewhere. */
export async function openDisplay(
  context: CliContext,
  { json, ...given }: { json: boolean; diff: boolean; expectsNoChanges: boolean },
): Promise<Display> {
  const { stdout, clock } = context;
  const write = (text: string) => stdout.write(text);
  if (json) return createJsonDisplay(write, clock);
  const size = () => ({ width: stdout.columns, height: stdout.rows });
  const options = { write, palette: paletteOf(context), size, clock, ...given };
  return isLive(context) ? createLiveDisplay(options, await context.openCanvas()) : createPlainDisplay(options);
}
