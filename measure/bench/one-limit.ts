import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";

/**
 * Processes with one key, of which none knows of the others, against a limit of 10 requests per second: how long they
 * take to create users and read them back, against the least that the limit allows, and how many answers are 429.
 */

const counts = (process.env["PROCESSES"] ?? "1,8").split(",").map(Number);
const objects = Number(process.env["OBJECTS"] ?? 500);
const limit = { perSecond: 10, burst: Number(process.env["BURST"] ?? 10) };
const key = "bench-key";
/** At most this share of the answers is 429. */
const target = 0.1;

async function measure(processes: number): Promise<{ took: number; refused: number }> {
  const emulator = createEmulator({ accounts: { acme: key }, settings: { rateLimit: limit } });
  const { url } = await emulator.listen({ port: 0 });
  const senders = Array.from({ length: processes }, (_, index) =>
    fork(join(__dirname, "one-limit-sender.cjs"), [], {
      env: {
        ...process.env,
        URL: url,
        KEY: key,
        OBJECTS: String(Math.ceil(objects / processes)),
        SENDER: String(index),
      },
    }),
  );
  await Promise.all(senders.map((sender) => once(sender, "message")));
  const began = performance.now();
  const refusals = await Promise.all(
    senders.map(async (sender) => {
      sender.send("go");
      const [refused] = (await once(sender, "message")) as [number];
      return refused;
    }),
  );
  const took = (performance.now() - began) / 1000;
  await emulator.close();
  return { took, refused: refusals.reduce((sum, refused) => sum + refused, 0) };
}

export async function main(): Promise<void> {
  const requests = 2 * objects;
  const least = (requests - limit.burst) / limit.perSecond;
  for (const processes of counts) {
    const { took, refused } = await measure(processes);
    const share = refused / (requests + refused);
    console.log(
      `${processes} processes: ${objects} objects in ${took.toFixed(1)} s, ${(took / least).toFixed(2)} of the least possible; ${refused} answers are 429, ${(100 * share).toFixed(1)} % (target: at most ${100 * target} %)`,
    );
  }
}
