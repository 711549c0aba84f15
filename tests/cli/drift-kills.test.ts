import fs, { lstatSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { delivery } from "../../drift/notify/webhook";
import { instantTime } from "../api/support/instant-time";
import { json, type ScriptedServer, scriptedServer } from "../api/support/scripted-server";
import { name, place, put } from "./recorded-deployment";
import { modelplatform, type Setting } from "./terminal";

let receiver: ScriptedServer;

beforeEach(async () => {
  receiver = await scriptedServer(json(200, {}));
});
afterEach(() => {
  jest.restoreAllMocks();
  return receiver.close();
});

/** What changes a disk. */
const changes = ["writeFileSync", "writeSync", "renameSync", "rmSync"] as const;

const killed = (): Error => Object.assign(new Error("killed"), { code: "EIO" });

/** From that change of the disk on, counted once a run comes to its history, nothing reaches the disk: a kill. */
function killAt(point: number): { changes(): number } {
  let count = 0;
  let isAtHistory = false;
  const open = fs.openSync;
  jest.spyOn(fs, "openSync").mockImplementation((...args) => {
    isAtHistory ||= String(args[0]).includes("/history");
    if (count < point) return open(...args);
    throw killed();
  });
  for (const change of changes) {
    const original = fs[change] as (...args: unknown[]) => unknown;
    jest.spyOn(fs, change).mockImplementation(((...args: unknown[]) => {
      if (isAtHistory) count += 1;
      if (count < point) return original(...args);
      if (change === "rmSync") return;
      throw killed();
    }) as never);
  }
  return { changes: () => count };
}

let day = 1;

const night = (setting: Setting, url: string) =>
  modelplatform(`drift --stack-file prod.json --json --history history --notify ${url}`, {
    ...setting,
    time: instantTime(Date.UTC(2026, 2, day++), () => 0.5, delivery.tryMs),
  });

/** A killed process' lock is old by the next night. */
function ageLocks(folder: string): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".lock") && lstatSync(join(folder, file)).isFile()) utimesSync(join(folder, file), 0, 0);
}

const kinds = { new: { maxReplicaCount: 9 }, resolved: {} };

test.each(Object.entries(kinds))("a run that is killed at any write loses no news that is %s", async (kind, fields) => {
  let last = Number.POSITIVE_INFINITY;
  for (let point = 1; point <= last; point++) {
    const setting = place();
    put(kind === "new" ? {} : kinds.new);
    await night(setting, receiver.url);
    put(fields);
    receiver.seen.length = 0;
    const run = killAt(point);
    // Nothing is sent before the kill: what has arrived is told no second time.
    await night(setting, "http://127.0.0.1:1/");
    jest.restoreAllMocks();
    last = run.changes() < point ? 0 : last;
    ageLocks(setting.cwd);
    for (let later = 0; later < 2; later++) await night(setting, receiver.url);
    const told = receiver.seen.map(({ body }) => (JSON.parse(body) as { data: object }).data);
    expect({ point, told }).toMatchObject({ point, told: [{ [kind]: { count: 1, causes: [{ names: [name] }] } }] });
  }
  expect(last).toBe(0);
});
