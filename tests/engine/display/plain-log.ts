import { createPlainDisplay } from "../../../engine/display/display";
import { createPalette } from "../../../engine/display/text";
import type { EngineEvent } from "../../../engine/events";
import { ManualClock, noon } from "./script";

/** What a display without a terminal prints of events, on a clock that follows them. */
export function log({ diff = false, width = 80 } = {}) {
  const clock = new ManualClock();
  const out = { text: "" };
  const display = createPlainDisplay({
    write: (written) => (out.text += written),
    palette: createPalette(false),
    size: () => ({ width, height: 24 }),
    clock,
    diff,
  });
  const play = (events: EngineEvent[], until = 0) => {
    for (const event of events) {
      clock.advance(Math.max(0, event.time - clock.now()));
      display.onEvent(event);
    }
    clock.advance(Math.max(0, noon + until * 1000 - clock.now()));
  };
  return { clock, out, display, play };
}
