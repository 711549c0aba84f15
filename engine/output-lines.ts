import { disarm } from "../io/text/printable";
import { createPalette } from "./display/palette";
import { createPlainDisplay } from "./display/plain";
import type { EngineEvent } from "./events";

interface OutputSettings {
  onEvent?: (event: EngineEvent) => void;
  /** The operation as lines of text, without colours. */
  onOutput?: (text: string) => void;
  diff?: boolean;
}

/** Forwards events, also as lines of text for callers that want those. */
export function plainOutput({ onEvent, onOutput, diff = false }: OutputSettings): {
  emit: (event: EngineEvent) => void;
  close(): void;
} {
  if (onOutput === undefined) return { emit: (event) => onEvent?.(event), close: () => undefined };
  const display = createPlainDisplay({
    write: (text) => onOutput(disarm(text)),
    palette: createPalette(false),
    size: () => ({ width: 120, height: 24 }),
    clock: {
      now: () => Date.now(),
      every: (ms, callback) => {
        const timer = setInterval(callback, ms);
        timer.unref();
        return () => clearInterval(timer);
      },
    },
    diff,
  });
  return {
    emit: (event) => {
      onEvent?.(event);
      display.onEvent(event);
    },
    close: () => display.close(),
  };
}
