import { fork } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "../../emulator/index";
import { createClient } from "../../provider/api/client";
import { createCatalogue } from "../../provider/api/operations";
import { resolveSettings } from "../../provider/api/settings/config";
import { createPorts } from "../../provider/lifecycle/assemble";
import { createLifecycle } from "../../provider/lifecycle/lifecycle";
import type { Call } from "../../provider/lifecycle/types";
import { allSpecs, specOf } from "../../provider/resources/index";

/**
 * Memory of a process that uploads a model with a large file, against the same process before: it has
 * to stay the same however large the file is. The emulator is a process of its own. The file is
 * sparse, so that it takes no room on the disk.
 */

const bytes = Number(process.env["MEGABYTES"] ?? 1024) * 1024 * 1024;
const target = 150;

async function serveEmulator(): Promise<void> {
  const { port } = await createEmulator().listen({ port: 0 });
  process.on("disconnect", () => process.exit());
  process.send!({ port });
}

const rss = (): number => process.memoryUsage.rss() / 1024 / 1024;

/** Highest memory while `work` runs, in MB. */
async function peakDuring(work: () => Promise<unknown>): Promise<number> {
  let peak = rss();
  const watch = setInterval(() => void (peak = Math.max(peak, rss())), 20);
  await work();
  clearInterval(watch);
  return Math.max(peak, rss());
}

async function measure(): Promise<void> {
  const child = fork(join(__dirname, "run.cjs"), ["upload-memory", "emulator"]);
  const { port } = await new Promise<{ port: number }>((resolve) =>
    child.once("message", (message) => resolve(message as { port: number })),
  );
  const folder = mkdtempSync(join(tmpdir(), "upload-"));
  const sizes = {
    "config.json": 12,
    "a.safetensors": bytes / 2,
    "b.safetensors": bytes / 4,
    "c.safetensors": bytes / 4,
  };
  for (const [file, size] of Object.entries(sizes)) {
    writeFileSync(join(folder, file), "");
    truncateSync(join(folder, file), size);
  }
  const settings = resolveSettings({
    config: { get: () => undefined },
    env: {
      MODELPLATFORM_BASE_URL: `http://127.0.0.1:${port}`,
      MODELPLATFORM_ACCOUNT_ID: "demo",
      MODELPLATFORM_API_KEY: "demo-key",
      MODELPLATFORM_INTENTS: join(folder, ".intents"),
    },
  });
  const client = createClient({ settings, catalogue: createCatalogue(allSpecs) });
  const model = createLifecycle(specOf("Model")!, createPorts({ settings, client, specs: allSpecs, env: {} }));
  const call = (name: string): Call => ({
    hidden: { kind: "Model", urn: `urn:pulumi:bench::bench::model::${name}`, organization: "bench", stack: "bench" },
    reporter: { status: () => {}, info: () => {}, warn: () => {} },
    signal: new AbortController().signal,
  });
  const create = async (name: string, source: object) =>
    model.create(call(name), { kind: "EMBEDDING_MODEL", accountId: "demo", source });
  try {
    await create("warm", { files: { "config.json": join(folder, "config.json") } });
    const idle = rss();
    const begun = performance.now();
    const peak = await peakDuring(() => create("large", { folder }));
    const seconds = (performance.now() - begun) / 1000;
    console.log(
      `${bytes / 1024 / 1024} MB in ${Object.keys(sizes).length} files: ${seconds.toFixed(1)} s, digests included; memory ${idle.toFixed(0)} MB idle, ${peak.toFixed(0)} MB at most: ${(peak - idle).toFixed(0)} MB more (target: below ${target})`,
    );
    if (peak - idle >= target) process.exitCode = 1;
  } finally {
    await client.close();
    child.disconnect();
    rmSync(folder, { recursive: true });
  }
}

/** With a role, the process that `measure` starts. */
export const main = (role?: string): Promise<void> => (role === undefined ? measure() : serveEmulator());
