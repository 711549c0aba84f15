import { channel } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** Runs beside each test file: writes down, once, what the emulators of this process have served while it ran. */
const folder = process.env["COVERAGE_FOLDER"];

if (folder !== undefined) {
  const served = channel("modelplatform:emulator:served");
  const items = new Set<unknown>();
  const note = (item: unknown): void => void items.add(item);
  served.subscribe(note);
  afterAll(() => {
    served.unsubscribe(note);
    if (items.size > 0) appendFileSync(join(folder, String(process.pid)), `${[...items].join("\n")}\n`);
  });
}
