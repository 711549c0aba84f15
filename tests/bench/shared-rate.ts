import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";

/**
 * Processes with one key against a limit of 10 requests per second and a burst of one: time against the least that the
 * limit allows, when they share what they learn of it and when they do not.
 */

const counts = (process.env["PROCESSES"] ?? "2,4,8").split(",").map(Number);
const requests = Number(process.env["REQUESTS"] ?? 400);
const limit = { perSecond: 10, burst: 1 };
const key = "bench-key";
/** At most this many times the least possible time, with sharing. */
const target = 1.25;

async function seconds(processes: number, rates: string | undefined): Promise<{ took: number; refused: number }> {
  const emulator = createEmulator({ accounts: { acme: key }, settings: { rateLimit: limit } });
  const { url } = await emulator.listen({ port: 0 });
  const senders = Array.from({ length: processes }, () =>
    fork(join(__dirname, "shared-rate-sender.cjs"), [], {
      env: { ...process.env, URL: url, KEY: key, REQUESTS: String(requests / processes), RATES: rates ?? "" },
    }),
  );
  await Promise.all(senders.map((sender) => once(sender, "message")));
  const began = performance.now();
  for (const sender of senders) sender.send("go");
  const refusals = await Promise.all(
    senders.map(async (sender) => {
      const [refused] = (await once(sender, "message")) as [number];
      return refused;
    }),
  );
  const took = (performance.now() - began) / 1000;
  await emulator.close();
  return { took, refused: refusals.reduce((sum, refused) => sum + refused, 0) };
}

void (async () => {
  const least = (requests - limit.burst) / limit.perSecond;
  for (const processes of counts)
    for (const isShared of [true, false]) {
      const folder = mkdtempSync(join(tmpdir(), "shared-rate-"));
      const { took, refused } = await seconds(processes, isShared ? folder : undefined);
      rmSync(folder, { recursive: true });
      const wanted = isShared ? ` (target: at most ${target})` : "";
      console.log(
        `${processes} processes, ${isShared ? "shared" : "each for itself"}: ${requests} requests in ${took.toFixed(1)} s, ${(took / least).toFixed(2)} of the least possible${wanted}, ${refused} refused`,
      );
    }
})();
